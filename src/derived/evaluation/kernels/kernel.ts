import type { InstanceDomain, Timestamp, ValueSet } from '../../../pmapi/index.js';
import type { History } from '../history.js';

/** What a kernel may need besides its operands: the sample's environment. */
export interface Sample {
  /** When the sample was taken. */
  readonly timestamp: Timestamp;
  /** An instance domain at that moment; undefined if unavailable. */
  instances(indom: number): InstanceDomain | undefined;
}

/** Computes one step: fills `out`, which has been reset to the step's type. Missing operands are empty sets. */
export type Kernel = (out: ValueSet, a: ValueSet, b: ValueSet, c: ValueSet, sample: Sample, history: History) => void;
