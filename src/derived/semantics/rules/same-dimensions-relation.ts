import { formatUnits } from '../../../pmapi/index.js';
import { areNumberAndCount, isDimensionless, sameDimensions } from '../result-units.js';
import { isArithmeticOperator, isBooleanOperator } from './rule.js';
import type { BinaryRule, OperandView } from './rule.js';

/**
 * Only like can be compared with like; but a dimensionless numeric constant can be compared with anything. Differs from PCP:
 * there every U32 operand is exempt, and a floating-point constant is not.
 */
export const sameDimensionsRelation: BinaryRule = {
  name: 'same-dimensions-relation',
  section: 'Dimensions are not the same (relational operators)',
  check({ operator, left, right }) {
    if (isArithmeticOperator(operator) || isBooleanOperator(operator)) return undefined;
    const [a, b] = [left.meta.units, right.meta.units];
    if (sameDimensions(a, b) || areNumberAndCount(a, b) || isPlainNumber(left) || isPlainNumber(right))
      return undefined;
    return {
      code: 'different-dimensions',
      reason: 'Dimensions are not the same',
      explanation: `The operands of ${operator} are in ${formatUnits(a) || 'no units'} and ${formatUnits(b) || 'no units'}.`,
    };
  },
};

function isPlainNumber({ isConstant, meta }: OperandView): boolean {
  return isConstant && isDimensionless(meta.units);
}
