import { Semantics, formatUnits, isConvertible, type Units } from '../../../pmapi/index.js';
import { areNumberAndCount, isDimensionless, sameDimensions } from '../result-metadata.js';
import type { Failure } from '../semantic-error.js';
import { isArithmeticOperator, isBooleanOperator, rule } from './rule.js';
import type { BinaryRule, OperandRule, OperandView } from './rule.js';

/** Only like can be added to like; but a plain number and a count go together. */
const sameDimensionsSum: BinaryRule = {
  name: 'same-dimensions-sum',
  section: 'Dimensions are not the same (addition, subtraction)',
  check({ operator, left, right }) {
    if (operator !== '+' && operator !== '-') return undefined;
    const [a, b] = [left.meta.units, right.meta.units];
    if (sameDimensions(a, b) || areNumberAndCount(a, b)) return undefined;
    return differentDimensions(operator, a, b);
  },
};

/** Comparisons need equal dimensions, or a dimensionless constant. Differs from PCP, which exempts U32 operands but no FP constants. */
const sameDimensionsRelation: BinaryRule = {
  name: 'same-dimensions-relation',
  section: 'Dimensions are not the same (relational operators)',
  check({ operator, left, right }) {
    if (isArithmeticOperator(operator) || isBooleanOperator(operator)) return undefined;
    const [a, b] = [left.meta.units, right.meta.units];
    if (sameDimensions(a, b) || areNumberAndCount(a, b) || isPlainNumber(left) || isPlainNumber(right))
      return undefined;
    return differentDimensions(operator, a, b);
  },
};

function differentDimensions(operator: string, left: Units, right: Units): Failure {
  return {
    code: 'different-dimensions',
    reason: 'Dimensions are not the same',
    explanation: `The operands of ${operator} are in ${unitsText(left)} and ${unitsText(right)}.`,
  };
}

function unitsText(units: Units): string {
  return formatUnits(units) || 'no units';
}

function isPlainNumber({ isConstant, meta }: OperandView): boolean {
  return isConstant && isDimensionless(meta.units);
}

const dimensionlessBoolean: BinaryRule = rule({
  name: 'dimensionless-boolean',
  code: 'different-dimensions',
  section: 'Dimensions are not the same (&& and ||)',
  reason: 'Dimensions are not the same',
  explain({ operator, left, right }) {
    if (!isBooleanOperator(operator)) return undefined;
    const culprit = [left, right].find(({ meta }) => !isDimensionless(meta.units));
    if (!culprit) return undefined;
    return `An operand of ${operator} is in ${formatUnits(culprit.meta.units)}; compare it with something first.`;
  },
});

/** The other operand of a counter in a multiplication, division or comparison must be a plain number, unless it is a counter itself. */
const dimensionlessNonCounter: BinaryRule = {
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

const extraUnitsProduct: BinaryRule = rule({
  name: 'extra-units-product',
  code: 'extra-units',
  section: 'Extra units not allowed for both operands of * (PCP 7)',
  reason: 'Extra units not allowed for both operands of *',
  explain({ operator, left, right }) {
    if (operator !== '*' || left.meta.units.extraUnit === 0 || right.meta.units.extraUnit === 0) return undefined;
    return 'Both operands are a temperature, voltage, current or power, but units can have only one of those.';
  },
});

const extraUnitsQuotient: BinaryRule = rule({
  name: 'extra-units-quotient',
  code: 'extra-units',
  section: 'Different extra units not allowed for both operands of / (PCP 7)',
  reason: 'Different extra units not allowed for both operands of /',
  explain({ operator, left, right }) {
    const [a, b] = [left.meta.units, right.meta.units];
    if (operator !== '/' || a.extraUnit === 0 || b.extraUnit === 0) return undefined;
    if (a.extraUnit === b.extraUnit && a.extraScale === b.extraScale) return undefined;
    return 'Only identical extra units cancel in a quotient; rescale() one of the operands.';
  },
});

/** Temperatures, voltages, currents and powers are not converted implicitly: units and scales must be the same. */
const extraUnitsSame: BinaryRule = rule({
  name: 'extra-units-same',
  code: 'extra-units',
  section: 'Operands have incompatible extra units or scale (PCP 7)',
  reason: 'Operands have incompatible extra units or scale',
  explain({ left, right }) {
    const [a, b] = [left.meta.units, right.meta.units];
    if (a.extraUnit === 0 || b.extraUnit === 0) return undefined;
    if (a.extraUnit === b.extraUnit && a.extraScale === b.extraScale) return undefined;
    return 'Extra units are not converted implicitly; rescale() one of the operands.';
  },
});

/** rate() takes one power of time away: from nothing (then it is "per second") or from a time (a utilisation). */
export const rateTimeDimension: OperandRule = rule({
  name: 'rate-time-dimension',
  section: 'Incorrect time dimension for operand',
  explain({ operator, operand }) {
    const { dimTime } = operand.meta.units;
    if (operator !== 'rate' || dimTime === 0 || dimTime === 1) return undefined;
    return `rate() needs an operand whose units have no time, or time to the power of 1; this one is in ${formatUnits(operand.meta.units)}.`;
  },
});

/** rescale() changes scales, not dimensions; it can do what pmConvScale(3) can. */
export const rescaleDimensions: OperandRule = rule({
  name: 'rescale-dimensions',
  code: 'incompatible-rescale',
  section: 'Incompatible dimensions',
  explain({ operator, operand, target }) {
    if (operator !== 'rescale' || !target || isConvertible(operand.meta.units, target)) return undefined;
    return `Values in ${unitsText(operand.meta.units)} cannot be converted to ${unitsText(target)}.`;
  },
});

/** Of binary operators, in the order in which they are checked. */
export const unitRules: readonly BinaryRule[] = [
  sameDimensionsSum,
  sameDimensionsRelation,
  dimensionlessBoolean,
  dimensionlessNonCounter,
  extraUnitsProduct,
  extraUnitsQuotient,
  extraUnitsSame,
];
