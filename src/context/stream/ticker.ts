import { getOrMake, hashOf, type Timers } from '../../kit/index.js';
import type { Clock, Timestamp } from '../../pmapi/index.js';
import type { Context } from '../context.js';

/** Ticks due within this many milliseconds run at once: timers fire early by a fraction of one. */
const JOINED_MS = 2;

/** The step of phases, so that there are few different ticks. */
const PHASE_STEP_MS = 10;
const PHASE_PERIOD_MS = 1000;

/**
 * The delay of a source's ticks: a phase below a second per host, the same for all intervals and contexts, so that fetches are joined but
 * hosts are spread (600 at once would be half a second of work). This machine has none.
 */
export function phaseOf({ kind, spec }: Pick<Context, 'kind' | 'spec'>): number {
  if (kind !== 'host' || spec.kind !== 'host') return 0;
  const host = spec.hostspec.replace(/[?&].*$/s, '');
  const steps = PHASE_PERIOD_MS / PHASE_STEP_MS;
  return (hashOf(host) % steps) * PHASE_STEP_MS;
}

interface Beat {
  readonly intervalMs: number;
  readonly phaseMs: number;
  readonly listeners: Set<() => void>;
  dueMs: number;
}

/**
 * Ticks at intervals, at multiples of wall-clock time plus the phase, so that fetches on one host are requested in the same turn and
 * joined. Paced by the monotonic clock: half to one and a half intervals apart, however the wall clock is set. One timer for all.
 */
export class Ticker {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #timers: Timers;
  readonly #beats = new Map<string, Beat>();
  #armed: { readonly dueMs: number; readonly cancel: () => void } | undefined;

  constructor(clock: Pick<Clock, 'now'>, timers: Timers) {
    this.#clock = clock;
    this.#timers = timers;
  }

  /** Calls a listener at every tick of an interval until the returned function is called. Listeners must not throw. */
  every(intervalMs: number, listener: () => void, phaseMs = 0): () => void {
    const key = `${intervalMs} ${phaseMs % intervalMs}`;
    const beat = getOrMake<string, Beat>(this.#beats, key, () => {
      const dueMs = this.#nextTick({ intervalMs, phaseMs }, this.#timers.nowMs(), wallMs(this.#clock.now()));
      return { intervalMs, phaseMs, listeners: new Set(), dueMs };
    });
    const { listeners } = beat;
    listeners.add(listener);
    this.#arm();
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#beats.get(key)?.listeners === listeners) this.#beats.delete(key);
      this.#arm();
    };
  }

  #nextTick({ intervalMs, phaseMs }: Pick<Beat, 'intervalMs' | 'phaseMs'>, nowMs: number, wall: number): number {
    const next = (Math.floor((wall - phaseMs + intervalMs / 2) / intervalMs) + 1) * intervalMs + phaseMs;
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
    for (const beat of due) beat.dueMs = this.#nextTick(beat, nowMs, wall);
    for (const { listeners } of due) for (const listener of [...listeners]) listener();
    this.#arm();
  }
}

/** A moment as milliseconds, exact to a microsecond: for the grid of ticks, not for timestamps. */
export function wallMs({ sec, nsec }: Timestamp): number {
  return sec * 1000 + nsec / 1e6;
}
