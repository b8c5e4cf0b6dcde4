import { formatUnits } from '../../../pmapi/index.js';
import { areNumberAndCount, sameDimensions } from '../result-units.js';
import type { BinaryRule } from './rule.js';

/** Only like can be added to like; but a plain number and a count go together. */
export const sameDimensionsSum: BinaryRule = {
  name: 'same-dimensions-sum',
  section: 'Dimensions are not the same (addition, subtraction)',
  check({ operator, left, right }) {
    if (operator !== '+' && operator !== '-') return undefined;
    const [a, b] = [left.meta.units, right.meta.units];
    if (sameDimensions(a, b) || areNumberAndCount(a, b)) return undefined;
    return {
      code: 'different-dimensions',
      reason: 'Dimensions are not the same',
      explanation: `The operands of ${operator} are in ${formatUnits(a) || 'no units'} and ${formatUnits(b) || 'no units'}.`,
    };
  },
};
