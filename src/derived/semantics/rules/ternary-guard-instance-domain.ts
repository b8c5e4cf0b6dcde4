import { INDOM_NULL, formatIndom } from '../../../pmapi/index.js';
import type { GuardRule } from './rule.js';

/**
 * Rules (b) and (f): a guard that is a set of values is over the instance domain of the arms.
 * Differs from PCP: the library does not look, and pairs by position.
 */
export const ternaryGuardInstanceDomain: GuardRule = {
  name: 'ternary-guard-instance-domain',
  section: 'ternary rules (b) and (f)',
  check({ guard, result }) {
    if (guard.indom === INDOM_NULL || result.indom === INDOM_NULL || guard.indom === result.indom) return undefined;
    return {
      code: 'ternary-instance-domains',
      reason: 'Different instance domains for ternary operands',
      explanation: `The guard has the instance domain ${formatIndom(guard.indom)}, the arms have ${formatIndom(result.indom)}.`,
    };
  },
};
