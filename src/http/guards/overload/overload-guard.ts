import { Semaphore } from '../../../kit/index.js';
import { GatewayError } from '../../../pmapi/index.js';
import { BusyShare, LoopLoad, systemLoopTimers } from './loop-load.js';
import type { LoopTimers } from './loop-load.js';

/** The cost of a request, in the order in which requests are rejected: health checks never are. */
export type Cost = 'none' | 'usual' | 'costly';

/** Limits on the work in progress. */
export interface OverloadLimits {
  /** Concurrent requests, without streams; half of them may be costly ones. */
  readonly requests: number;
  /** Concurrent ranges. */
  readonly ranges: number;
  /** Concurrent requests that wait for the same host. */
  readonly hostRequests: number;
  /** How long requests may wait for the event loop, in milliseconds. */
  readonly loopDelayMs: number;
  /** Total bytes of large responses that their clients have not read yet. */
  readonly unsentBytes: number;
}

/** The defaults. */
export const DEFAULT_OVERLOAD_LIMITS: OverloadLimits = Object.freeze({
  requests: 2000,
  ranges: 64,
  hostRequests: 1000,
  loopDelayMs: 200,
  unsentBytes: 268_435_456,
});

/** Rejected requests since the start. */
export interface OverloadStatistics {
  /** Requests beyond the limits. */
  full: number;
  /** Requests that arrived while others already waited too long. */
  late: number;
  /** Requests to a host that has too many in progress. */
  host: number;
  /** Responses that were complete, but did not fit into the memory limit. */
  unsent: number;
}

/** The delay before rejected clients retry: this long up to twice as long, so that not all retry at once. */
const RETRY_AFTER_SEC = 1;
/** How long a range waits for its turn. */
const RANGE_WAIT_MS = 5000;
/** Remote reads at the same time, and how many wait: Prometheus asks once for each selector of a query. */
const REMOTE_READS = 4;
const REMOTE_READS_WAITING = 64;
/** For what share of the time that may be waited requests are begun in one turn of the event loop, and in one that is late. */
const USUAL_SHARE = 2;
const LATE_SHARES = { usual: 0.5, costly: 0.25 };
/** How long expositions and large fetches wait for their turn, in multiples of `limits.loopDelayMs`. */
const PATIENCE = 3;
/** Expositions of one source that are made at once. */
const EXPOSITIONS = 8;
/** Large fetches from one source that are made at once. */
const LARGE_FETCHES = 2;
/** The share of its time that the event loop may work when streams begin to sample something more: what they do, they do for hours. */
const SAMPLING_SHARE = 0.8;
/** Over what time the rate is taken at which requests get done. */
const RATE_OVER_MS = 1000;

/** Requests of one cost. */
class CostClass {
  /** The minimum number of requests in progress that is allowed while the event loop is never idle. */
  readonly #least: number;
  /** How long they may take then, in multiples of what may be waited for the event loop. */
  readonly #patience: number;
  underWay = 0;
  #done = 0;
  #donePerMs = 0;

