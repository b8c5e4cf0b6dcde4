const DAY_MS = 86_400_000;
/** What may be written at once: the allowance of so long. */
const SAVED_MS = 3_600_000;

/** Bytes that may be written in a day, spread over it: who writes faster has to leave out samples in between, not the evening. */
export class ByteAllowance {
  readonly #bytesPerDay: number;
  readonly #nowMs: () => number;
  #left: number;
  #atMs: number;

  /** @param nowMs a monotonic time */
  constructor(bytesPerDay: number, nowMs: () => number) {
    this.#bytesPerDay = bytesPerDay;
    this.#nowMs = nowMs;
    this.#left = this.#most;
    this.#atMs = nowMs();
  }

  get isOpen(): boolean {
    return this.#isAbove(0);
  }

  /** The same allowance for what has to leave half of the savings to others. */
  get forTheRest(): Pick<ByteAllowance, 'isOpen' | 'spend'> {
    const isOpen = (): boolean => this.#isAbove(this.#most / 2);
    return {
      get isOpen() {
        return isOpen();
      },
      spend: (bytes) => this.spend(bytes),
    };
  }

  #isAbove(bytes: number): boolean {
    const nowMs = this.#nowMs();
    this.#left = Math.min(this.#most, this.#left + (this.#bytesPerDay * (nowMs - this.#atMs)) / DAY_MS);
    this.#atMs = nowMs;
    return this.#left > bytes;
  }

  spend(bytes: number): void {
    this.#left -= bytes;
  }

  get #most(): number {
    return (this.#bytesPerDay * SAVED_MS) / DAY_MS;
  }
}
