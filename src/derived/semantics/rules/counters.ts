import { Semantics } from '../../../pmapi/index.js';
import { isArithmeticOperator } from './rule.js';
import type { BinaryRule } from './rule.js';

/** Counters can be added and subtracted; their products and quotients mean nothing. */
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
