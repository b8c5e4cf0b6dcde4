import { Semantics } from '../../../pmapi/index.js';
import { isArithmeticOperator } from './rule.js';
import type { BinaryRule } from './rule.js';

/** A non-counter can be multiplied with a counter, nothing else. */
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
