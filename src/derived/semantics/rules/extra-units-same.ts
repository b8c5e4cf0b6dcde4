import type { BinaryRule } from './rule.js';

/** Temperatures, voltages, currents and powers are not converted implicitly: units and scales must be the same. */
export const extraUnitsSame: BinaryRule = {
  name: 'extra-units-same',
  section: 'Operands have incompatible extra units or scale (PCP 7)',
  check({ left, right }) {
    const [a, b] = [left.meta.units, right.meta.units];
    if (a.extraUnit === 0 || b.extraUnit === 0) return undefined;
    if (a.extraUnit === b.extraUnit && a.extraScale === b.extraScale) return undefined;
    return {
      code: 'extra-units',
      reason: 'Operands have incompatible extra units or scale',
      explanation: 'Extra units are not converted implicitly; rescale() one of the operands.',
    };
  },
};
