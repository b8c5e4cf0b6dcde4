import type { BinaryRule } from './rule.js';

/** Extra units cancel in a quotient if they are identical; anything else is impossible. */
export const extraUnitsQuotient: BinaryRule = {
  name: 'extra-units-quotient',
  section: 'Different extra units not allowed for both operands of / (PCP 7)',
  check({ operator, left, right }) {
    const [a, b] = [left.meta.units, right.meta.units];
    if (operator !== '/' || a.extraUnit === 0 || b.extraUnit === 0) return undefined;
    if (a.extraUnit === b.extraUnit && a.extraScale === b.extraScale) return undefined;
    return {
      code: 'extra-units',
      reason: 'Different extra units not allowed for both operands of /',
      explanation: 'Only identical extra units cancel in a quotient; rescale() one of the operands.',
    };
  },
};
