import { unlessAborted } from '../kit/index.js';

/** Shared work, cancelled when all callers have left. Begins at once; after a cancellation, start another: {@link isGivenUp}. */
export class SharedWork<T> {
  /** Does not keep the work from being cancelled, in contrast to {@link join}. */
  readonly result: Promise<T>;
  readonly #stop = new AbortController();
  #waiting = 0;
  #isDone = false;

  /** @param work ends soon after its signal is aborted */
  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.result = work(this.#stop.signal);
    const end = (): void => {
      this.#isDone = true;
    };
    this.result.then(end, end);
  }

  /** All callers left before it was done. */
  get isGivenUp(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Waits for the result. Throws the signal's reason at once. */
  async join(signal?: AbortSignal): Promise<T> {
    this.#waiting++;
    try {
      // There has to be a last caller to leave, even if none of them stayed.
      signal?.throwIfAborted();
      this.#stop.signal.throwIfAborted();
      return await (signal ? unlessAborted(signal, this.result) : this.result);
    } finally {
      if (--this.#waiting === 0) this.giveUp(signal?.reason);
    }
  }

  /** Cancels the work unless it has finished; waiters reject with `reason`. */
  giveUp(reason: unknown): void {
    if (!this.#isDone) this.#stop.abort(reason);
  }
}

/** Shared work in progress, by key. */
export class SharedWorks<Key, T> {
  readonly #works = new Map<Key, SharedWork<T>>();

  get(key: Key): SharedWork<T> | undefined {
    return this.#works.get(key);
  }

  /** The result of the work of a key, which begins unless it is in progress. Throws the signal's reason at once. */
  join(key: Key, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const known = this.#works.get(key);
    if (known && !known.isGivenUp) return known.join(signal);
    const begun = new SharedWork(work);
    this.#works.set(key, begun);
    const forget = (): void => {
      if (this.#works.get(key) === begun) this.#works.delete(key);
    };
    begun.result.then(forget, forget);
    return begun.join(signal);
  }
}
