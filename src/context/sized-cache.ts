import { BudgetedMap, MemoryBudget } from './memory-budget.js';

/**
 * A cache of loaded values with a maximum size in bytes; the least recently used one is evicted. Concurrent requests for the same
 * key share one load, and failed loads are not cached.
 */
export class SizedCache<K extends string | number, V extends object> {
  readonly #loading = new Map<K, Promise<V>>();
  readonly #budget: MemoryBudget;
  readonly #kept: BudgetedMap<K, V>;
  readonly #bytesOf: (value: V) => number;

  /**
   * @param bytesOf the size of a value; one larger than `maxBytes` is not cached
   * @param whole a budget of many caches together
   */
  constructor(maxBytes: number, bytesOf: (value: V) => number, whole?: MemoryBudget) {
    this.#budget = new MemoryBudget(maxBytes, whole);
    this.#kept = new BudgetedMap(this.#budget);
    this.#bytesOf = bytesOf;
  }

  /** The size of all cached values, in bytes. */
  get bytes(): number {
    return this.#budget.bytes;
  }

  /** The value of a key, from the cache or from `load`. */
  async get(key: K, load: () => Promise<V>): Promise<V> {
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const underWay = this.#loading.get(key);
    if (underWay) return underWay;
    const loading = load();
    this.#loading.set(key, loading);
    try {
      const value = await loading;
      if (this.#loading.get(key) === loading) this.#kept.set(key, value, this.#bytesOf(value));
      return value;
    } finally {
      if (this.#loading.get(key) === loading) this.#loading.delete(key);
    }
  }

  /** Clears the cache, including values that are being loaded. */
  clear(): void {
    this.#loading.clear();
    this.#kept.clear();
  }
}
