import { Semantics } from '../../../pmapi/index.js';
import { isArithmeticOperator } from './rule.js';
import type { BinaryRule } from './rule.js';

/** A counter can be multiplied with or divided by a non-counter, nothing else. */
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
