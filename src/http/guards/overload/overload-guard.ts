import { getOrMake, inNextTurn, Semaphore, systemTimers, type Timers } from '../../../kit/index.js';
import { GatewayError } from '../../../pmapi/index.js';

/** The cost of a request, in the order in which requests are rejected: health checks never are. */
export type Cost = 'none' | 'usual' | 'costly';

export interface OverloadLimits {
  /** Concurrent requests, without streams; half of them may be costly ones. */
  readonly requests: number;
  readonly ranges: number;
  /** Concurrent requests that wait for the same host. */
  readonly hostRequests: number;
  /** How long requests may wait for the event loop, in milliseconds. */
  readonly loopDelayMs: number;
  /** Total bytes of large responses that their clients have not read yet. */
  readonly unsentBytes: number;
}

export interface OverloadStatistics {
  /** Beyond the limits. */
  full: number;
  /** Arrived while others already waited too long. */
  late: number;
  /** For a host with too many in progress. */
  host: number;
  /** Complete, but without room in memory. */
  unsent: number;
}

/** Rejected clients retry after this long up to twice as long, so that not all retry at once. */
const RETRY_AFTER_SEC = 1;
/** How long ranges, remote reads and batches of long expressions wait for their turn. */
const RANGE_WAIT_MS = 5000;
/** Concurrent remote reads, and waiting ones: Prometheus sends one for each selector of a query. */
const REMOTE_READS = 4;
const REMOTE_READS_WAITING = 64;
/** Concurrent batches of long expressions, and waiting ones. */
const LONG_BATCHES = 2;
const LONG_BATCHES_WAITING = 8;
/** The share of the allowed delay in which one turn begins requests, and a late turn. */
const USUAL_SHARE = 2;
const LATE_SHARES = { usual: 0.5, costly: 0.25 };
/** How long expositions and large fetches wait, in multiples of `limits.loopDelayMs`. */
const PATIENCE = 3;
const EXPOSITIONS = 8;
const LARGE_FETCHES = 2;
/** The maximum busy share of the event loop for new streams, which last for hours. */
const SAMPLING_SHARE = 0.8;
/** Hosts for which nothing waits that stay in the table. */
const HOSTS_KEPT = 16;
/** Averaging time of the completion rate. */
const RATE_OVER_MS = 1000;

class CostClass {
  readonly #least: number;
  readonly #patience: number;
  underWay = 0;
  #done = 0;
  #donePerMs = 0;

  constructor(
    /** Minimum number of requests admitted while the event loop is never idle. */
    least: number,
    /** Their maximum duration, in multiples of the allowed delay. */
    patience: number,
  ) {
    this.#least = least;
    this.#patience = patience;
  }

  leave(): void {
    this.underWay--;
    this.#done++;
  }

  take(elapsedMs: number): void {
    this.#donePerMs += (this.#done / elapsedMs - this.#donePerMs) * (1 - Math.exp(-elapsedMs / RATE_OVER_MS));
    this.#done = 0;
  }

  /** Requests admitted while the event loop is never idle: those completed in time at the current rate. */
  most(loopDelayMs: number): number {
    return Math.max(this.#least, this.#donePerMs * loopDelayMs * this.#patience);
  }
}

/**
 * Rejects requests before those in progress become slow, by three signs of overload: the number of requests in progress; the delay of the
 * event loop (a turn begins requests for at most twice the allowed delay, a late one for half, costly ones a quarter); and an event loop
 * that never rests (work in slices does not delay it), which admits no more than completes in the allowed delay. Recovers as soon as the
 * load decreases. Open streams are not affected.
 */
export class OverloadGuard {
  readonly statistics: OverloadStatistics = { full: 0, late: 0, host: 0, unsent: 0 };
  underWay = 0;
  unsentBytes = 0;
  readonly ranges: Semaphore;
  /** Remote reads in turn: a response is in memory as a whole. */
  readonly remoteReads: Semaphore;
  /** Batches of long expressions in turn: what is found is in memory until the last one is done. */
  readonly longBatches: Semaphore;
  readonly #busyShare: BusyShare;
  readonly #timers: LoopTimers;
  readonly #loop: LoopLoad;
  readonly #classes = {
    none: new CostClass(Infinity, 1),
    usual: new CostClass(500, 4),
    costly: new CostClass(8, 2),
  };
  readonly #hosts = new Map<unknown, number>();
  /** Expositions and large fetches in turn, by source. */
  readonly #expositions = new Map<unknown, Semaphore>();
  readonly #largeFetches = new Map<unknown, Semaphore>();
  #limits: OverloadLimits;
  #turn: number | undefined;
  #turnStartMs = 0;

