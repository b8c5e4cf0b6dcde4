import type { Timers } from '../../../pmapi/index.js';

/** How a semaphore lets in. */
export interface SemaphoreOptions {
  /** How many may be inside at once. */
  readonly places: number;
  /** How many may wait; as many as may be inside when absent. */
  readonly waiting?: number;
  /** How long one may wait, in milliseconds. */
  readonly waitMs: number;
  readonly timers: Timers;
  /** What those are told for whom there is no place. */
  readonly refuse: () => Error;
}

/** Lets a few in at once, and has a few wait in turn: for work that is long, and of which too much at once helps nobody. */
export class Semaphore {
  readonly #options: SemaphoreOptions;
  /** Oldest first; each is called when a place is free for it. */
  readonly #waiting = new Set<() => void>();
  #places: number;
  #inside = 0;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
    this.#places = options.places;
  }

  /** How many may be inside at once from now on. */
  set places(places: number) {
    this.#places = places;
    while (this.#inside < this.#places && this.#waiting.size > 0) this.#letNextIn();
  }

  /** Who is inside. */
  get inside(): number {
    return this.#inside;
  }

  /** Who waits. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Enter, or wait for a place. What it resolves to is called to leave, and does so once. Rejects with what `refuse` makes when too
   * many wait or the wait gets too long, and with the reason of a signal that is aborted meanwhile.
   */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#inside < this.#places) this.#inside++;
    else await this.#wait(signal);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#inside--;
      if (this.#inside < this.#places && this.#waiting.size > 0) this.#letNextIn();
    };
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    const { refuse, timers, waitMs } = this.#options;
    if (this.#waiting.size >= (this.#options.waiting ?? this.#places)) return Promise.reject(refuse());
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(enter);
        signal?.removeEventListener('abort', giveUp);
        stopTimer();
      };
      const enter = (): void => {
        end();
        resolve();
      };
      const giveUp = (): void => {
        end();
        reject(signal?.reason as Error);
      };
      const stopTimer = timers.after(waitMs, () => {
        end();
        reject(refuse());
      });
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(enter);
    });
  }

  #letNextIn(): void {
    const [next] = this.#waiting;
    if (!next) return;
    this.#inside++;
    next();
  }
}
