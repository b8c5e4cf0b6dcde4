import { formatUnits } from '../../../pmapi/index.js';
import { isDimensionless } from '../result-units.js';
import { isBooleanOperator } from './rule.js';
import type { BinaryRule } from './rule.js';

/** Truth has no units: neither operand of && and || may have a dimension. */
export const dimensionlessBoolean: BinaryRule = {
  name: 'dimensionless-boolean',
  section: 'Dimensions are not the same (&& and ||)',
  check({ operator, left, right }) {
    if (!isBooleanOperator(operator)) return undefined;
    const culprit = [left, right].find(({ meta }) => !isDimensionless(meta.units));
    if (!culprit) return undefined;
    return {
      code: 'different-dimensions',
      reason: 'Dimensions are not the same',
      explanation: `An operand of ${operator} is in ${formatUnits(culprit.meta.units)}; compare it with something first.`,
    };
  },
};
