import { formatMetricType, isArithmeticType } from '../../../pmapi/index.js';
import type { OperandRule } from './rule.js';

/** Only numbers have a sign. */
export const arithmeticNegation: OperandRule = {
  name: 'arithmetic-negation',
  section: 'Non-arithmetic operand for unary negation',
  check({ operator, operand }) {
    if (operator !== '-' || isArithmeticType(operand.meta.type)) return undefined;
    return {
      code: 'non-arithmetic-operand',
      reason: 'Non-arithmetic operand for unary negation',
      explanation: `The operand of unary - is of type ${formatMetricType(operand.meta.type)}, but a number is required.`,
    };
  },
};
