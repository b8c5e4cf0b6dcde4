import type { InstanceDomain, Timestamp, ValueSet } from '../../../pmapi/index.js';
import type { History } from '../history.js';

/** What a kernel may ask for beside its operands: the sample's surroundings. */
export interface Sample {
  /** When the sample was taken. */
  readonly timestamp: Timestamp;
  /** An instance domain at that moment; undefined when it cannot be had. */
  instances(indom: number): InstanceDomain | undefined;
}

/**
 * Computes one step: fills `out`, which comes freshly reset to the step's type. Operands that a kernel's step does not have
 * are empty sets.
 */
export type Kernel = (out: ValueSet, a: ValueSet, b: ValueSet, c: ValueSet, sample: Sample, history: History) => void;
