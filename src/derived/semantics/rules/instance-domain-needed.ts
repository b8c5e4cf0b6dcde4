import { INDOM_NULL } from '../../../pmapi/index.js';
import type { OperandRule } from './rule.js';

/**
 * `[instance]` and matchinst() select instances, so there must be some. Differs from PCP: there they bind over singular metrics
 * and give no values, against the manual.
 */
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
