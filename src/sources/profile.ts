import { INDOM_NULL, PM_ERR, PmError } from '../pmapi/index.js';

/** The part of a profile for one instance domain: either all instances but `listed`, or only those. */
export interface IndomProfile {
  readonly indom: number;
  /** `include`: all except the listed ones; `exclude`: only the listed ones. */
  readonly state: 'include' | 'exclude';
  readonly listed: ReadonlySet<number>;
}

/** What a rule takes, and each instance that it lists: measured on Node 20. */
const RULE_BYTES = 300;
const INSTANCE_BYTES = 40;

const NO_RULES: ReadonlyMap<number, IndomProfile> = new Map();

/**
 * Which instances a context's fetches see. A fresh profile sees everything. @see pmAddProfile(3), pmDelProfile(3)
 *
 * The wire form is the same model: one default state, and per instance domain a state with a list of exceptions.
 */
export class InstanceProfile {
  #defaultIncluded = true;
  /** Replaced by every change, so that copies can share it. */
  #indoms = NO_RULES;
  #version = 0;

  /** Changes with every change: caches that depend on the profile compare it. */
  get version(): number {
    return this.#version;
  }

  /** Memory that the rules take, about; a copy that has not changed shares them. */
  get bytes(): number {
    let bytes = 0;
    for (const { listed } of this.#indoms.values()) bytes += RULE_BYTES + INSTANCE_BYTES * listed.size;
    return bytes;
  }

  /** Memory that naming so many instances of an instance domain may add, at most. */
  static bytesOf(instances: number): number {
    return RULE_BYTES + INSTANCE_BYTES * instances;
  }

  /** Whether every instance of every instance domain passes. */
  get isAll(): boolean {
    return this.#defaultIncluded && this.#indoms.size === 0;
  }

  /** Whether instance domains that {@link indoms} does not list pass as a whole. */
  get defaultIncluded(): boolean {
    return this.#defaultIncluded;
  }

  /** The instance domains with a rule of their own, in order of first mention. */
  get indoms(): readonly IndomProfile[] {
    return [...this.#indoms.values()];
  }

  /** Whether every instance of one instance domain passes; true for singular metrics. */
  includesAll(indom: number): boolean {
    if (indom === INDOM_NULL) return true;
    const rule = this.#indoms.get(indom);
    return rule ? rule.state === 'include' && rule.listed.size === 0 : this.#defaultIncluded;
  }

  /** Whether one instance passes. */
  includes(indom: number, instance: number): boolean {
    if (indom === INDOM_NULL) return true;
    const rule = this.#indoms.get(indom);
    if (!rule) return this.#defaultIncluded;
    return (rule.state === 'include') !== rule.listed.has(instance);
  }

  /**
   * Let instances through. No indom: everything, and every earlier rule is forgotten. No instances: the whole indom. Listed
   * instances of an indom without a rule narrow it to just those; later ones extend it.
   *
   * PCP: an indom without a rule starts from nothing, whatever the default is, for {@link delete} as well: deleting one
   * instance of a fresh profile leaves none of its indom. Delete after adding the whole indom to leave the others.
   * @throws PmError PM_ERR_PROFILESPEC for instances without an indom
   * @see pmAddProfile(3)
   */
  add(indom?: number, instances?: readonly number[]): void {
    this.#change(true, indom, instances);
  }

  /** Keep instances out; see {@link add}. @see pmDelProfile(3) */
  delete(indom?: number, instances?: readonly number[]): void {
    this.#change(false, indom, instances);
  }

  /** An independent copy, for pmDupContext(3). */
  clone(): InstanceProfile {
    const copy = new InstanceProfile();
    copy.#defaultIncluded = this.#defaultIncluded;
    copy.#indoms = this.#indoms;
    return copy;
  }

  #change(adding: boolean, indom?: number, instances?: readonly number[]): void {
    const isListed = instances !== undefined && instances.length > 0;
    if (indom === undefined || indom === INDOM_NULL) {
      if (isListed) throw new PmError(PM_ERR.PROFILESPEC);
      this.#version++;
      this.#indoms = NO_RULES;
      this.#defaultIncluded = adding;
      return;
    }
    this.#version++;
    if (!isListed) {
      this.#setRule({ indom, state: adding ? 'include' : 'exclude', listed: new Set() });
      return;
    }
    const rule = this.#indoms.get(indom) ?? { indom, state: 'exclude' as const, listed: new Set<number>() };
    const growing = adding ? 'exclude' : 'include'; // the state in which the change adds to the list of exceptions
    const listed = new Set(rule.listed);
    for (const instance of instances) {
      if (rule.state === growing) listed.add(instance);
      else listed.delete(instance);
    }
    this.#setRule({ ...rule, listed });
  }

  #setRule(rule: IndomProfile): void {
    this.#indoms = new Map(this.#indoms).set(rule.indom, rule);
  }
}
