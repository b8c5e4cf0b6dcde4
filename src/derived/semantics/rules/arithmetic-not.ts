import { formatMetricType, isArithmeticType } from '../../../pmapi/index.js';
import type { OperandRule } from './rule.js';

/**
 * Only numbers are true or false.
 * Differs from PCP: there `!` takes any operand, and crashes on strings.
 */
export const arithmeticNot: OperandRule = {
  name: 'arithmetic-not',
  section: 'Non-arithmetic operand for boolean negation',
  check({ operator, operand }) {
    if (operator !== '!' || isArithmeticType(operand.meta.type)) return undefined;
    return {
      code: 'non-arithmetic-operand',
      reason: 'Non-arithmetic operand for boolean negation',
      explanation: `The operand of ! is of type ${formatMetricType(operand.meta.type)}, but a number is required.`,
    };
  },
};
