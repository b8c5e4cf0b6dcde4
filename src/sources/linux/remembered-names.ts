import { decodeName } from './proc-files.js';

/** Knows the names of rows from the pass before: while row `i` begins with the same bytes, no string is made and no name looked up. */
export class RememberedNames<T> {
  readonly #make: (name: string) => T;
  readonly #keys: Uint8Array[] = [];
  readonly #kept: T[] = [];
  #row = 0;
  #changed = false;
  #rowsBefore = -1;

  constructor(make: (name: string) => T) {
    this.#make = make;
  }

  begin(): void {
    this.#row = 0;
    this.#changed = false;
  }

  /** The cached value of the next row, whose name is the bytes from `start` to `end`. */
  next(bytes: Uint8Array, start: number, end: number): T {
    const row = this.#row++;
    if (row < this.#kept.length && sameBytes(this.#keys[row]!, bytes, start, end)) return this.#kept[row]!;
    this.#changed = true;
    const kept = this.#make(decodeName(bytes, start, end));
    this.#keys[row] = Uint8Array.from(bytes.subarray(start, end)); // a copy: slice() of a Buffer would be a view
    this.#kept[row] = kept;
    return kept;
  }

  /** Ends the pass; returns whether the rows' names differ from the previous pass. */
  finish(): boolean {
    const differs = this.#changed || this.#row !== this.#rowsBefore;
    this.#rowsBefore = this.#row;
    this.#keys.length = this.#row;
    this.#kept.length = this.#row;
    return differs;
  }

  /** Rebuilds everything in the next pass: cached values depend on something else that has changed. */
  forget(): void {
    this.#keys.length = 0;
    this.#kept.length = 0;
    this.#rowsBefore = -1;
  }
}

function sameBytes(key: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (key.length !== length) return false;
  for (let i = 0; i < length; i++) if (key[i] !== bytes[start + i]) return false;
  return true;
}
