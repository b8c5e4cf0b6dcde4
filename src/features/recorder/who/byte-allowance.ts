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

  /** @param yields leaves half of the savings to others */
  isOpen(yields = false): boolean {
    const nowMs = this.#nowMs();
    this.#left = Math.min(this.#most, this.#left + (this.#bytesPerDay * (nowMs - this.#atMs)) / DAY_MS);
    this.#atMs = nowMs;
    return this.#left > (yields ? this.#most / 2 : 0);
  }

  spend(bytes: number): void {
    this.#left -= bytes;
  }

  get #most(): number {
    return (this.#bytesPerDay * SAVED_MS) / DAY_MS;
  }
}
