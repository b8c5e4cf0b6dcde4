import { LRUCache } from 'lru-cache';

/** The memory of an entry besides its value: in its map, and in the order of all entries. */
const ENTRY_BYTES = 300;

export interface Kept {
  /** Removes the entry from its map and from the budget. */
  readonly drop: () => void;
}

/** A byte limit of many maps together: evicts the least recently used entry of any. Values in use stay valid. */
export class MemoryBudget {
  readonly #kept: LRUCache<Kept, number>;
  readonly #whole: MemoryBudget | undefined;

  /** @param whole a budget that includes this one, and may evict its entries */
  constructor(bytes: number, whole?: MemoryBudget) {
    this.#whole = whole;
    this.#kept = new LRUCache({
      maxSize: Math.floor(bytes),
      sizeCalculation: (size) => size,
      disposeAfter: (_size, kept, reason) => {
        if (reason === 'evict') kept.drop();
      },
    });
  }

  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  /** Adds an entry as the most recently used; one that exceeds the budget by itself is evicted at once. For maps. */
  note(kept: Kept, bytes: number): void {
    this.#kept.set(kept, Math.ceil(bytes) + ENTRY_BYTES);
    if (this.#kept.has(kept)) this.#whole?.note(kept, bytes);
    else kept.drop();
  }

  touch(kept: Kept): void {
    this.#kept.get(kept);
    this.#whole?.touch(kept);
  }

  forget(kept: Kept): void {
    this.#kept.delete(kept);
    this.#whole?.forget(kept);
  }
}

interface Entry<V> extends Kept {
  readonly value: V;
}

/** A map within a shared budget; its owner must clear it. */
export class BudgetedMap<K, V> {
  readonly budget: MemoryBudget;
  readonly #entries = new Map<K, Entry<V>>();
  readonly #most: number;
  #newest: Entry<V> | undefined;

  /** @param most the maximum number of entries, whatever their size */
  constructor(budget: MemoryBudget, most = Infinity) {
    this.budget = budget;
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.budget.touch(entry);
    if (entry !== this.#newest) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      this.#newest = entry;
    }
    return entry.value;
  }

  set(key: K, value: V, bytes: number): void {
    const known = this.#entries.get(key);
    if (known?.value === value) {
      this.budget.note(known, bytes);
      return;
    }
    this.delete(key);
    const entry: Entry<V> = { value, drop: () => this.delete(key) };
    this.#entries.set(key, entry);
    this.#newest = entry;
    this.budget.note(entry, bytes);
    if (this.#entries.size <= this.#most) return;
    const [oldest] = this.#entries.keys();
    this.delete(oldest!);
  }

  resize(key: K, value: V, bytes: number): void {
    if (this.#entries.get(key)?.value === value) this.set(key, value, bytes);
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.budget.forget(entry);
  }

  clear(): void {
    for (const key of [...this.#entries.keys()]) this.delete(key);
  }

  keys(): Iterable<K> {
    return this.#entries.keys();
  }

  *values(): Generator<V, void> {
    for (const { value } of this.#entries.values()) yield value;
  }
}
