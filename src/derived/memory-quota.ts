import { GatewayError } from '../pmapi/index.js';

/** A byte budget for things that cannot be evicted: definitions, profiles, streams. A {@link part}'s use counts in the whole as well. */
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

  /** A quota within this one, to be closed by its owner. */
  part(what: string, limit: number): MemoryQuota {
    return new MemoryQuota(what, Math.min(limit, this.#limit), this);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Why there is no room for this many more bytes; undefined if there is. */
  explainFull(bytes: number): string | undefined {
    if (this.#bytes + bytes <= this.#limit) return this.#whole?.explainFull(bytes);
    return `${this.#what} take ${this.#bytes} bytes, and this one ${bytes} ${NO_ROOM} ${this.#limit}`;
  }

  /** @throws GatewayError MEMORY_FULL if there is no room for this many more bytes */
  require(bytes: number): void {
    const reason = this.explainFull(bytes);
    if (reason !== undefined) throw new GatewayError('MEMORY_FULL', reason);
  }

  take(bytes: number): void {
    this.#bytes += bytes;
    if (!this.#isClosed) this.#whole?.take(bytes);
  }

  give(bytes: number): void {
    this.take(-bytes);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#whole?.give(this.#bytes);
    this.#isClosed = true;
  }
}

/** The common part of the messages of MEMORY_FULL, which distinguishes problems of a file. */
export const NO_ROOM = 'more: limits.memoryBytes leaves them';
