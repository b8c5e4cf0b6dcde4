import { INDOM_NULL, INSTANCE_NULL, ValueSet } from '../../../pmapi/index.js';
import type { BoundConstant } from '../../semantics/bound-expression.js';
import type { Kernel } from './kernel.js';

/** A singular constant as a value set: made once, read by every evaluation of every context. */
export function constantSet({ meta, value }: BoundConstant): ValueSet {
  const set = new ValueSet();
  set.reset(set.pmid, meta.type);
  add(set, INSTANCE_NULL, value);
  return set;
}

/** A constant over an instance domain: the value for every instance that the domain has now. */
export function constantKernel({ meta, value }: BoundConstant): Kernel {
  return (out, _a, _b, _c, sample) => {
    const domain = meta.indom === INDOM_NULL ? undefined : sample.instances(meta.indom);
    if (domain) for (const { id } of domain.instances) add(out, id, value);
  };
}

function add(set: ValueSet, instance: number, value: number | bigint): void {
  if (typeof value === 'bigint') set.addInteger(instance, value);
  else set.addNumber(instance, value);
}
