import { formatUnits, isConvertible } from '../../../pmapi/index.js';
import type { OperandRule } from './rule.js';

/** rescale() changes scales, not dimensions; it can do what pmConvScale(3) can. */
export const rescaleDimensions: OperandRule = {
  name: 'rescale-dimensions',
  section: 'Incompatible dimensions',
  check({ operator, operand, target }) {
    if (operator !== 'rescale' || !target || isConvertible(operand.meta.units, target)) return undefined;
    const [from, to] = [formatUnits(operand.meta.units) || 'no units', formatUnits(target) || 'no units'];
    return {
      code: 'incompatible-rescale',
      reason: 'Incompatible dimensions',
      explanation: `Values in ${from} cannot be converted to ${to}.`,
    };
  },
};
