import type { Clock, Timestamp } from '../../src/pmapi/index.js';

/** A clock that moves only when told to: both the wall clock and the monotonic one, together. */
export class FakeClock implements Clock {
  #ms: number;
  /** By how much the wall clock was set. */
  #setMs = 0;

  /** Starts at 2026-01-01T00:00:00Z unless told otherwise. */
  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#ms = startMs;
  }

  now(): Timestamp {
    const ms = this.#ms + this.#setMs;
    const sec = Math.floor(ms / 1000);
    return { sec, nsec: Math.round((ms - sec * 1000) * 1e6) };
  }

  monotonicMs(): number {
    return this.#ms;
  }

  advance(ms: number): void {
    this.#ms += ms;
  }

  /** Sets the wall clock forward, or back; the monotonic one goes on. */
  set(byMs: number): void {
    this.#setMs += byMs;
  }
}