  constructor(limits: OverloadLimits, timers: LoopTimers = systemLoopTimers) {
    this.#limits = limits;
    this.#timers = timers;
    this.#loop = new LoopLoad(limits.loopDelayMs, timers, (elapsedMs) => {
      this.#classes.usual.take(elapsedMs);
      this.#classes.costly.take(elapsedMs);
    });
    this.#busyShare = new BusyShare(timers);
    const inTurn = (places: number, waiting: number | undefined, what: () => string): Semaphore => {
      const refuse = (): GatewayError => {
        this.statistics.full++;
        return overloaded(`too many ${what()}`);
      };
      return new Semaphore({ places, waiting, waitMs: RANGE_WAIT_MS, timers, refuse });
    };
    this.ranges = inTurn(
      limits.ranges,
      undefined,
      () => `ranges in progress (limits.ranges is ${this.#limits.ranges})`,
    );
    this.remoteReads = inTurn(REMOTE_READS, REMOTE_READS_WAITING, () => 'remote reads in progress');
    this.longBatches = inTurn(LONG_BATCHES, LONG_BATCHES_WAITING, () => 'batches of long expressions in progress');
  }

  /** A change concerns later requests. */
  set limits(limits: OverloadLimits) {
    this.#limits = limits;
    this.#loop.limitMs = limits.loopDelayMs;
    this.ranges.places = limits.ranges;
  }

  get loopDelayMs(): number {
    return this.#loop.delayMs;
  }

  get isStrained(): boolean {
    return this.#loop.isLate || this.#loop.isBusy;
  }

  /** Throws OVERLOADED when the event loop is too busy for more sampling by streams. */
  admitSampling(): void {
    if (this.#busyShare.value < SAMPLING_SHARE) return;
    throw this.#refuseLate('the gateway is overloaded and accepts no more streams');
  }

  /** Accepts a request; the caller calls leave() when it is done. Throws OVERLOADED if it is too much. */
  enter(cost: Cost): void {
    if (cost !== 'none') this.#admit(cost);
    this.underWay++;
    this.#classes[cost].underWay++;
  }

  leave(cost: Cost): void {
    this.underWay--;
    this.#classes[cost].leave();
  }

  /** Counts a request as waiting for a host; the result ends that. Throws OVERLOADED: a slow host must not take all places. */
  enterHost(host: unknown, nameOf: () => string): () => void {
    const count = this.#hosts.get(host) ?? 0;
    const { hostRequests } = this.#limits;
    if (count >= hostRequests) {
      this.statistics.host++;
      throw overloaded(`too many requests wait for ${nameOf()} (hosts.requests is ${hostRequests})`);
    }
    this.#hosts.set(host, count + 1);
    return () => {
      const left = this.#hosts.get(host)! - 1;
      // An entry that comes and goes with each request has the Map copied over and over.
      if (left === 0 && this.#hosts.size > HOSTS_KEPT) this.#hosts.delete(host);
      else this.#hosts.set(host, left);
    };
  }

  /** Reserves room for a large response until the result is called. Throws OVERLOADED; a single one may be of any size. */
  holdAnswer(sizeBytes: number): () => void {
    const { unsentBytes: most } = this.#limits;
    if (this.unsentBytes > 0 && this.unsentBytes + sizeBytes > most) {
      this.statistics.unsent++;
      throw overloaded(
        `${this.unsentBytes} bytes of responses are waiting to be read by clients; limits.unsentBytes is ${most}`,
      );
    }
    this.unsentBytes += sizeBytes;
    return () => {
      this.unsentBytes -= sizeBytes;
    };
  }

  /** Waits to expose a source; the result ends it. Rejects with OVERLOADED. Without it, all texts would be written in one turn. */
  enterExposition(source: unknown, signal: AbortSignal): Promise<() => void> {
    return this.#enterOf(this.#expositions, EXPOSITIONS, source, signal);
  }

  /** As {@link enterExposition}, for a large fetch: concurrent ones would all be processed in one turn. */
  enterLargeFetch(source: unknown, signal: AbortSignal): Promise<() => void> {
    return this.#enterOf(this.#largeFetches, LARGE_FETCHES, source, signal);
  }

  async #enterOf(
    semaphores: Map<unknown, Semaphore>,
    places: number,
    source: unknown,
    signal: AbortSignal,
  ): Promise<() => void> {
    const semaphore = getOrMake(semaphores, source, () => this.#newSemaphore(places));
    const forgetIfEmpty = (): void => {
      if (semaphore.inside + semaphore.waiting === 0) semaphores.delete(source);
    };
    try {
      const leave = await semaphore.enter(signal);
      return () => {
        leave();
        forgetIfEmpty();
      };
    } catch (error) {
      forgetIfEmpty();
      throw error;
    }
  }

  #newSemaphore(places: number): Semaphore {
    return new Semaphore({
      places,
      waiting: this.#limits.requests,
      waitMs: PATIENCE * this.#limits.loopDelayMs,
      timers: this.#timers,
      refuse: () => this.#refuseLate('too many requests for this source'),
    });
  }

  #admit(cost: 'usual' | 'costly'): void {
    const { requests, loopDelayMs } = this.#limits;
    if (this.underWay >= (cost === 'costly' ? Math.ceil(requests / 2) : requests)) {
      this.statistics.full++;
      throw overloaded(`too many requests in progress (limits.requests is ${requests})`);
    }
    this.#loop.keepMeasuring();
    const { [cost]: alike } = this.#classes;
    if (this.#fitsIntoTurn(cost) && !(this.#loop.isBusy && alike.underWay >= alike.most(loopDelayMs))) return;
    throw this.#refuseLate('the gateway is overloaded');
  }

  #refuseLate(why: string): GatewayError {
    this.statistics.late++;
    return overloaded(why);
  }

  /** Whether there is time left for a request in this turn of the event loop. */
  #fitsIntoTurn(cost: 'usual' | 'costly'): boolean {
    const nowMs = this.#timers.nowMs();
    const turn = this.#timers.turnNumber();
    if (turn !== this.#turn) {
      this.#turn = turn;
      this.#turnStartMs = nowMs;
    }
    const share = this.#loop.isLate ? LATE_SHARES[cost] : USUAL_SHARE;
    return nowMs - this.#turnStartMs < this.#limits.loopDelayMs * share;
  }
}

function overloaded(why: string): GatewayError {
  const message = `${why}: try again later`;
  return new GatewayError('OVERLOADED', message, { retryAfterSec: RETRY_AFTER_SEC * (1 + Math.random()) });
}

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
class BusyShare {
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
