import { LRUCache } from 'lru-cache';

/** What an entry takes beside its value: in the map that has it, and in the order of all. */
const ENTRY_BYTES = 300;

/** An entry of some map. */
export interface Kept {
  /** Take the entry out of its map, and have its budget forget it. */
  readonly drop: () => void;
}

/**
 * Bounds what many maps keep together, in bytes: what was not used for longest goes first, whichever map has it. What is in use goes on
 * without its place here, and is made again when it is asked for next.
 */
export class MemoryBudget {
  readonly #kept: LRUCache<Kept, number>;
  readonly #whole: MemoryBudget | undefined;

  /** @param whole what is kept here counts there, too, and may be dropped to make room for others */
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

  /** What all entries take now. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  /** Count an entry, which is the one used last then; one that is too large by itself is dropped at once. For maps. */
  note(kept: Kept, bytes: number): void {
    this.#kept.set(kept, Math.ceil(bytes) + ENTRY_BYTES);
    if (this.#kept.has(kept)) this.#whole?.note(kept, bytes);
    else kept.drop();
  }

  /** An entry was used. For maps. */
  touch(kept: Kept): void {
    this.#kept.get(kept);
    this.#whole?.touch(kept);
  }

  /** An entry is gone. For maps. */
  forget(kept: Kept): void {
    this.#kept.delete(kept);
    this.#whole?.forget(kept);
  }
}

interface Entry<V> extends Kept {
  readonly value: V;
}

/** A map that keeps its entries as long as they fit into a budget with those of all other maps. Its owner clears it when it goes. */
export class BudgetedMap<K, V> {
  readonly #budget: MemoryBudget;
  /** In the order of their use. */
  readonly #entries = new Map<K, Entry<V>>();
  readonly #most: number;

  /** @param most entries are kept, whatever they take */
  constructor(budget: MemoryBudget, most = Infinity) {
    this.#budget = budget;
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#budget.touch(entry);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Keep a value of so many bytes, in the place of what was there. */
  set(key: K, value: V, bytes: number): void {
    const known = this.#entries.get(key);
    if (known?.value === value) {
      this.#budget.note(known, bytes);
      return;
    }
    this.delete(key);
    const entry: Entry<V> = { value, drop: () => this.delete(key) };
    this.#entries.set(key, entry);
    this.#budget.note(entry, bytes);
    if (this.#entries.size <= this.#most) return;
    const [oldest] = this.#entries.keys();
    this.delete(oldest!);
  }

  /** Tell that a value takes so many bytes by now, if it is still the one that is kept. */
  resize(key: K, value: V, bytes: number): void {
    if (this.#entries.get(key)?.value === value) this.set(key, value, bytes);
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#budget.forget(entry);
  }

  clear(): void {
    for (const key of [...this.#entries.keys()]) this.delete(key);
  }

  keys(): Iterable<K> {
    return this.#entries.keys();
  }

  /** The values, without their having been used. */
  *values(): Generator<V, void> {
    for (const { value } of this.#entries.values()) yield value;
  }
}
