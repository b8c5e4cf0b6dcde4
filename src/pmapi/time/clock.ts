import type { Timestamp } from './timestamp.js';

/** Where time comes from. Injected wherever time matters, so that tests need no sleeps. */
export interface Clock {
  /** The wall clock, for time stamps of samples. */
  now(): Timestamp;
  /** Milliseconds that never go backwards, for durations and expiry; the origin means nothing. */
  monotonicMs(): number;
}

const ORIGIN_MS = performance.timeOrigin;

/** The machine's own clocks; the wall clock follows steps of the system time, to the microsecond. */
export const systemClock: Clock = {
  now(): Timestamp {
    // Date.now() follows clock steps but has milliseconds only; performance adds the microseconds when both agree.
    const coarseMs = Date.now();
    const fineMs = ORIGIN_MS + performance.now();
    const ms = Math.abs(fineMs - coarseMs) < 2 ? fineMs : coarseMs;
    const sec = Math.floor(ms / 1000);
    return { sec, nsec: Math.floor((ms - sec * 1000) * 1000) * 1000 };
  },
  monotonicMs(): number {
    return performance.now();
  },
};
