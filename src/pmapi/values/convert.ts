import { MetricType } from '../metric-type.js';
import { PM_ERR, PmError } from '../pm-error.js';

/**
 * One value on its own: a number (32, U32, FLOAT, DOUBLE, and 64, U64 where exact), a bigint (64, U64), a text, or the
 * bytes of an aggregate.
 */
export type AtomValue = number | bigint | string | Uint8Array;

interface IntegerRange {
  readonly min: bigint;
  readonly max: bigint;
}

const RANGES: ReadonlyMap<MetricType, IntegerRange> = new Map<MetricType, IntegerRange>([
  [MetricType.I32, { min: -(2n ** 31n), max: 2n ** 31n - 1n }],
  [MetricType.U32, { min: 0n, max: 2n ** 32n - 1n }],
  [MetricType.I64, { min: -(2n ** 63n), max: 2n ** 63n - 1n }],
  [MetricType.U64, { min: 0n, max: 2n ** 64n - 1n }],
]);

/**
 * A value as another type: integers exactly, reals to integers by dropping the fraction, anything to FLOAT and DOUBLE by
 * rounding. 64 and U64 come out as bigint. STRING and AGGREGATE convert to themselves only, event arrays not at all.
 *
 * Differs from PCP: NaN, values below the smallest 64-bit integer, and 64-bit integers below the smallest 32-bit one are
 * PM_ERR_TRUNC (there, some pattern of bits), and a DOUBLE that is just the largest or smallest 32-bit integer converts.
 * @throws PmError PM_ERR_SIGN for a negative value as an unsigned one, PM_ERR_TRUNC for one out of range, PM_ERR_CONV for
 *   types that do not convert into one another
 * @see pmExtractValue(3)
 */
export function extractValue(value: AtomValue, from: MetricType, to: MetricType): AtomValue {
  if (typeof value === 'string') return sameType(value, from, to, MetricType.STRING);
  if (typeof value === 'object') return sameType(value, from, to, MetricType.AGGREGATE);
  if (from > MetricType.DOUBLE) throw new PmError(PM_ERR.CONV);
  if (to === MetricType.DOUBLE) return Number(value);
  if (to === MetricType.FLOAT) return toFloat(value);
  const range = RANGES.get(to);
  if (!range) throw new PmError(PM_ERR.CONV);
  if (value < 0 && range.min === 0n) throw new PmError(PM_ERR.SIGN);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new PmError(PM_ERR.TRUNC);
  const whole = typeof value === 'bigint' ? value : BigInt(Math.trunc(value));
  if (whole < range.min || whole > range.max) throw new PmError(PM_ERR.TRUNC);
  return to === MetricType.I64 || to === MetricType.U64 ? whole : Number(whole);
}

function sameType<T extends AtomValue>(value: T, from: MetricType, to: MetricType, only: MetricType): T {
  if (from !== only || to !== only) throw new PmError(PM_ERR.CONV);
  return value;
}

/** C rounds a 64-bit integer to a float in one step; going through a double would round twice. */
function toFloat(value: number | bigint): number {
  const viaDouble = Number(value);
  const rounded = Math.fround(viaDouble);
  if (typeof value === 'number' || BigInt(viaDouble) === value) return rounded;
  // The double was itself rounded: wrong only when it then sat exactly between two floats.
  const other = rounded > viaDouble ? nextFloat(rounded, -1) : nextFloat(rounded, 1);
  if (rounded === viaDouble || Math.abs(viaDouble - rounded) !== Math.abs(viaDouble - other)) return rounded;
  const [lower, upper] = rounded < other ? [rounded, other] : [other, rounded];
  return value > BigInt(viaDouble) ? upper : lower;
}

const FLOAT_VIEW = new DataView(new ArrayBuffer(4));

/** The neighbour of a float that is not 0, in the direction of `sign`. */
function nextFloat(value: number, sign: 1 | -1): number {
  FLOAT_VIEW.setFloat32(0, value);
  const awayFromZero = value > 0 === sign > 0;
  FLOAT_VIEW.setInt32(0, FLOAT_VIEW.getInt32(0) + (awayFromZero ? 1 : -1));
  return FLOAT_VIEW.getFloat32(0);
}
