import type { Instance } from '../../pmapi/index.js';

/** Highest instance number that PCP's caches give out. */
const INSTANCE_MAX = 0x7fffffff;

/**
 * The numbers of one instance domain's instances: the lowest number above all used ones for a name seen for the first time,
 * and the same number for that name ever after. A number is never given to another name.
 */
export class InstanceCache {
  readonly indom: number;
  readonly #byName = new Map<string, number>();
  readonly #byNumber = new Map<number, string>();
  readonly #changed: (cache: InstanceCache) => void;
  #next = 0;

  /** `changed` is called when a name got a number that is worth keeping. */
  constructor(indom: number, changed: (cache: InstanceCache) => void) {
    this.indom = indom;
    this.#changed = changed;
  }

  /** The number of a name, given out now if it has none. */
  numberOf(name: string): number {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const number = this.#next;
    this.#bind(number, name);
    this.#changed(this);
    return number;
  }

  /** The name that has a number, if any. */
  nameOf(number: number): string | undefined {
    return this.#byNumber.get(number);
  }

  /**
   * Take over a binding from a file. It is left out, false, when the name has another number already or the number another
   * name.
   */
  adopt(number: number, name: string): boolean {
    if (number < 0 || number > INSTANCE_MAX || !Number.isInteger(number)) return false;
    if (this.#byName.has(name) || this.#byNumber.has(number)) return this.#byName.get(name) === number;
    this.#bind(number, name);
    return true;
  }

  /** All bindings, by number. */
  entries(): readonly Instance[] {
    return [...this.#byNumber].map(([id, name]) => ({ id, name })).sort((a, b) => a.id - b.id);
  }

  #bind(number: number, name: string): void {
    this.#byName.set(name, number);
    this.#byNumber.set(number, name);
    if (number >= this.#next) this.#next = number + 1;
  }
}
