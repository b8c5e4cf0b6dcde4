import { MetricType } from '../identifiers.js';
import { PM_ERR, PmError } from '../pm-error.js';
import { findExtraUnit, type ExtraScale, type Units } from './units.js';

/** The largest scales that pmConvScale(3) accepts: Zbyte and Ybyte can be written, but not converted. */
const EBYTE = 6;
const HOUR = 5;
const TIME_NSEC = [1n, 1_000n, 1_000_000n, 1_000_000_000n, 60_000_000_000n, 3_600_000_000_000n];

/** A conversion between units of the same dimension: `multiplier / divisor`, then the step between scales of extra units. */
interface Conversion {
  readonly multiplier: bigint;
  readonly divisor: bigint;
  readonly extra: { readonly from: ExtraScale; readonly to: ExtraScale; readonly isDivisor: boolean } | undefined;
}

/** How numbers of one unit become numbers of another: `value * factor + offset`. The offset is 0 except for temperatures. */
export interface LinearScale {
  readonly factor: number;
  readonly offset: number;
}

/** The conversion of reals between units. Throws PM_ERR_CONV for other dimensions, PM_ERR_UNIT without one. @see pmConvScale(3) */
export function linearScale(from: Units, to: Units): LinearScale {
  const conversion = makeConversion(from, to);
  const factor = Number(conversion.multiplier) / Number(conversion.divisor);
  const { extra } = conversion;
  if (!extra) return { factor, offset: 0 };
  const at = (value: number): number => convertExtra(extra, value);
  const offset = extra.isDivisor ? 0 : at(0);
  const slope = extra.isDivisor || offset === 0 ? at(1) : slopeOf(extra.from, extra.to);
  return { factor: factor * slope, offset };
}

/** Whether values in one unit can be converted to another: the dimensions agree, and the scales have a conversion. */
export function isConvertible(from: Units, to: Units): boolean {
  try {
    makeConversion(from, to);
    return true;
  } catch (error) {
    if (error instanceof PmError) return false;
    throw error;
  }
}

/** A conversion as a fraction in lowest terms: `value * multiplier / divisor`. Both are positive. */
export interface ScaleRatio {
  readonly multiplier: bigint;
  readonly divisor: bigint;
}

/** The exact conversion for integers; undefined for an extra unit ({@link convertScale}). Throws as {@link linearScale}. */
export function scaleRatio(from: Units, to: Units): ScaleRatio | undefined {
  const { multiplier, divisor, extra } = makeConversion(from, to);
  return extra ? undefined : { multiplier, divisor };
}

/**
 * One value in another unit, in the arithmetic of its type:
 *
 * - 32, U32, 64, U64: the exact quotient with half a divisor added, truncated towards zero; 32 and 64 bits wrap. 64 and U64 give
 *   a bigint whatever they are given;
 * - FLOAT: single precision; DOUBLE: double precision.
 *
 * Differs from PCP: intermediate results do not overflow (there, 2^64-1 byte are 0 Kbyte and 1 Ebyte/sec is 0 byte/hour).
 * @throws PmError PM_ERR_CONV for units of other dimensions and non-numeric types, PM_ERR_UNIT for scales without conversion
 * @see pmConvScale(3)
 */
export function convertScale(type: MetricType, value: number | bigint, from: Units, to: Units): number | bigint {
  const conversion = makeConversion(from, to);
  const { multiplier, divisor, extra } = conversion;
  switch (type) {
    case MetricType.I32:
    case MetricType.U32:
    case MetricType.I64:
    case MetricType.U64: {
      const scaled = (BigInt(value) * multiplier + divisor / 2n) / divisor;
      return wrapInteger(type, extra ? BigInt(Math.round(convertExtra(extra, Number(scaled)))) : scaled);
    }
    case MetricType.FLOAT: {
      const factor = Math.fround(Math.fround(Number(multiplier)) / Math.fround(Number(divisor)));
      const scaled = Math.fround(Number(value) * factor);
      return extra ? Math.fround(convertExtra(extra, scaled)) : scaled;
    }
    case MetricType.DOUBLE: {
      const scaled = Number(value) * (Number(multiplier) / Number(divisor));
      return extra ? convertExtra(extra, scaled) : scaled;
    }
    default:
      throw new PmError(PM_ERR.CONV);
  }
}

function makeConversion(from: Units, to: Units): Conversion {
  const [countFrom, countTo] = [countDimension(from), countDimension(to)];
  if (
    from.dimSpace !== to.dimSpace ||
    from.dimTime !== to.dimTime ||
    countFrom !== countTo ||
    from.extraUnit !== to.extraUnit
  ) {
    throw new PmError(PM_ERR.CONV);
  }
  let multiplier = 1n;
  let divisor = 1n;
  const scaleBy = (numerator: bigint, denominator: bigint, dim: number): void => {
    const power = BigInt(Math.abs(dim));
    multiplier *= (dim > 0 ? numerator : denominator) ** power;
    divisor *= (dim > 0 ? denominator : numerator) ** power;
  };
  if (from.dimSpace !== 0) {
    if (Math.max(from.scaleSpace, to.scaleSpace) > EBYTE) throw new PmError(PM_ERR.UNIT);
    scaleBy(1024n ** BigInt(from.scaleSpace), 1024n ** BigInt(to.scaleSpace), from.dimSpace);
  }
  if (from.dimTime !== 0) {
    if (Math.max(from.scaleTime, to.scaleTime) > HOUR) throw new PmError(PM_ERR.UNIT);
    scaleBy(TIME_NSEC[from.scaleTime]!, TIME_NSEC[to.scaleTime]!, from.dimTime);
  }
  if (countFrom !== 0) {
    const step = from.scaleCount - to.scaleCount;
    scaleBy(step > 0 ? 10n ** BigInt(step) : 1n, step < 0 ? 10n ** BigInt(-step) : 1n, countFrom);
  }
  const common = greatestCommonDivisor(multiplier, divisor);
  return { multiplier: multiplier / common, divisor: divisor / common, extra: extraConversion(from, to) };
}

function extraConversion(from: Units, to: Units): Conversion['extra'] {
  if (from.extraUnit === 0 || from.extraScale === to.extraScale) return undefined;
  const scales = findExtraUnit(from.extraUnit)?.scales;
  const [scaleFrom, scaleTo] = [from, to].map((units) => scales?.find((scale) => scale.id === units.extraScale));
  if (!scaleFrom || !scaleTo) throw new PmError(PM_ERR.UNIT);
  return { from: scaleFrom, to: scaleTo, isDivisor: from.extraUnit < 0 };
}

function convertExtra({ from, to, isDivisor }: NonNullable<Conversion['extra']>, value: number): number {
  // Per degree: a difference of temperatures, which has no offset.
  if (isDivisor) return value / slopeOf(from, to);
  return ((value + from.offset) * from.numerator * to.denominator) / (from.denominator * to.numerator) - to.offset;
}

function slopeOf(from: ExtraScale, to: ExtraScale): number {
  return (from.numerator * to.denominator) / (from.denominator * to.numerator);
}

/** Dimensionless numbers count as counts. */
function countDimension(units: Units): number {
  const { dimSpace, dimTime, dimCount, extraUnit } = units;
  return dimSpace === 0 && dimTime === 0 && dimCount === 0 && extraUnit === 0 ? 1 : dimCount;
}

function wrapInteger(type: MetricType, value: bigint): number | bigint {
  if (type === MetricType.I32) return Number(BigInt.asIntN(32, value));
  if (type === MetricType.U32) return Number(BigInt.asUintN(32, value));
  return type === MetricType.I64 ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value);
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}
