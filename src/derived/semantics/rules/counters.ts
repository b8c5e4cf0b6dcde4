import { Semantics } from '../../../pmapi/index.js';
import { isArithmeticOperator, rule, type BinaryRule } from './rule.js';

export const counters: BinaryRule = rule({
  name: 'counters',
  section: 'Illegal operator for counters',
  explain({ operator, left, right }) {
    const both = left.meta.semantics === Semantics.COUNTER && right.meta.semantics === Semantics.COUNTER;
    if (!both || !isArithmeticOperator(operator) || operator === '+' || operator === '-') return undefined;
    return `Both operands of ${operator} are counters, and counters can only be added and subtracted.`;
  },
});

export const counterAndNonCounter: BinaryRule = rule({
  name: 'counter-and-non-counter',
  section: 'Illegal operator for counter and non-counter',
  explain({ operator, left, right }) {
    if (left.meta.semantics !== Semantics.COUNTER || right.meta.semantics === Semantics.COUNTER) return undefined;
    if (!isArithmeticOperator(operator) || operator === '*' || operator === '/') return undefined;
    return `The left operand of ${operator} is a counter and the right one is not: only * and / are possible.`;
  },
});

export const nonCounterAndCounter: BinaryRule = rule({
  name: 'non-counter-and-counter',
  section: 'Illegal operator for non-counter and counter',
  explain({ operator, left, right }) {
    if (left.meta.semantics === Semantics.COUNTER || right.meta.semantics !== Semantics.COUNTER) return undefined;
    if (!isArithmeticOperator(operator) || operator === '*') return undefined;
    return `The right operand of ${operator} is a counter and the left one is not: only * is possible.`;
  },
});
