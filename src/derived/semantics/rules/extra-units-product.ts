import type { BinaryRule } from './rule.js';

/** A temperature times a voltage is meaningless. */
export const extraUnitsProduct: BinaryRule = {
  name: 'extra-units-product',
  section: 'Extra units not allowed for both operands of * (PCP 7)',
  check({ operator, left, right }) {
    if (operator !== '*' || left.meta.units.extraUnit === 0 || right.meta.units.extraUnit === 0) return undefined;
    return {
      code: 'extra-units',
      reason: 'Extra units not allowed for both operands of *',
      explanation: 'Both operands are a temperature, voltage, current or power, but units can have only one of those.',
    };
  },
};
