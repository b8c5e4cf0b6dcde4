import { BudgetedMap, MemoryBudget } from './memory-budget.js';

/**
 * Keeps what was loaded, up to so many bytes together; whatever was not asked for longest goes first. Those who ask for the same thing at
 * once share one loading, and one that fails is not kept.
 */
export class SizedCache<K extends string | number, V extends object> {
  readonly #loading = new Map<K, Promise<V>>();
  readonly #budget: MemoryBudget;
  readonly #kept: BudgetedMap<K, V>;
  readonly #bytesOf: (value: V) => number;

  /**
   * @param bytesOf what a value takes; what takes more than `maxBytes` by itself is not kept
   * @param whole what many caches have to fit into together
   */
  constructor(maxBytes: number, bytesOf: (value: V) => number, whole?: MemoryBudget) {
    this.#budget = new MemoryBudget(maxBytes, whole);
    this.#kept = new BudgetedMap(this.#budget);
    this.#bytesOf = bytesOf;
  }

  /** What all that is kept takes, in bytes. */
  get bytes(): number {
    return this.#budget.bytes;
  }

  /** What is kept under a key, or what `load` brings. */
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

  /** Forget everything, also what is being loaded. */
  clear(): void {
    this.#loading.clear();
    this.#kept.clear();
  }
}
