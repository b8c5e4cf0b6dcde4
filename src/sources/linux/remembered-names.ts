import { decodeName } from './byte-scanner.js';

/**
 * What the rows of a file are called, remembered from pass to pass: as long as row `i` begins with the same bytes as
 * before, no string is made and nothing is looked up. `make` turns a name that is new at its row into what the caller
 * wants to keep of it (an instance number, a kind of device).
 */
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

  /** Begin a pass at the first row. */
  begin(): void {
    this.#row = 0;
    this.#changed = false;
  }

  /** What is kept of the next row, whose name is the bytes from `start` to `end`. */
  next(bytes: Uint8Array, start: number, end: number): T {
    const row = this.#row++;
    if (row < this.#kept.length && sameBytes(this.#keys[row]!, bytes, start, end)) return this.#kept[row]!;
    this.#changed = true;
    const kept = this.#make(decodeName(bytes, start, end));
    this.#keys[row] = Uint8Array.from(bytes.subarray(start, end)); // a copy: slice() of a Buffer would be a view
    this.#kept[row] = kept;
    return kept;
  }

  /** End the pass: whether the rows' names differ from the pass before. */
  finish(): boolean {
    const differs = this.#changed || this.#row !== this.#rowsBefore;
    this.#rowsBefore = this.#row;
    this.#keys.length = this.#row;
    this.#kept.length = this.#row;
    return differs;
  }

  /** Make everything anew in the next pass: what is kept depends on something else that changed. */
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
