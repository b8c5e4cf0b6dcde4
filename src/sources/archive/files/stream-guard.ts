/** So many bytes to look at, or to pass over. */
type Wanted = { readonly read: number } | { readonly skip: number };

/** Says what it wants of the data next, and is given the bytes that it wanted to read. Throws an Error for what is too much. */
export type Walk = Generator<Wanted, void, readonly number[]>;

/** Looks at compressed data on their way to a decoder that would allocate whatever they ask for. */
export class StreamGuard {
  readonly #walk: Walk;
  #wanted: Wanted | undefined;
  #left = 0;
  #bytes: number[] = [];

  constructor(walk: Walk) {
    this.#walk = walk;
    this.#advance(this.#walk.next());
  }

  /** Look at the next bytes. Throws what the walk throws. */
  check(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length && this.#wanted;) {
      const taken = Math.min(this.#left, chunk.length - at);
      if ('read' in this.#wanted) this.#bytes.push(...chunk.subarray(at, at + taken));
      at += taken;
      this.#left -= taken;
      if (this.#left === 0) this.#goOn();
    }
  }

  #goOn(): void {
    do {
      const bytes = this.#bytes;
      this.#bytes = [];
      this.#advance(this.#walk.next(bytes));
    } while (this.#wanted && this.#left === 0);
  }

  #advance(step: IteratorResult<Wanted, void>): void {
    this.#wanted = step.done === true ? undefined : step.value;
    this.#left = this.#wanted ? ('read' in this.#wanted ? this.#wanted.read : this.#wanted.skip) : 0;
  }
}

/** Little-endian. */
export function numberOf(bytes: readonly number[]): number {
  return bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);
}
