import { INDOM_NULL, formatIndom } from '../../../pmapi/index.js';
import { rule, type BinaryRule, type OperandRule } from './rule.js';

/** Sets of values are paired by instance: both must be over the same instance domain. */
export const sameInstanceDomain: BinaryRule = rule({
  name: 'same-instance-domain',
  code: 'different-instance-domains',
  section: 'Operands should have the same instance domain',
  explain({ left, right }) {
    const [a, b] = [left.meta.indom, right.meta.indom];
    if (a === INDOM_NULL || b === INDOM_NULL || a === b) return undefined;
    return `The operands have the instance domains ${formatIndom(a)} and ${formatIndom(b)}; aggregate or scalar() one.`;
  },
});

/** `[instance]` and matchinst() need instances. Differs from PCP: there they bind over singular metrics, against the manual. */
export const instanceDomainNeeded: OperandRule = rule({
  name: 'instance-domain-needed',
  code: 'no-instance-domain',
  section: 'must be associated with underlying metrics that have an instance domain',
  reason: 'Instance domain needed for operand',
  explain({ operator, operand }) {
    if ((operator !== '[]' && operator !== 'matchinst') || operand.meta.indom !== INDOM_NULL) return undefined;
    const what = operator === '[]' ? '[instance]' : 'matchinst()';
    return `${what} selects instances of its operand, but this one is singular.`;
  },
});
