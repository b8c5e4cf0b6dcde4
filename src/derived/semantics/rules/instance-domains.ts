import { INDOM_NULL, formatIndom } from '../../../pmapi/index.js';
import type { BinaryRule, OperandRule } from './rule.js';

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

/** `[instance]` and matchinst() need instances. Differs from PCP: there they bind over singular metrics, against the manual. */
export const instanceDomainNeeded: OperandRule = {
  name: 'instance-domain-needed',
  section: 'must be associated with underlying metrics that have an instance domain',
  check({ operator, operand }) {
    if ((operator !== '[]' && operator !== 'matchinst') || operand.meta.indom !== INDOM_NULL) return undefined;
    const what = operator === '[]' ? '[instance]' : 'matchinst()';
    return {
      code: 'no-instance-domain',
      reason: 'Instance domain needed for operand',
      explanation: `${what} selects instances of its operand, but this one is singular.`,
    };
  },
};
