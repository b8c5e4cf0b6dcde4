import { FetchResult } from '../../pmapi/index.js';

/** Value sets in all results that are kept. One takes some 700 bytes, and more with many instances. */
const VALUE_SETS_KEPT = 16_384;

/** Results of fetches that are done, for later ones of whatever context: what their value sets have grown to is not made anew. */
export class ResultPool {
  readonly #idle: FetchResult[] = [];
  #valueSets = 0;

  /** A result to fetch into; what it holds is of another fetch. */
  take(): FetchResult {
    const result = this.#idle.pop();
    if (!result) return new FetchResult();
    this.#valueSets -= costOf(result);
    return result;
  }

  /** Keep a result that nobody reads or writes any more. */
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
