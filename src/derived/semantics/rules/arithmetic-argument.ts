import { formatMetricType, isArithmeticType } from '../../../pmapi/index.js';
import type { FunctionName } from '../../language/tokens.js';
import { signatureOf } from '../functions.js';
import type { OperandRule } from './rule.js';

/** avg, max, min, sum, delta, rate and rescale take numbers. */
export const arithmeticArgument: OperandRule = {
  name: 'arithmetic-argument',
  section: 'Non-arithmetic operand for function',
  check({ operator, operand }) {
    if (
      operator === '-' ||
      operator === '!' ||
      operator === '[]' ||
      !signatureOf(operator as FunctionName).arithmeticOnly
    )
      return undefined;
    if (isArithmeticType(operand.meta.type)) return undefined;
    return {
      code: 'non-arithmetic-operand',
      reason: 'Non-arithmetic operand for function',
      explanation: `The operand of ${operator}() is of type ${formatMetricType(operand.meta.type)}, but a number is required.`,
    };
  },
};
