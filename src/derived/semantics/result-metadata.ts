import { MetricType, Semantics, makeUnits, type Units } from '../../pmapi/index.js';
import type { BinaryOperator } from '../language/ast.js';
import type { ArithmeticOperator, ScaleFactor } from './bound-expression.js';

/** First hit wins: the table of pmRegisterDerived(3), "EXPRESSION EVALUATION". */
const PROMOTION: readonly MetricType[] = [
  MetricType.DOUBLE,
  MetricType.FLOAT,
  MetricType.U64,
  MetricType.I64,
  MetricType.U32,
  MetricType.I32,
];

/** The type that two operands of arithmetic type are brought to. Unsigned wins over signed of the same width, as in C. */
export function promote(left: MetricType, right: MetricType): MetricType {
  return PROMOTION.find((type) => type === left || type === right) ?? MetricType.DOUBLE;
}

/** The type a binary operator computes in: division and scaled operands always take DOUBLE. */
export function computeType(
  operator: BinaryOperator,
  left: MetricType,
  right: MetricType,
  isScaled: boolean,
): MetricType {
  return operator === '/' || isScaled ? MetricType.DOUBLE : promote(left, right);
}

/** Unary minus makes integers signed: `-x` of U32 is 32, of U64 is 64. */
export function negatedType(type: MetricType): MetricType {
  if (type === MetricType.U32) return MetricType.I32;
  return type === MetricType.U64 ? MetricType.I64 : type;
}

/** The type of delta(): unsigned operands are widened, U32 to 64 and U64 to DOUBLE. */
export function deltaType(type: MetricType): MetricType {
  if (type === MetricType.U32) return MetricType.I64;
  return type === MetricType.U64 ? MetricType.DOUBLE : type;
}

/**
 * Semantics of `+ - * /` for operands that passed the counter rules. `rightLeads` says that the left operand is a literal or
 * mkconst(), so that the right one decides.
 *
 * PCP: a counter times a plain number is a counter, and so is a plain number literal times a counter; but a metric that is no
 * counter times a counter has the semantics of the left one.
 */
export function arithmeticSemantics(left: Semantics, right: Semantics, rightLeads: boolean): Semantics {
  if (left !== Semantics.COUNTER && right !== Semantics.COUNTER) return comparisonSemantics(left, right);
  return rightLeads ? right : left;
}

/** Semantics of relational and boolean results: never a counter; discrete when both operands are. */
export function comparisonSemantics(left: Semantics, right: Semantics): Semantics {
  return left === Semantics.DISCRETE && right === Semantics.DISCRETE ? Semantics.DISCRETE : Semantics.INSTANT;
}

const BASES = ['Count', 'Time', 'Space'] as const;
type Base = (typeof BASES)[number];

/** Seconds of the time scales as exact quotients: nanosec … hour. */
const NANOSECONDS = [1, 1e3, 1e6, 1e9, 6e10, 3.6e12];

/** The units both operands are brought to, and how each of them gets there. */
interface CommonScales {
  readonly left: Units;
  readonly right: Units;
  readonly leftScale?: ScaleFactor;
  readonly rightScale?: ScaleFactor;
}

/**
 * Bring two operands to common scales: for each of count, time and space that both have, the larger scale wins and the
 * other operand is converted, once for each power of its dimension.
 * Differs from PCP: there a conversion is applied once whatever the power, its factor is a 32-bit integer that overflows
 * (Tbyte + byte), and when the left operand has the smaller time scale the sign is taken from the right one's dimension.
 * @see pmRegisterDerived(3), "SEMANTIC CHECKS AND RULES"
 */
export function toCommonScales(left: Units, right: Units): CommonScales {
  const scaled = { left: { ...left }, right: { ...right } };
  const factor = { left: { divide: 1, multiply: 1 }, right: { divide: 1, multiply: 1 } };
  for (const base of BASES) {
    const dim: `dim${Base}` = `dim${base}`;
    const scale: `scale${Base}` = `scale${base}`;
    if (left[dim] === 0 || right[dim] === 0 || left[scale] === right[scale]) continue;
    const larger = Math.max(left[scale], right[scale]);
    const side = left[scale] < larger ? 'left' : 'right';
    const ratio = scaleRatio(base, larger, scaled[side][scale]);
    const power = scaled[side][dim];
    if (power > 0) factor[side].divide *= ratio ** power;
    else factor[side].multiply *= ratio ** -power;
    scaled[side] = { ...scaled[side], [scale]: larger };
  }
  const isScaled = ({ divide, multiply }: ScaleFactor): boolean => divide !== 1 || multiply !== 1;
  return {
    ...scaled,
    ...(isScaled(factor.left) && { leftScale: factor.left }),
    ...(isScaled(factor.right) && { rightScale: factor.right }),
  };
}

/** How many of the smaller unit are one of the larger. */
function scaleRatio(base: Base, larger: number, smaller: number): number {
  if (base === 'Space') return 1024 ** (larger - smaller);
  if (base === 'Count') return 10 ** (larger - smaller);
  return (NANOSECONDS[larger] ?? 1) / (NANOSECONDS[smaller] ?? 1);
}

/**
 * Units of `+ - * /` over operands on common scales. Multiplication adds dimensions, division subtracts them; a dimension
 * that cancels has scale 0. A sum has the units of whichever operand has a dimension (a plain number may be added to counts).
 * PCP: dimensions are signed 4-bit numbers and wrap, so byte^7 * byte^7 is byte^-2.
 */
export function arithmeticUnits(operator: ArithmeticOperator, left: Units, right: Units): Units {
  if (operator === '+' || operator === '-') return left.dimCount === 0 && right.dimCount !== 0 ? right : left;
  const sign = operator === '*' ? 1 : -1;
  const parts: Partial<Record<keyof Units, number>> = {};
  for (const base of BASES) {
    const [a, b] = [left[`dim${base}`], right[`dim${base}`]];
    const dim = ((a + sign * b) << 28) >> 28;
    parts[`dim${base}`] = dim;
    parts[`scale${base}`] = dim === 0 ? 0 : a === 0 ? right[`scale${base}`] : left[`scale${base}`];
  }
  return makeUnits({ ...parts, ...extraOf(left, right, sign) });
}

/** The extra unit of a product or quotient; identical ones cancel in a quotient. */
function extraOf(left: Units, right: Units, sign: number): Pick<Units, 'extraUnit' | 'extraScale'> {
  if (left.extraUnit === 0) return { extraUnit: sign * right.extraUnit || 0, extraScale: right.extraScale };
  if (right.extraUnit === 0) return { extraUnit: left.extraUnit, extraScale: left.extraScale };
  return { extraUnit: 0, extraScale: 0 };
}

/** Whether there is no dimension in space, time, count or the extra unit, whatever the scales. */
export function isDimensionless(units: Units): boolean {
  return units.dimSpace === 0 && units.dimTime === 0 && units.dimCount === 0 && units.extraUnit === 0;
}

/** Whether two units have the same powers of space, time, count and the same extra unit. */
export function sameDimensions(a: Units, b: Units): boolean {
  return (
    a.dimSpace === b.dimSpace && a.dimTime === b.dimTime && a.dimCount === b.dimCount && a.extraUnit === b.extraUnit
  );
}

/** Whether one is without dimension and the other is exactly count^1: numbers and counts may be mixed. */
export function areNumberAndCount(a: Units, b: Units): boolean {
  const isCount = (units: Units): boolean =>
    units.dimSpace === 0 && units.dimTime === 0 && units.dimCount === 1 && units.extraUnit === 0;
  return (isDimensionless(a) && isCount(b)) || (isDimensionless(b) && isCount(a));
}
