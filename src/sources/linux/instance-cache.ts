import type { InstanceTable } from './instance-table.js';

/** The highest instance number of PCP's caches. */
const INSTANCE_MAX = 0x7fffffff;
/** Absent names that are kept: a name that comes back before so many others keeps its number. */
const UNSEEN_KEPT = 10_000;

/** A name with its number, and when it was last present, in seconds since the epoch. */
export interface CachedInstance {
  readonly id: number;
  readonly name: string;
  readonly seenSec: number;
}

interface Binding {
  readonly id: number;
  readonly name: string;
  seenSec: number;
}

/** The options of a cache. */
export interface InstanceCacheOptions {
  /** The wall clock. */
  readonly nowSec: () => number;
  /** Called when a name got a number that should be saved. */
  readonly changed: (cache: InstanceCache) => void;
  /** The minimum number of absent names to keep. */
  readonly unseenKept?: number;
}

/**
 * The instance numbers of one instance domain: a new name gets the lowest number above all used ones, and keeps it when it
 * disappears and comes back. If names come and go forever (interfaces of containers, volumes), those absent longest are dropped;
 * numbers are reused only when there are no higher ones left.
 *
 * Differs from PCP: pmdaCachePurge(3) drops names by age, and the Linux agent never calls it.
 */
export class InstanceCache {
  readonly indom: number;
  readonly #options: InstanceCacheOptions;
  readonly #byName = new Map<string, Binding>();
  readonly #byNumber = new Map<number, Binding>();
  /** Absent names, those absent longest first. */
  readonly #unseen = new Set<Binding>();
  #present = new Set<Binding>();
  #next = 0;

  constructor(indom: number, options: InstanceCacheOptions) {
    this.indom = indom;
    this.#options = options;
  }

  /** The number of a name, assigned now if it has none. */
  numberOf(name: string): number {
    const known = this.#byName.get(name);
    if (known !== undefined) {
      if (this.#unseen.delete(known)) this.#present.add(known);
      return known.id;
    }
    while (this.#byNumber.has(this.#next)) this.#next = after(this.#next);
    const binding = this.#bind(this.#next, name, this.#options.nowSec());
    this.#present.add(binding);
    this.#options.changed(this);
    return binding.id;
  }

  /** The name that has a number, if any. */
  nameOf(number: number): string | undefined {
    return this.#byNumber.get(number)?.name;
  }

  /**
   * Sets the present instances; to be called whenever they have changed. Without calls, an instance domain is assumed to lose no
   * members.
   */
  present(table: InstanceTable): void {
    const present = new Set<Binding>();
    for (let row = 0; row < table.count; row++) {
      const binding = this.#byNumber.get(table.ids[row]!);
      if (binding) present.add(binding);
    }
    for (const binding of this.#present) {
      if (present.has(binding)) continue;
      binding.seenSec = this.#options.nowSec();
      this.#unseen.add(binding);
    }
    for (const binding of present) this.#unseen.delete(binding);
    this.#present = present;
    this.#forget();
  }

  /** Adopts a binding from a file. False, without effect, if the name has another number already or the number another name. */
  adopt({ id, name, seenSec }: CachedInstance): boolean {
    if (id < 0 || id > INSTANCE_MAX || !Number.isInteger(id)) return false;
    if (this.#byName.has(name) || this.#byNumber.has(id)) return this.#byName.get(name)?.id === id;
    this.#unseen.add(this.#bind(id, name, seenSec));
    return true;
  }

  /** All bindings, by number. */
  entries(): readonly CachedInstance[] {
    const nowSec = this.#options.nowSec();
    return [...this.#byNumber.values()]
      .map((binding) => ({ ...binding, seenSec: this.#present.has(binding) ? nowSec : binding.seenSec }))
      .sort((a, b) => a.id - b.id);
  }

  #bind(id: number, name: string, seenSec: number): Binding {
    const binding = { id, name, seenSec };
    this.#byName.set(name, binding);
    this.#byNumber.set(id, binding);
    if (id >= this.#next) this.#next = after(id);
    return binding;
  }

  #forget(): void {
    let excess = this.#unseen.size - Math.max(this.#options.unseenKept ?? UNSEEN_KEPT, this.#present.size);
    for (const binding of this.#unseen) {
      if (excess-- <= 0) return;
      this.#unseen.delete(binding);
      this.#byName.delete(binding.name);
      this.#byNumber.delete(binding.id);
    }
  }
}

function after(number: number): number {
  return number === INSTANCE_MAX ? 0 : number + 1;
}
