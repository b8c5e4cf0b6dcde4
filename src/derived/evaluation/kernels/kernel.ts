import { INDOM_NULL, type InstanceDomain, type Timestamp, type ValueSet } from '../../../pmapi/index.js';
import type { BoundConstant } from '../../semantics/bound-expression.js';
import type { History } from '../history.js';

export interface Sample {
  readonly timestamp: Timestamp;
  /** An instance domain at that moment; undefined if unavailable. */
  instances(indom: number): InstanceDomain | undefined;
}

/** Computes one step: fills `out`, which has been reset to the step's type. Missing operands are empty sets. */
export type Kernel = (out: ValueSet, a: ValueSet, b: ValueSet, c: ValueSet, sample: Sample, history: History) => void;

/** A constant over an instance domain: the value for every instance that the domain has now. */
export function constantKernel({ meta, value }: BoundConstant): Kernel {
  const { indom } = meta;
  return (out, _a, _b, _c, sample) => {
    const domain = indom === INDOM_NULL ? undefined : sample.instances(indom);
    if (domain) for (const { id } of domain.instances) addConstant(out, id, value);
  };
}

/** Append a constant: a bigint for 64 and U64, else a number of the set's type. */
export function addConstant(set: ValueSet, instance: number, value: number | bigint): void {
  if (typeof value === 'bigint') set.addInteger(instance, value);
  else set.addNumber(instance, value);
}
