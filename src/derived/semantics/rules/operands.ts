import { formatIndom, formatMetricType, INDOM_NULL, isArithmeticType, Semantics } from '../../../pmapi/index.js';
import type { FunctionName } from '../../language/tokens.js';
import { signatureOf } from '../functions.js';
import type { Failure } from '../semantic-error.js';
import { isArithmeticOperator, rule, type BinaryRule, type OperandRule, type OperandView } from './rule.js';

const counters: BinaryRule = rule({
  name: 'counters',
  section: 'Illegal operator for counters',
  explain({ operator, left, right }) {
    const both = left.meta.semantics === Semantics.COUNTER && right.meta.semantics === Semantics.COUNTER;
    if (!both || !isArithmeticOperator(operator) || operator === '+' || operator === '-') return undefined;
    return `Both operands of ${operator} are counters, and counters can only be added and subtracted.`;
  },
});

const counterAndNonCounter: BinaryRule = rule({
  name: 'counter-and-non-counter',
  section: 'Illegal operator for counter and non-counter',
  explain({ operator, left, right }) {
    if (left.meta.semantics !== Semantics.COUNTER || right.meta.semantics === Semantics.COUNTER) return undefined;
    if (!isArithmeticOperator(operator) || operator === '*' || operator === '/') return undefined;
    return `The left operand of ${operator} is a counter and the right one is not: only * and / are possible.`;
  },
});

const nonCounterAndCounter: BinaryRule = rule({
  name: 'non-counter-and-counter',
  section: 'Illegal operator for non-counter and counter',
  explain({ operator, left, right }) {
    if (left.meta.semantics === Semantics.COUNTER || right.meta.semantics !== Semantics.COUNTER) return undefined;
    if (!isArithmeticOperator(operator) || operator === '*') return undefined;
    return `The right operand of ${operator} is a counter and the left one is not: only * is possible.`;
  },
});

export const counterRules: readonly BinaryRule[] = [counters, counterAndNonCounter, nonCounterAndCounter];

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
