import { INDOM_NULL, formatIndom } from '../../../pmapi/index.js';
import type { ArmsRule } from './rule.js';

/** Rule (b): arms that are sets of values are over the same instance domain. */
export const ternaryInstanceDomains: ArmsRule = {
  name: 'ternary-instance-domains',
  section: 'Different <metadata> for ternary operands: instance domains',
  check({ whenTrue, whenFalse }) {
    const [a, b] = [whenTrue.indom, whenFalse.indom];
    if (a === INDOM_NULL || b === INDOM_NULL || a === b) return undefined;
    return {
      code: 'ternary-instance-domains',
      reason: 'Different instance domains for ternary operands',
      explanation: `The arms have the instance domains ${formatIndom(a)} and ${formatIndom(b)}.`,
    };
  },
};
