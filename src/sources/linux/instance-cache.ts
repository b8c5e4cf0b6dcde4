import type { InstanceTable } from './instance-table.js';

/** Highest instance number that PCP's caches give out. */
const INSTANCE_MAX = 0x7fffffff;
/** Names that are kept although they are not there: what comes back within so many others has its number still. */
const UNSEEN_KEPT = 10_000;

/** A name with its number, and when it was last there, in seconds since the epoch. */
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

/** What a cache is made with. */
export interface InstanceCacheOptions {
  /** The wall clock. */
  readonly nowSec: () => number;
  /** Called when a name got a number that is worth keeping. */
  readonly changed: (cache: InstanceCache) => void;
  /** How many names that are not there are kept at least. */
  readonly unseenKept?: number;
}

/**
 * The numbers of one instance domain's instances: the lowest number above all used ones for a name seen for the first time, and the
 * same number whenever that name is there again. Where names come and go for ever (interfaces of containers, volumes), those that
 * were unseen longest are forgotten; numbers are given out anew only once there are no higher ones left.
 *
 * Differs from PCP: pmdaCachePurge(3) forgets by age, and the Linux agent never asks for it.
 */
export class InstanceCache {
  readonly indom: number;
  readonly #options: InstanceCacheOptions;
  readonly #byName = new Map<string, Binding>();
  readonly #byNumber = new Map<number, Binding>();
  /** Names that are not there, those that were seen longest ago first. */
  readonly #unseen = new Set<Binding>();
  #present = new Set<Binding>();
  #next = 0;

  constructor(indom: number, options: InstanceCacheOptions) {
    this.indom = indom;
    this.#options = options;
  }

  /** The number of a name, given out now if it has none. */
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
   * Say which instances there are now; to be called whenever that has changed. An instance domain that nobody tells of is taken
   * to lose no members.
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

  /**
   * Take over a binding from a file. It is left out, false, when the name has another number already or the number another
   * name.
   */
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
