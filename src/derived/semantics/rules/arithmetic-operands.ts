import { formatMetricType, isArithmeticType } from '../../../pmapi/index.js';
import type { BinaryRule } from './rule.js';

/** Operators take numbers: the left operand is looked at first. */
export const arithmeticOperands: BinaryRule = {
  name: 'arithmetic-operands',
  section: 'Non-arithmetic type for <left-or-right> operand',
  check({ operator, left, right }) {
    const side = !isArithmeticType(left.meta.type) ? 'left' : !isArithmeticType(right.meta.type) ? 'right' : undefined;
    if (side === undefined) return undefined;
    const { type } = (side === 'left' ? left : right).meta;
    return {
      code: 'non-arithmetic-operand',
      reason: `Non-arithmetic type for ${side} operand`,
      explanation: `The ${side} operand of ${operator} is of type ${formatMetricType(type)}, but a number is required.`,
    };
  },
};
