const INITIAL_LENGTH = 16;

/** Prometheus' stale marker: the NaN with these bits. It ends a series that would otherwise continue for minutes. */
const STALE_BITS = 0x7ff0_0000_0000_0002n;

/** The numbers of one series over time. */
export class NumberColumn {
  length = 0;
  #times = new Float64Array(INITIAL_LENGTH);
  #numbers = new Float64Array(INITIAL_LENGTH);
  #isSorted = true;
  /** Whether the next number is the first of another archive. */
  #isNewArchive = false;

  get times(): Float64Array {
    return this.#times.subarray(0, this.length);
  }

  /** The numbers; stale markers are NaNs, which differ from others in their bits. */
  get numbers(): Float64Array {
    return this.#numbers.subarray(0, this.length);
  }

  /** Another archive follows: nothing is known of the time between. */
  beginArchive(): void {
    this.#isNewArchive = this.length > 0;
  }

  /** Add a number; of two at the same time the later one counts. */
  push(atMs: number, number: number): void {
    this.#endLastArchive(atMs);
    // Before the array is taken: it may grow.
    const at = this.#placeAt(atMs);
    this.#numbers[at] = number;
  }

  /** Nothing is known from a moment on until the next number. */
  end(atMs: number): void {
    this.#endLastArchive(atMs);
    if (this.length === 0 || Number.isNaN(this.#numbers[this.length - 1])) return;
    const at = this.#placeAt(atMs === this.#times[this.length - 1] ? atMs + 1 : atMs);
    new BigUint64Array(this.#numbers.buffer)[at] = STALE_BITS;
  }

  /** Sort by time what archives that overlap have given; of two numbers at the same time that of the later archive counts. */
  sort(): void {
    if (this.#isSorted) return;
    const places = Array.from({ length: this.length }, (_, i) => i);
    const times = this.#times;
    places.sort((a, b) => times[a]! - times[b]! || a - b);
    const kept = places.filter((place, i) => times[places[i + 1] ?? -1] !== times[place]);
    const bits = new BigUint64Array(this.#numbers.buffer);
    this.#times = Float64Array.from(kept, (place) => times[place]!);
    this.#numbers = new Float64Array(BigUint64Array.from(kept, (place) => bits[place]!).buffer);
    this.length = kept.length;
    this.#isSorted = true;
  }

  #endLastArchive(atMs: number): void {
    if (!this.#isNewArchive) return;
    this.#isNewArchive = false;
    const lastMs = this.#times[this.length - 1]!;
    if (lastMs + 1 < atMs) this.end(lastMs + 1);
  }

  #placeAt(atMs: number): number {
    const last = this.length - 1;
    if (last >= 0 && this.#times[last] === atMs) return last;
    if (last >= 0 && this.#times[last]! > atMs) this.#isSorted = false;
    if (this.length === this.#times.length) {
      this.#times = grown(this.#times);
      this.#numbers = grown(this.#numbers);
    }
    this.#times[this.length] = atMs;
    return this.length++;
  }
}

function grown(array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(array.length * 2);
  // By its bits: a NaN keeps its own.
  new BigUint64Array(larger.buffer).set(new BigUint64Array(array.buffer, 0, array.length));
  return larger;
}
