import { formatUnits } from '../../../pmapi/index.js';
import type { ArmsRule } from './rule.js';

/**
 * Rule (c): both arms have the same units, scales included: nothing is converted here.
 * PCP: scales are compared even where there is no dimension.
 */
export const ternaryUnits: ArmsRule = {
  name: 'ternary-units',
  section: 'Different <metadata> for ternary operands: units (dimension and scale)',
  check({ whenTrue, whenFalse }) {
    const [a, b] = [whenTrue.units, whenFalse.units];
    const axis =
      a.dimSpace !== b.dimSpace || a.scaleSpace !== b.scaleSpace
        ? 'space'
        : a.dimTime !== b.dimTime || a.scaleTime !== b.scaleTime
          ? 'time'
          : a.dimCount !== b.dimCount || a.scaleCount !== b.scaleCount
            ? 'count'
            : a.extraUnit !== b.extraUnit || a.extraScale !== b.extraScale
              ? 'extra'
              : undefined;
    if (axis === undefined) return undefined;
    return {
      code: 'ternary-units',
      reason: `Different units or scale (${axis}) for ternary operands`,
      explanation: `The arms are in ${formatUnits(a) || 'no units'} and ${formatUnits(b) || 'no units'}.`,
    };
  },
};
