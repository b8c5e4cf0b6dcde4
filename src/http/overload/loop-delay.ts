import { systemTimers } from '../../pmapi/index.js';
import type { Timers } from '../../pmapi/index.js';

/** Time as the measurement needs it: timers, and turns of the event loop. */
export interface LoopTimers extends Timers {
  /** Call back when everything that waits in this turn of the event loop was seen to. */
  afterTurn(callback: () => void): void;
}

/** The machine's own. */
export const systemLoopTimers: LoopTimers = {
  ...systemTimers,
  afterTurn(callback) {
    setImmediate(callback).unref();
  },
};

/** How often the delay is measured while requests come. */
const SAMPLE_MS = 20;
/** Samples in a row that have to be late: one long piece of work is a pause, not overload. */
const LATE_SAMPLES = 3;
/** Samples in a row that have to be early again. */
const EARLY_SAMPLES = 2;

/**
 * Measures how long a request waits for the gateway to come to it: the time from when a timer was due until all else that waited then
 * was seen to. With hysteresis, so that a gateway at its limit does not change its mind all the time. Rests while nothing is asked.
 */
export class LoopDelay {
  readonly #timers: LoopTimers;
  #limitMs: number;
  #delayMs = 0;
  #isLate = false;
  #inARow = 0;
  #isMeasuring = false;
  #wasAsked = false;

  constructor(limitMs: number, timers: LoopTimers = systemLoopTimers) {
    this.#limitMs = limitMs;
    this.#timers = timers;
  }

  /** The delay that is too much, in milliseconds. */
  set limitMs(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** The last delay that was measured, in milliseconds. */
  get delayMs(): number {
    return this.#delayMs;
  }

  /** Whether requests wait too long, and have for a while. Asking keeps the measurement going. */
  check(): boolean {
    this.#wasAsked = true;
    if (!this.#isMeasuring) this.#measure();
    return this.#isLate;
  }

  #measure(): void {
    this.#isMeasuring = true;
    const dueMs = this.#timers.nowMs() + SAMPLE_MS;
    this.#timers.after(SAMPLE_MS, () =>
      this.#timers.afterTurn(() => {
        this.#take(Math.max(0, this.#timers.nowMs() - dueMs));
        // Late until it is known to be early: whoever comes next must not find an old verdict.
        if (this.#wasAsked || this.#isLate) {
          this.#wasAsked = false;
          this.#measure();
        } else {
          this.#isMeasuring = false;
          this.#inARow = 0;
        }
      }),
    );
  }

  #take(delayMs: number): void {
    this.#delayMs = delayMs;
    const speaksForChange = this.#isLate ? delayMs < this.#limitMs / 2 : delayMs >= this.#limitMs;
    this.#inARow = speaksForChange ? this.#inARow + 1 : 0;
    if (this.#inARow < (this.#isLate ? EARLY_SAMPLES : LATE_SAMPLES)) return;
    this.#isLate = !this.#isLate;
    this.#inARow = 0;
  }
}
