import { Semantics, formatUnits } from '../../../pmapi/index.js';
import { isDimensionless } from '../result-units.js';
import { isBooleanOperator } from './rule.js';
import type { BinaryRule } from './rule.js';

/** The other operand of a counter in a multiplication, division or comparison must be a plain number, unless it is a counter itself. */
export const dimensionlessNonCounter: BinaryRule = {
  name: 'dimensionless-non-counter',
  section: 'Non-counter and not dimensionless <left-or-right> operand',
  check({ operator, left, right }) {
    if (operator === '+' || operator === '-' || isBooleanOperator(operator)) return undefined;
    const leftIsCounter = left.meta.semantics === Semantics.COUNTER;
    if (leftIsCounter === (right.meta.semantics === Semantics.COUNTER)) return undefined;
    const side = leftIsCounter ? 'right' : 'left';
    const { units } = (leftIsCounter ? right : left).meta;
    if (isDimensionless(units)) return undefined;
    return {
      code: 'dimensional-non-counter',
      reason: `Non-counter and not dimensionless for ${side} operand`,
      explanation: `The other operand of ${operator} is a counter, so the ${side} one must have no units; it is in ${formatUnits(units)}.`,
    };
  },
};
