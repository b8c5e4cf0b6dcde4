import { GatewayError } from '../../pmapi/index.js';
import { LoopDelay, systemLoopTimers } from './loop-delay.js';
import type { LoopTimers } from './loop-delay.js';
import { Turnstile } from './turnstile.js';

/** What a request costs, in the order in which requests are turned away: health checks never are. */
export type Cost = 'none' | 'usual' | 'costly';

/** How much work is taken on. */
export interface OverloadLimits {
  /** Requests under way at once, streams aside; half of them may be costly ones. */
  readonly requests: number;
  /** Ranges under way at once. */
  readonly ranges: number;
  /** How long requests may wait for the event loop, in milliseconds. */
  readonly loopDelayMs: number;
}

/** What stands where nothing is said. */
export const DEFAULT_OVERLOAD_LIMITS: OverloadLimits = Object.freeze({ requests: 2000, ranges: 64, loopDelayMs: 100 });

/** What was turned away since the start. */
export interface OverloadStatistics {
  /** Requests for which there was no room. */
  full: number;
  /** Requests that came while others waited too long already. */
  late: number;
}

/** Whoever is turned away comes back after this time or up to twice as much: not all at once. */
const RETRY_AFTER_SEC = 1;
/** How long a range waits for its turn. */
const RANGE_WAIT_MS = 5000;

/**
 * Turns requests away before those that are under way become slow. Two things say that there is too much to do: the number of requests
 * under way, and how late the event loop is. While it is late, each of its turns serves requests for half of the time that may be
 * waited, and turns the others away: so the gateway goes on doing what it can, and is itself again as soon as less is asked.
 * What is open already, such as streams, is not touched.
 */
export class OverloadGuard {
  readonly statistics: OverloadStatistics = { full: 0, late: 0 };
  /** Where ranges wait for their turn. */
  readonly ranges: Turnstile;
  readonly #timers: LoopTimers;
  readonly #loop: LoopDelay;
  #limits: OverloadLimits;
  #underWay = 0;
  #turnStartMs: number | undefined;

  constructor(limits: OverloadLimits = DEFAULT_OVERLOAD_LIMITS, timers: LoopTimers = systemLoopTimers) {
    this.#limits = limits;
    this.#timers = timers;
    this.#loop = new LoopDelay(limits.loopDelayMs, timers);
    this.ranges = new Turnstile({
      places: limits.ranges,
      waitMs: RANGE_WAIT_MS,
      timers,
      refuse: () => {
        this.statistics.full++;
        return overloaded(`${this.#limits.ranges} ranges are under way (limits.ranges), and others wait`);
      },
    });
  }

  /** What is taken on; a change concerns what comes from then on. */
  set limits(limits: OverloadLimits) {
    this.#limits = limits;
    this.#loop.limitMs = limits.loopDelayMs;
    this.ranges.places = limits.ranges;
  }

  /** Requests under way. */
  get underWay(): number {
    return this.#underWay;
  }

  /** How late the event loop was when it was last measured, in milliseconds. */
  get loopDelayMs(): number {
    return this.#loop.delayMs;
  }

  /** Take a request on; whoever does calls leave() when it is done with. Throws OVERLOADED when it is too much. */
  enter(cost: Cost): void {
    if (cost !== 'none') {
      const { requests } = this.#limits;
      if (this.#underWay >= (cost === 'costly' ? Math.ceil(requests / 2) : requests)) {
        this.statistics.full++;
        throw overloaded(`${this.#underWay} requests are under way, and limits.requests is ${requests}`);
      }
      if (this.#loop.check() && !this.#fitsIntoTurn(cost)) {
        this.statistics.late++;
        throw overloaded('the gateway has more to do than it can');
      }
    }
    this.#underWay++;
  }

  /** A request that was taken on is done with. */
  leave(): void {
    this.#underWay--;
  }

  /** Whether there is time left for a request in this turn of an event loop that is late. */
  #fitsIntoTurn(cost: Cost): boolean {
    if (cost === 'costly') return false;
    const nowMs = this.#timers.nowMs();
    if (this.#turnStartMs === undefined) {
      this.#turnStartMs = nowMs;
      this.#timers.afterTurn(() => {
        this.#turnStartMs = undefined;
      });
    }
    return nowMs - this.#turnStartMs < this.#limits.loopDelayMs / 2;
  }
}

function overloaded(why: string): GatewayError {
  return new GatewayError('OVERLOADED', `${why}: try again later`, {
    retryAfterSec: RETRY_AFTER_SEC * (1 + Math.random()),
  });
}
