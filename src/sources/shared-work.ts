/**
 * Work shared by several callers that is cancelled when all of them have left. It begins at once; callers after a cancellation
 * must start another: see {@link isGivenUp}.
 */
export class SharedWork<T> {
  readonly #result: Promise<T>;
  readonly #stop = new AbortController();
  #waiting = 0;
  #isDone = false;

  /** @param work ends soon after its signal is aborted */
  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.#result = work(this.#stop.signal);
    const end = (): void => {
      this.#isDone = true;
    };
    this.#result.then(end, end);
  }

  /** Whether all who waited have left before it was done. */
  get isGivenUp(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Whether it has ended, even with an error. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Its result, for observers that do not wait for it: they do not keep it from being cancelled. */
  get result(): Promise<T> {
    return this.#result;
  }

  /** How many wait for it. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Wait for what comes of it. @param signal aborted when the caller leaves: throws its reason then, at once */
  async join(signal?: AbortSignal): Promise<T> {
    this.#waiting++;
    let leave = (): void => undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => {
        reject(signal?.reason as Error);
      };
    });
    signal?.addEventListener('abort', leave, { once: true });
    try {
      // There has to be a last caller to leave, even if none of them stayed.
      signal?.throwIfAborted();
      this.#stop.signal.throwIfAborted();
      return await (signal ? Promise.race([this.#result, left]) : this.#result);
    } finally {
      signal?.removeEventListener('abort', leave);
      if (--this.#waiting === 0) this.giveUp(signal?.reason);
    }
  }

  /** Give it up, unless it is done. Who waits for it hears what it throws then. */
  giveUp(reason: unknown): void {
    if (!this.#isDone) this.#stop.abort(reason);
  }
}
