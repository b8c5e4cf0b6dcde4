import { getOrMake } from './collections.js';

interface SemaphoreOptions {
  readonly places: number;
  /** How many may wait; as many as there are places by default. */
  readonly waiting?: number | undefined;
  readonly waitMs: number;
  readonly timers: Timers;
  /** Makes the error for tasks that cannot wait, or waited too long. */
  readonly refuse: () => Error;
}

/** A counting semaphore with a bounded, timed queue in order of arrival. */
export class Semaphore {
  readonly #options: SemaphoreOptions;
  readonly #waiting = new Set<() => void>();
  #places: number;
  #inside = 0;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
    this.#places = options.places;
  }

  /** A change affects later tasks. */
  set places(places: number) {
    this.#places = places;
    while (this.#inside < this.#places && this.#waiting.size > 0) this.#admitNext();
  }

  get inside(): number {
    return this.#inside;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Takes a place, or waits for one; the result releases it. Rejects as `refuse`, and with the signal's reason. */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#inside < this.#places) this.#inside++;
    else await this.#wait(signal);
    return once(() => {
      this.#inside--;
      if (this.#inside < this.#places && this.#waiting.size > 0) this.#admitNext();
    });
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    const { refuse, timers, waitMs } = this.#options;
    if (this.#waiting.size >= (this.#options.waiting ?? this.#places)) return Promise.reject(refuse());
    const begin = (enter: () => void): (() => void) => {
      this.#waiting.add(enter);
      return () => void this.#waiting.delete(enter);
    };
    return waitFor(begin, { timers, waitMs, late: refuse }, signal);
  }

  #admitNext(): void {
    const [next] = this.#waiting;
    if (!next) return;
    this.#inside++;
    next();
  }
}

/** What is called when a signal is aborted: by one listener for all, as Node warns about more than ten. It keeps a signal of signals that has any. */
class Leavers extends Set<() => void> {
  handleEvent(): void {
    for (const leave of this) leave();
  }
}

const leaving = new WeakMap<AbortSignal, Leavers>();

/** The result of work; throws the signal's reason if that is aborted before. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let leave = (): void => undefined;
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason as Error);
  });
  if (signal.aborted) leave();
  const leavers = getOrMake(leaving, signal, () => new Leavers()).add(leave);
  if (leavers.size === 1) signal.addEventListener('abort', leavers);
  try {
    return await Promise.race([left, work]);
  } finally {
    leavers.delete(leave);
    if (leavers.size === 0) signal.removeEventListener('abort', leavers);
  }
}

interface Wait {
  readonly timers: Timers;
  readonly waitMs: number;
  /** The error of a wait that took too long; undefined: it is over then. */
  readonly late: () => Error | undefined;
}

/** Waits until the function is called that `begin` receives, or some time has passed. Rejects with the signal's reason. @param begin returns what forgets the wait */
export function waitFor(
  begin: (enter: () => void) => () => void,
  { timers, waitMs, late }: Wait,
  signal?: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const ending = (settle: () => void) => (): void => {
      forget();
      signal?.removeEventListener('abort', giveUp);
      stopTimer();
      settle();
    };
    const giveUp = ending(() => reject(signal!.reason as Error));
    const stopTimer = timers.after(
      waitMs,
      ending(() => {
        const error = late();
        if (error) reject(error);
        else resolve();
      }),
    );
    const forget = begin(ending(resolve));
    signal?.addEventListener('abort', giveUp, { once: true });
  });
}

/** Timers: injected, so that tests control time. */
export interface Timers {
  /** Call `callback` once after `delayMs`, unless the returned function is called before. */
  after(delayMs: number, callback: () => void): () => void;
  /** Milliseconds that never go backwards; the origin means nothing. */
  nowMs(): number;
}

/** The system's timers, which do not keep the process alive. */
export const systemTimers: Timers = {
  after(delayMs: number, callback: () => void): () => void {
    const timer = setTimeout(callback, delayMs);
    // In a page it is a number.
    if (typeof timer === 'object') timer.unref();
    return () => clearTimeout(timer);
  },
  nowMs(): number {
    return performance.now();
  },
};

/** At once, and for all calls within `restMs` after that once more. */
export function rarely(work: () => void, restMs: number, timers: Timers): () => void {
  let isResting = false;
  let isAsked = false;
  return function ask(): void {
    isAsked = true;
    if (isResting) return;
    [isResting, isAsked] = [true, false];
    work();
    timers.after(restMs, () => {
      isResting = false;
      if (isAsked) ask();
    });
  };
}

/** Resolves after a time, or when a signal is aborted. */
export function pause(ms: number, timers: Pick<Timers, 'after'>, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = timers.after(ms, end);
    if (signal?.aborted === true) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}

/** A function that computes its result at the first call. */
export function once<T>(make: () => T): () => T {
  let made: { readonly result: T } | undefined;
  return () => (made ??= { result: make() }).result;
}

/** Does something at intervals, until the result is called. */
export function repeat(intervalMs: number, timers: Pick<Timers, 'after'>, work: () => void): () => void {
  let stop = (): void => undefined;
  const next = (): void => {
    stop = timers.after(intervalMs, () => {
      work();
      next();
    });
  };
  next();
  return () => stop();
}

/** Whether some work ends in time. Throws what it throws until then. */
export async function endsWithin(
  limitMs: number,
  timers: Pick<Timers, 'after'>,
  work: Promise<unknown>,
): Promise<boolean> {
  const over = new AbortController();
  try {
    return await Promise.race([work.then(() => true), pause(limitMs, timers, over.signal).then(() => false)]);
  } finally {
    over.abort();
  }
}
