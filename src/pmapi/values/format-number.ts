import { MetricType } from '../metric-type.js';
import type { Column } from './column.js';

/** How a form of output writes the numbers that are none: JSON has no infinity, OpenMetrics has. */
export interface NonFiniteText {
  readonly nan: string;
  readonly positive: string;
  readonly negative: string;
}

/** JSON: `null` for everything that is not finite. */
export const JSON_NON_FINITE: NonFiniteText = { nan: 'null', positive: 'null', negative: 'null' };
/** OpenMetrics: `NaN`, `+Inf`, `-Inf`. */
export const OPEN_METRICS_NON_FINITE: NonFiniteText = { nan: 'NaN', positive: '+Inf', negative: '-Inf' };
/** As C's printf writes them. */
export const C_NON_FINITE: NonFiniteText = { nan: 'nan', positive: 'inf', negative: '-inf' };

const SMALLEST_NORMAL_FLOAT = 2 ** -126;
/** Below this, every integer is a float and its digits are the shortest text. */
const FLOAT_INTEGERS = 2 ** 24;

/** A double in the fewest digits that read back as the same double. */
export function formatDouble(value: number, nonFinite: NonFiniteText): string {
  return Number.isFinite(value) ? String(value) : nonFiniteText(value, nonFinite);
}

/** A float (a number that Math.fround leaves alone) in the fewest digits that read back as the same float. */
export function formatFloat(value: number, nonFinite: NonFiniteText): string {
  if (!Number.isFinite(value)) return nonFiniteText(value, nonFinite);
  const size = Math.abs(value);
  if (size < FLOAT_INTEGERS && Number.isInteger(value)) return String(value);
  // Six digits survive the way through a float and back, unless it is subnormal; nine always tell it apart.
  for (let digits = size < SMALLEST_NORMAL_FLOAT ? 1 : 6; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return String(shorter);
  }
  return String(Number(value.toPrecision(9)));
}

/**
 * The text of value `i` of a column of numbers: integers with every digit, FLOAT and DOUBLE in the fewest digits that read
 * back as the same value of their type.
 */
export function formatColumnNumber(column: Column, i: number, nonFinite: NonFiniteText): string {
  switch (column.type) {
    case MetricType.FLOAT:
      return formatFloat(column.numbers[i]!, nonFinite);
    case MetricType.DOUBLE:
      return formatDouble(column.numbers[i]!, nonFinite);
    default:
      return column.wide ? String(column.integerAt(i)) : String(column.numbers[i]!);
  }
}

/**
 * C's `%.<precision>g`: at most so many digits, no trailing zeros, an exponent below 1e-4 and from 10^precision on.
 * @see printf(3)
 */
export function formatG(value: number, precision: number): string {
  if (!Number.isFinite(value)) return nonFiniteText(value, C_NON_FINITE);
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa, exponentText] = roundToDigits(value, precision).split('e');
  const exponent = Number(exponentText);
  const stripped = (text: string): string => (text.includes('.') ? text.replace(/\.?0*$/, '') : text);
  if (exponent < -4 || exponent >= precision) {
    const digits = String(Math.abs(exponent)).padStart(2, '0');
    return `${stripped(mantissa!)}e${exponent < 0 ? '-' : '+'}${digits}`;
  }
  const negative = mantissa!.startsWith('-');
  const digits = mantissa!.replace(/[-.]/g, '');
  const text =
    exponent < 0
      ? `0.${'0'.repeat(-exponent - 1)}${digits}`
      : `${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
  return `${negative ? '-' : ''}${stripped(text)}`;
}

/**
 * A number as pmval(1) and pminfo(1) print it: integers in full, FLOAT as `%.8g`, DOUBLE as `%.16g`.
 * @see pmPrintValue(3)
 */
export function formatPrintedNumber(value: number | bigint, type: MetricType): string {
  if (typeof value === 'bigint') return String(value);
  if (type === MetricType.FLOAT) return formatG(value, 8);
  return type === MetricType.DOUBLE ? formatG(value, 16) : String(value);
}

/** The largest value of each suffix, in units of the suffix: positive numbers have room for one digit more. */
const POSITIVE_LIMIT = 999.995;
const NEGATIVE_LIMIT = 99.995;
const SUFFIXES = [' ', 'K', 'M', 'G', 'T'];

/** A number in exactly seven characters: two decimals and a blank, K, M, G or T (powers of 1000). @see pmNumberStr(3) */
export function formatNumber7(value: number): string {
  if (Number.isNaN(value)) return '  0.00 ';
  const limit = value < 0 ? NEGATIVE_LIMIT : POSITIVE_LIMIT;
  for (const [i, suffix] of SUFFIXES.entries()) {
    const unit = 1000 ** i;
    if (Math.abs(value) < limit * unit) return toFixed2(value / unit).padStart(6) + suffix;
  }
  return value < 0 ? '-inf?  ' : ' inf?  ';
}

function nonFiniteText(value: number, texts: NonFiniteText): string {
  if (Number.isNaN(value)) return texts.nan;
  return value > 0 ? texts.positive : texts.negative;
}

/** toExponential, but with exact halves rounded to the even digit as C does. */
function roundToDigits(value: number, precision: number): string {
  const exact = value.toExponential(Math.min(precision + 60, 100));
  const [mantissa, exponent] = exact.split('e');
  const point = mantissa!.indexOf('.');
  const kept = mantissa!.slice(0, point + precision);
  const rest = mantissa!.slice(point + precision);
  if (/^50*$/.test(rest) && Number(/\d(?=\.?$)/.exec(kept)![0]) % 2 === 0) return `${kept}e${exponent}`;
  return value.toExponential(precision - 1);
}

/** Two decimals; exact halves (odd eighths) go to the even digit as in C. */
function toFixed2(value: number): string {
  if (Math.abs(value) < 0.005) return '0.00';
  if (Number.isInteger(value * 8) && (value * 8) % 2 !== 0) {
    const hundredths = Math.floor(Math.abs(value) * 100);
    return ((Math.sign(value) * (hundredths + (hundredths % 2))) / 100).toFixed(2);
  }
  return value.toFixed(2);
}
