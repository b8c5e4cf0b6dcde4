import { formatMetricType, isArithmeticType } from '../../../pmapi/index.js';
import type { FunctionName } from '../../language/tokens.js';
import { signatureOf } from '../functions.js';
import type { Failure } from '../semantic-error.js';
import type { BinaryRule, OperandRule, OperandView } from './rule.js';

export const arithmeticOperands: BinaryRule = {
  name: 'arithmetic-operands',
  section: 'Non-arithmetic type for <left-or-right> operand',
  check: ({ operator, left, right }) =>
    unlessNumber(left, 'Non-arithmetic type for left operand', `left operand of ${operator}`) ??
    unlessNumber(right, 'Non-arithmetic type for right operand', `right operand of ${operator}`),
};

/** avg, max, min, sum, delta, rate and rescale take numbers. */
export const arithmeticArgument: OperandRule = {
  name: 'arithmetic-argument',
  section: 'Non-arithmetic operand for function',
  check({ operator, operand }) {
    const isFunction = operator !== '-' && operator !== '!' && operator !== '[]';
    if (!isFunction || !signatureOf(operator as FunctionName).arithmeticOnly) return undefined;
    return unlessNumber(operand, 'Non-arithmetic operand for function', `operand of ${operator}()`);
  },
};

/** Only numbers have a sign. */
export const arithmeticNegation: OperandRule = {
  name: 'arithmetic-negation',
  section: 'Non-arithmetic operand for unary negation',
  check: ({ operator, operand }) =>
    operator === '-'
      ? unlessNumber(operand, 'Non-arithmetic operand for unary negation', 'operand of unary -')
      : undefined,
};

/** Only numbers are true or false. Differs from PCP: there `!` takes any operand, and crashes on strings. */
export const arithmeticNot: OperandRule = {
  name: 'arithmetic-not',
  section: 'Non-arithmetic operand for boolean negation',
  check: ({ operator, operand }) =>
    operator === '!' ? unlessNumber(operand, 'Non-arithmetic operand for boolean negation', 'operand of !') : undefined,
};

function unlessNumber({ meta: { type } }: OperandView, reason: string, which: string): Failure | undefined {
  if (isArithmeticType(type)) return undefined;
  return {
    code: 'non-arithmetic-operand',
    reason,
    explanation: `The ${which} is of type ${formatMetricType(type)}, but a number is required.`,
  };
}
