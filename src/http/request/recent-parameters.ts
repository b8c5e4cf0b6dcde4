import type { Parameters } from './validate.js';

/** A list in a longer URL would take too much memory. */
const LONGEST_URL = 256;
const MOST_URLS = 16;

/**
 * A cache of the parameters of recent URLs of an operation: pollers send the same URL again and again, and parsing it takes a
 * tenth of the time of a small fetch. The values are frozen, since requests share them.
 */
export class RecentParameters {
  readonly #byUrl = new Map<string, Parameters>();

  /** The parameters of a URL, from the cache or from `read`. Throws what `read` throws. */
  of(url: string, read: () => Parameters): Parameters {
    const known = this.#byUrl.get(url);
    if (known) return known;
    const parameters = read();
    if (url.length > LONGEST_URL) return parameters;
    if (this.#byUrl.size >= MOST_URLS) this.#byUrl.clear();
    for (const values of [parameters.query, parameters.path]) {
      Object.freeze(values);
      for (const value of Object.values(values)) if (Array.isArray(value)) Object.freeze(value);
    }
    this.#byUrl.set(url, parameters);
    return parameters;
  }
}