  constructor(least: number, patience: number) {
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

  /** How many requests may be in progress while the event loop is never idle: as many as complete in that time at the current rate. */
  most(loopDelayMs: number): number {
    return Math.max(this.#least, this.#donePerMs * loopDelayMs * this.#patience);
  }
}

/**
 * Rejects requests before those in progress become slow. Three things indicate overload.
 * - The number of requests in progress.
 * - How late the event loop is. No turn of it begins requests for more than twice the time that may be waited; and while it is late, for
 *   more than half of that time (costly ones for a quarter): so the gateway continues to do what it can, and others do not wait for all
 *   who came at once.
 * - Whether the event loop ever rests. Work in slices does not make it late, but gets slower by all that is taken on beside it; so while
 *   it is busy, no more is taken on than gets done in the time that may be waited.
 *
 * The gateway recovers as soon as the load decreases. What is already open, such as streams, is not affected.
 */
export class OverloadGuard {
  readonly statistics: OverloadStatistics = { full: 0, late: 0, host: 0, unsent: 0 };
  /** Where ranges wait for their turn. */
  readonly ranges: Semaphore;
  /** Where remote reads wait for their turn: an answer is in memory as a whole. */
  readonly remoteReads: Semaphore;
  readonly #busyShare: BusyShare;
  readonly #timers: LoopTimers;
  readonly #loop: LoopLoad;
  readonly #classes = {
    none: new CostClass(Infinity, 1),
    usual: new CostClass(500, 4),
    costly: new CostClass(8, 2),
  };
  /** Requests in progress by the host that they wait for. */
  readonly #hosts = new Map<unknown, number>();
  /** Where expositions, and large fetches, wait for others of the same source. */
  readonly #expositions = new Map<unknown, Semaphore>();
  readonly #largeFetches = new Map<unknown, Semaphore>();
  #limits: OverloadLimits;
  #underWay = 0;
  #unsentBytes = 0;
  #turn: number | undefined;
  #turnStartMs = 0;

  constructor(limits: OverloadLimits = DEFAULT_OVERLOAD_LIMITS, timers: LoopTimers = systemLoopTimers) {
    this.#limits = limits;
    this.#timers = timers;
    this.#loop = new LoopLoad(limits.loopDelayMs, timers, (elapsedMs) => {
      this.#classes.usual.take(elapsedMs);
      this.#classes.costly.take(elapsedMs);
    });
    this.#busyShare = new BusyShare(timers);
    this.ranges = new Semaphore({
      places: limits.ranges,
      waitMs: RANGE_WAIT_MS,
      timers,
      refuse: () => {
        this.statistics.full++;
        return overloaded(`too many ranges in progress (limits.ranges is ${this.#limits.ranges})`);
      },
    });
    this.remoteReads = new Semaphore({
      places: REMOTE_READS,
      waiting: REMOTE_READS_WAITING,
      waitMs: RANGE_WAIT_MS,
      timers,
      refuse: () => {
        this.statistics.full++;
        return overloaded('too many remote reads in progress');
      },
    });
  }

  /** What is taken on; a change concerns what comes from then on. */
  set limits(limits: OverloadLimits) {
    this.#limits = limits;
    this.#loop.limitMs = limits.loopDelayMs;
    this.ranges.places = limits.ranges;
  }

  /** Requests in progress. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Bytes of large answers that their clients have not taken. */
  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  /** How late the event loop was when it was last measured, in milliseconds. */
  get loopDelayMs(): number {
    return this.#loop.delayMs;
  }

  /** Whether the event loop is late, or never rests. */
  get isStrained(): boolean {
    return this.#loop.isLate || this.#loop.isBusy;
  }

  /** Throw OVERLOADED when the event loop works for so much of its time that streams must not sample more than they do. */
  admitSampling(): void {
    if (this.#busyShare.value < SAMPLING_SHARE) return;
    throw this.#refuseLate('the gateway is overloaded and accepts no more streams');
  }

  /** Accepts a request; the caller calls leave() when it is done. Throws OVERLOADED if it is too much. */
  enter(cost: Cost): void {
    if (cost !== 'none') this.#admit(cost);
    this.#underWay++;
    this.#classes[cost].underWay++;
  }

  /** A request that was taken on is done with. */
  leave(cost: Cost): void {
    this.#underWay--;
    this.#classes[cost].leave();
  }

  /**
   * Count a request as one that waits for a host; the returned function is called when it no longer does. Throws OVERLOADED when so many
   * do that a host which is slow or silent would take the place of all others.
   * @param host equal for requests to the same host
   * @param nameOf what the client calls it
   */
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
      if (left === 0) this.#hosts.delete(host);
      else this.#hosts.set(host, left);
    };
  }

  /**
   * Make room for a large answer until its client has taken it; what is returned is called then, once. Throws OVERLOADED when too many
   * bytes wait for clients that do not read: an answer that waits alone may be of any size.
   */
  holdAnswer(sizeBytes: number): () => void {
    const { unsentBytes: most } = this.#limits;
    if (this.#unsentBytes > 0 && this.#unsentBytes + sizeBytes > most) {
      this.statistics.unsent++;
      throw overloaded(
        `${this.#unsentBytes} bytes of responses are waiting to be read by clients; limits.unsentBytes is ${most}`,
      );
    }
    this.#unsentBytes += sizeBytes;
    return () => {
      this.#unsentBytes -= sizeBytes;
    };
  }

  /**
   * Wait until an exposition of a source may be made; what it resolves to is called when it is. Requests for the same share one fetch, and
   * all their texts would be written in the turn in which that is answered. Rejects with OVERLOADED, and as Semaphore.enter() does.
   */
  enterExposition(source: unknown, signal: AbortSignal): Promise<() => void> {
    return this.#enterOf(this.#expositions, EXPOSITIONS, source, signal);
  }

  /**
   * As {@link enterExposition}, for a fetch of many metrics or values: those that come at once would all be begun, read and written in the
   * same turn of the event loop.
   */
  enterLargeFetch(source: unknown, signal: AbortSignal): Promise<() => void> {
    return this.#enterOf(this.#largeFetches, LARGE_FETCHES, source, signal);
  }

  async #enterOf(
    semaphores: Map<unknown, Semaphore>,
    places: number,
    source: unknown,
    signal: AbortSignal,
  ): Promise<() => void> {
    let semaphore = semaphores.get(source);
    if (!semaphore) {
      semaphore = this.#newSemaphore(places);
      semaphores.set(source, semaphore);
    }
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
    if (this.#underWay >= (cost === 'costly' ? Math.ceil(requests / 2) : requests)) {
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
  return new GatewayError('OVERLOADED', `${why}: try again later`, {
    retryAfterSec: RETRY_AFTER_SEC * (1 + Math.random()),
  });
}
