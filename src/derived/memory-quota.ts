import { GatewayError } from '../pmapi/index.js';

/**
 * How many bytes something may take that cannot be dropped to make room: definitions, instance profiles, streams. What a {@link part} takes
 * counts in the whole as well. The bytes of a definition include the program that it becomes on a source: see `definitionBytes`.
 */
export class MemoryQuota {
  readonly #what: string;
  readonly #limit: number;
  readonly #whole: MemoryQuota | undefined;
  #bytes = 0;
  #isClosed = false;

  /** @param what what takes the memory, in the plural, for the message of the error */
  constructor(what: string, limit: number, whole?: MemoryQuota) {
    this.#what = what;
    this.#limit = limit;
    this.#whole = whole;
  }

  /** A quota within this one, to be closed when its owner goes. */
  part(what: string, limit: number): MemoryQuota {
    return new MemoryQuota(what, Math.min(limit, this.#limit), this);
  }

  /** What is taken. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Why there is no room for so many bytes more; undefined when there is. */
  explainFull(bytes: number): string | undefined {
    if (this.#bytes + bytes <= this.#limit) return this.#whole?.explainFull(bytes);
    return `${this.#what} take ${this.#bytes} bytes, and this one ${bytes} ${NO_ROOM} ${this.#limit}`;
  }

  /** @throws GatewayError MEMORY_FULL when there is no room for so many bytes more */
  require(bytes: number): void {
    const reason = this.explainFull(bytes);
    if (reason !== undefined) throw new GatewayError('MEMORY_FULL', reason);
  }

  /** Count bytes that are taken, {@link require} having been asked. */
  take(bytes: number): void {
    this.#bytes += bytes;
    if (!this.#isClosed) this.#whole?.take(bytes);
  }

  /** Count bytes that are free again. */
  give(bytes: number): void {
    this.take(-bytes);
  }

  /** Give everything back: the owner is gone, and what it still takes goes with it. */
  close(): void {
    if (this.#isClosed) return;
    this.#whole?.give(this.#bytes);
    this.#isClosed = true;
  }
}

/** What every message of MEMORY_FULL says, by which problems of a file are told apart. */
export const NO_ROOM = 'more: limits.memoryBytes leaves them';
