import { formatMetricType, isArithmeticType } from '../../../pmapi/index.js';
import type { GuardRule } from './rule.js';

/** Rule (d): the guard is a number, which is true or false. */
export const ternaryGuardType: GuardRule = {
  name: 'ternary-guard-type',
  section: 'Non-arithmetic operand for ternary guard',
  check({ guard }) {
    if (isArithmeticType(guard.type)) return undefined;
    return {
      code: 'ternary-guard-type',
      reason: 'Non-arithmetic operand for ternary guard',
      explanation: `The guard is of type ${formatMetricType(guard.type)}, but a number is required.`,
    };
  },
};
