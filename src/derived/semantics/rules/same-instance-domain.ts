import { INDOM_NULL, formatIndom } from '../../../pmapi/index.js';
import type { BinaryRule } from './rule.js';

/** Sets of values are paired by instance: both must be over the same instance domain. */
export const sameInstanceDomain: BinaryRule = {
  name: 'same-instance-domain',
  section: 'Operands should have the same instance domain',
  check({ left, right }) {
    const [a, b] = [left.meta.indom, right.meta.indom];
    if (a === INDOM_NULL || b === INDOM_NULL || a === b) return undefined;
    return {
      code: 'different-instance-domains',
      reason: 'Operands should have the same instance domain',
      explanation: `The operands have the instance domains ${formatIndom(a)} and ${formatIndom(b)}; aggregate or scalar() one.`,
    };
  },
};
