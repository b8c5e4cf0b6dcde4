import { FetchResult } from '../../pmapi/index.js';

/** Value sets in all pooled results. One takes some 700 bytes, and more with many instances. */
const VALUE_SETS_KEPT = 16_384;

/** Pooled results of finished fetches, for later ones of any context: their grown value sets are reused. */
export class ResultPool {
  readonly #idle: FetchResult[] = [];
  #valueSets = 0;

  /** A result to fetch into; its content is that of another fetch. */
  take(): FetchResult {
    const result = this.#idle.pop();
    if (!result) return new FetchResult();
    this.#valueSets -= costOf(result);
    return result;
  }

  /** Returns an unused result to the pool. */
  give(result: FetchResult): void {
    if (this.#valueSets + costOf(result) > VALUE_SETS_KEPT) return;
    this.#valueSets += costOf(result);
    this.#idle.push(result);
  }
}

/** One without value sets counts, too. */
function costOf({ sets }: FetchResult): number {
  return sets.length + 1;
}
