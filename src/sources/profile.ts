import { INDOM_NULL, PM_ERR, PmError } from '../pmapi/index.js';

/** The part of a profile for one instance domain: either all instances but `listed`, or only those. */
export interface IndomProfile {
  readonly indom: number;
  /** `include`: all except the listed ones; `exclude`: only the listed ones. */
  readonly state: 'include' | 'exclude';
  readonly listed: ReadonlySet<number>;
}

/** Bytes of a rule, and of each listed instance: measured on Node 20. */
const RULE_BYTES = 300;
const INSTANCE_BYTES = 40;

const NO_RULES: ReadonlyMap<number, IndomProfile> = new Map();

/** Instances that a context fetches; first all. As on the wire: a default, and per indom a state with exceptions. @see pmAddProfile(3) */
export class InstanceProfile {
  #defaultIncluded = true;
  /** Copied on write: copies share it. */
  #indoms = NO_RULES;
  #version = 0;

  /** Changes with every change: caches that depend on the profile compare it. */
  get version(): number {
    return this.#version;
  }

  get bytes(): number {
    let bytes = 0;
    for (const { listed } of this.#indoms.values()) bytes += RULE_BYTES + INSTANCE_BYTES * listed.size;
    return bytes;
  }

  static bytesOf(instances: number): number {
    return RULE_BYTES + INSTANCE_BYTES * instances;
  }

  get isAll(): boolean {
    return this.#defaultIncluded && this.#indoms.size === 0;
  }

  /** Whether instance domains that {@link indoms} does not list pass as a whole. */
  get defaultIncluded(): boolean {
    return this.#defaultIncluded;
  }

  get indoms(): readonly IndomProfile[] {
    return [...this.#indoms.values()];
  }

  /** Whether every instance of one instance domain passes; true for singular metrics. */
  includesAll(indom: number): boolean {
    if (indom === INDOM_NULL) return true;
    const rule = this.#indoms.get(indom);
    return rule ? rule.state === 'include' && rule.listed.size === 0 : this.#defaultIncluded;
  }

  /** The instances that pass, if they are listed; undefined if others than those listed pass. */
  only(indom: number): ReadonlySet<number> | undefined {
    const rule = this.#indoms.get(indom);
    return rule?.state === 'exclude' ? rule.listed : undefined;
  }

  includes(indom: number, instance: number): boolean {
    if (indom === INDOM_NULL) return true;
    const rule = this.#indoms.get(indom);
    if (!rule) return this.#defaultIncluded;
    return (rule.state === 'include') !== rule.listed.has(instance);
  }

  /**
   * Includes instances of an indom (all by default), or everything, dropping all rules. On an indom without a rule, listed instances narrow
   * it to those; later ones extend it. PCP: such an indom starts from nothing, for {@link delete} as well: deleting one instance of a fresh
   * profile leaves none; add the whole indom first. @see pmAddProfile(3)
   * @throws PmError PM_ERR_PROFILESPEC for instances without an indom
   */
  add(indom?: number, instances?: readonly number[]): void {
    this.#change(true, indom, instances);
  }

  /** Excludes instances; see {@link add}. @see pmDelProfile(3) */
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
