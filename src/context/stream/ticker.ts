import type { Timers } from '../../kit/index.js';
import type { Clock, Timestamp } from '../../pmapi/index.js';

/** Ticks due within this many milliseconds run at once: timers fire early by a fraction of one. */
const JOINED_MS = 2;

interface Beat {
  readonly intervalMs: number;
  readonly listeners: Set<() => void>;
  dueMs: number;
}

/**
 * Ticks at intervals. All listeners of one interval are called together, and those of multiples of it, too: ticks are at the
 * multiples of the interval in wall-clock time. So fetches of many contexts on one host are requested in the same turn, and
 * joined.
 *
 * The pace is that of the monotonic clock: ticks are between half an interval and one and a half apart, however the wall clock is
 * set meanwhile. There is one timer for all.
 */
export class Ticker {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #timers: Timers;
  readonly #beats = new Map<number, Beat>();
  #armed: { readonly dueMs: number; readonly cancel: () => void } | undefined;

  constructor(clock: Pick<Clock, 'now'>, timers: Timers) {
    this.#clock = clock;
    this.#timers = timers;
  }

  /** Calls a listener at every tick of an interval until the returned function is called. Listeners must not throw. */
  every(intervalMs: number, listener: () => void): () => void {
    let beat = this.#beats.get(intervalMs);
    if (!beat) {
      const dueMs = this.#nextTick(intervalMs, this.#timers.nowMs(), wallMs(this.#clock.now()));
      beat = { intervalMs, listeners: new Set(), dueMs };
      this.#beats.set(intervalMs, beat);
    }
    const { listeners } = beat;
    listeners.add(listener);
    this.#arm();
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#beats.get(intervalMs)?.listeners === listeners) this.#beats.delete(intervalMs);
      this.#arm();
    };
  }

  #nextTick(intervalMs: number, nowMs: number, wall: number): number {
    const next = (Math.floor((wall + intervalMs / 2) / intervalMs) + 1) * intervalMs;
    return nowMs + next - wall;
  }

  #arm(): void {
    let dueMs = Infinity;
    for (const beat of this.#beats.values()) dueMs = Math.min(dueMs, beat.dueMs);
    if (this.#armed?.dueMs === dueMs) return;
    this.#armed?.cancel();
    this.#armed = undefined;
    if (dueMs === Infinity) return;
    const delayMs = Math.max(0, dueMs - this.#timers.nowMs());
    this.#armed = { dueMs, cancel: this.#timers.after(delayMs, () => this.#strike()) };
  }

  #strike(): void {
    this.#armed = undefined;
    const nowMs = this.#timers.nowMs();
    const wall = wallMs(this.#clock.now());
    const due = [...this.#beats.values()].filter(({ dueMs }) => dueMs <= nowMs + JOINED_MS);
    for (const beat of due) beat.dueMs = this.#nextTick(beat.intervalMs, nowMs, wall);
    for (const { listeners } of due) for (const listener of [...listeners]) listener();
    this.#arm();
  }
}

/** A moment as milliseconds, exact to a microsecond: for the grid of ticks, not for timestamps. */
export function wallMs({ sec, nsec }: Timestamp): number {
  return sec * 1000 + nsec / 1e6;
}
