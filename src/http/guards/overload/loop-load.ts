import { inNextTurn, systemTimers, type Timers } from '../../../kit/index.js';

/** The timers and event loop figures that the measurement needs. */
export interface LoopTimers extends Timers {
  /** Calls back when everything waiting in this turn of the event loop has been handled. That adds a turn: not for every request. */
  afterTurn(callback: () => void): void;
  /** A number that differs in each turn of the event loop. */
  turnNumber(): number;
  /** How many milliseconds the event loop was busy since the start. */
  busyMs(): number;
}

export const systemLoopTimers: LoopTimers = {
  ...systemTimers,
  afterTurn: inNextTurn,
  turnNumber: () => performance.nodeTiming.uvMetricsInfo.loopCount,
  busyMs: () => performance.eventLoopUtilization().active,
};

const SAMPLE_MS = 20;
/** Duration and minimum samples of overload: one long piece of work is a pause. */
const LATE_FOR = { ms: 300, samples: 2 };
const BUSY_FOR = { ms: 100, samples: 1 };
/** For how long all samples must show the opposite. */
const WELL_FOR = { ms: 40, samples: 2 };
/** The share of time that a busy event loop works, and the share below which it no longer counts as busy. */
const BUSY_SHARE = 0.97;
const CALM_SHARE = 0.9;

/**
 * Measures the delay of requests by the event loop, from a timer's due time until all else was handled, and whether it is ever idle. With
 * hysteresis. Measures only while there are requests.
 */
export class LoopLoad {
  readonly #timers: LoopTimers;
  readonly #onSample: (elapsedMs: number) => void;
  readonly #late = new Verdict(LATE_FOR);
  readonly #busy = new Verdict(BUSY_FOR);
  delayMs = 0;
  #isMeasuring = false;
  #wasAsked = false;

  constructor(
    public limitMs: number,
    timers: LoopTimers,
    onSample: (elapsedMs: number) => void,
  ) {
    this.#timers = timers;
    this.#onSample = onSample;
  }

  /** Whether requests have waited too long for the event loop, for a while. */
  get isLate(): boolean {
    return this.#late.stands;
  }

  /** Whether the event loop has not been idle, for a while. */
  get isBusy(): boolean {
    return this.#busy.stands;
  }

  /** Keeps the measurement going: a request has come. */
  keepMeasuring(): void {
    this.#wasAsked = true;
    if (!this.#isMeasuring) this.#measure();
  }

  #measure(): void {
    this.#isMeasuring = true;
    const startMs = this.#timers.nowMs();
    const busyMs = this.#timers.busyMs();
    this.#timers.after(SAMPLE_MS, () =>
      this.#timers.afterTurn(() => {
        const elapsedMs = this.#timers.nowMs() - startMs;
        this.#take(elapsedMs, (this.#timers.busyMs() - busyMs) / elapsedMs);
        // The next request must not find an outdated verdict.
        this.#isMeasuring = this.#wasAsked || this.isLate || this.isBusy;
        this.#wasAsked = false;
        if (this.#isMeasuring) this.#measure();
      }),
    );
  }

  #take(elapsedMs: number, busyShare: number): void {
    this.delayMs = Math.max(0, elapsedMs - SAMPLE_MS);
    this.#late.take(elapsedMs, this.delayMs >= this.limitMs, this.delayMs < this.limitMs / 2);
    this.#busy.take(elapsedMs, busyShare >= BUSY_SHARE, busyShare < CALM_SHARE);
    this.#onSample(elapsedMs);
  }
}

const SHARE_OVER_MS = 1000;

/** The event loop's busy share over the last second or longer; costs nothing while unread. */
export class BusyShare {
  readonly #timers: LoopTimers;
  #sinceMs: number;
  #busySinceMs: number;
  #share = 0;

  constructor(timers: LoopTimers) {
    this.#timers = timers;
    this.#sinceMs = timers.nowMs();
    this.#busySinceMs = timers.busyMs();
  }

  /** From 0 to 1: since the previous call, if that was a second ago or more; otherwise the previous result. */
  get value(): number {
    const nowMs = this.#timers.nowMs();
    const elapsedMs = nowMs - this.#sinceMs;
    if (elapsedMs >= SHARE_OVER_MS) {
      const busyMs = this.#timers.busyMs();
      this.#share = (busyMs - this.#busySinceMs) / elapsedMs;
      this.#sinceMs = nowMs;
      this.#busySinceMs = busyMs;
    }
    return this.#share;
  }
}

/** A condition that takes effect after it held for a while. */
class Verdict {
  readonly #after: typeof LATE_FOR;
  stands = false;
  #samples = 0;
  #ms = 0;

  constructor(after: typeof LATE_FOR) {
    this.#after = after;
  }

  take(elapsedMs: number, speaksFor: boolean, speaksAgainst: boolean): void {
    const changes = this.stands ? speaksAgainst : speaksFor;
    this.#samples = changes ? this.#samples + 1 : 0;
    this.#ms = changes ? this.#ms + elapsedMs : 0;
    const { ms, samples } = this.stands ? WELL_FOR : this.#after;
    if (this.#ms < ms || this.#samples < samples) return;
    this.stands = !this.stands;
    this.#samples = 0;
    this.#ms = 0;
  }
}
