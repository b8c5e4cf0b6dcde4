import type { Timestamp } from './timestamp.js';

/** The source of time. Injected wherever time matters, so that tests do not sleep. */
export interface Clock {
  /** The wall clock, for timestamps of samples. */
  now(): Timestamp;
  /** Milliseconds that never go backwards, for durations and expiry; the origin is arbitrary. */
  monotonicMs(): number;
}

const ORIGIN_MS = performance.timeOrigin;

/** The system's clocks; the wall clock follows changes of the system time, and has microseconds. */
export const systemClock: Clock = {
  now(): Timestamp {
    // Date.now() follows changes of the system time but only has milliseconds; performance adds the microseconds if both agree.
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
