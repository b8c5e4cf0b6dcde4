import { Semantics } from '../../../pmapi/index.js';
import { isArithmeticOperator } from './rule.js';
import type { BinaryRule } from './rule.js';

export const counters: BinaryRule = {
  name: 'counters',
  section: 'Illegal operator for counters',
  check({ operator, left, right }) {
    const both = left.meta.semantics === Semantics.COUNTER && right.meta.semantics === Semantics.COUNTER;
    if (!both || !isArithmeticOperator(operator) || operator === '+' || operator === '-') return undefined;
    return {
      code: 'counters',
      reason: 'Illegal operator for counters',
      explanation: `Both operands of ${operator} are counters, and counters can only be added and subtracted.`,
    };
  },
};

export const counterAndNonCounter: BinaryRule = {
  name: 'counter-and-non-counter',
  section: 'Illegal operator for counter and non-counter',
  check({ operator, left, right }) {
    if (left.meta.semantics !== Semantics.COUNTER || right.meta.semantics === Semantics.COUNTER) return undefined;
    if (!isArithmeticOperator(operator) || operator === '*' || operator === '/') return undefined;
    return {
      code: 'counter-and-non-counter',
      reason: 'Illegal operator for counter and non-counter',
      explanation: `The left operand of ${operator} is a counter and the right one is not: only * and / are possible.`,
    };
  },
};

export const nonCounterAndCounter: BinaryRule = {
  name: 'non-counter-and-counter',
  section: 'Illegal operator for non-counter and counter',
  check({ operator, left, right }) {
    if (left.meta.semantics === Semantics.COUNTER || right.meta.semantics !== Semantics.COUNTER) return undefined;
    if (!isArithmeticOperator(operator) || operator === '*') return undefined;
    return {
      code: 'non-counter-and-counter',
      reason: 'Illegal operator for non-counter and counter',
      explanation: `The right operand of ${operator} is a counter and the left one is not: only * is possible.`,
    };
  },
};
