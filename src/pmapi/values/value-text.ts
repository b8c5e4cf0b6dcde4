import { MetricType } from '../descriptor.js';
import { PM_ERR, PmError } from '../pm-error.js';
import { scanNumber } from '../scan-number.js';
import type { AtomValue, Column } from './value-set.js';

/** How an output format writes non-finite numbers: JSON has no infinity, OpenMetrics has. */
export interface NonFiniteText {
  readonly nan: string;
  readonly positive: string;
  readonly negative: string;
}

/** JSON: `null` for everything that is not finite. */
export const JSON_NON_FINITE: NonFiniteText = { nan: 'null', positive: 'null', negative: 'null' };
/** OpenMetrics: `NaN`, `+Inf`, `-Inf`. */
export const OPEN_METRICS_NON_FINITE: NonFiniteText = { nan: 'NaN', positive: '+Inf', negative: '-Inf' };

const SMALLEST_NORMAL_FLOAT = 2 ** -126;
/** Below this, every integer is a float, and its digits are the shortest text. */
const FLOAT_INTEGERS = 2 ** 24;

/** A double in the fewest digits that read back as the same double. */
export function formatDouble(value: number, nonFinite: NonFiniteText): string {
  return Number.isFinite(value) ? String(value) : nonFiniteText(value, nonFinite);
}

/** A float (a number that Math.fround leaves alone) in the fewest digits that read back as the same float. */
export function formatFloat(value: number, nonFinite: NonFiniteText): string {
  return Number.isFinite(value) ? String(shortestDecimal(value)) : nonFiniteText(value, nonFinite);
}

/** The double with the fewest digits that reads back as a float: 16.73, where the float's own bits are 16.729999542236328. */
export function shortestDecimal(value: number): number {
  const size = Math.abs(value);
  if ((size < FLOAT_INTEGERS && Number.isInteger(value)) || !Number.isFinite(value)) return value;
  // Six digits survive a round trip through a float unless it is subnormal; nine always identify it.
  for (let digits = size < SMALLEST_NORMAL_FLOAT ? 1 : 6; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return shorter;
  }
  return Number(value.toPrecision(9));
}

/** The text of value `i`: integers with every digit, FLOAT and DOUBLE in the fewest that read back as the same value. */
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

function nonFiniteText(value: number, texts: NonFiniteText): string {
  if (Number.isNaN(value)) return texts.nan;
  return value > 0 ? texts.positive : texts.negative;
}
/** Characters at the start of a cell that make spreadsheets read it as a formula; Excel also accepts their full-width forms. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
/** Numbers start with signs, too, and are harmless. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$|^-Infinity$/;

/** A text as a CSV cell: quoted if needed, with an apostrophe where a spreadsheet would run it (others choose names). @see RFC 4180 */
export function csvText(text: string): string {
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

const ERANGE = -34;
/** strtol(3) in base 0: blanks, a sign, and a decimal, octal or hexadecimal number. */
const INTEGER = /^\s*([+-]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)$/;
/** No 64-bit integer has more digits, in any base; a hostile text must not cost much. */
const MAX_DIGITS = 32;
const NON_FINITE = /^\s*([+-]?)(nan|inf(?:inity)?)$/i;

const INTEGER_RANGES: ReadonlyMap<MetricType, readonly [min: bigint, max: bigint]> = new Map([
  [MetricType.I32, [-(2n ** 31n), 2n ** 31n - 1n]],
  [MetricType.U32, [0n, 2n ** 32n - 1n]],
  [MetricType.I64, [-(2n ** 63n), 2n ** 63n - 1n]],
  [MetricType.U64, [0n, 2n ** 64n - 1n]],
]);

/**
 * A text as a value of a type, as pmstore(1) and pmproxy read it: integers exactly, in decimal, octal (`017`) or hexadecimal
 * (`0x1f`), reals as strtod(3) does. 64 and U64 come out as bigint.
 *
 * Differs from PCP: an empty text is invalid (there, 0), and a negative one is out of range for U64 (there, it wraps).
 * @throws PmError PM_ERR_TYPE for an invalid text and for types without a text form, -ERANGE for a number out of range
 */
export function parseValue(text: string, type: MetricType): Exclude<AtomValue, Uint8Array> {
  const range = INTEGER_RANGES.get(type);
  if (range) {
    const value = parseInteger(text);
    if (value < range[0] || value > range[1]) throw new PmError(ERANGE);
    return type === MetricType.I64 || type === MetricType.U64 ? value : Number(value);
  }
  switch (type) {
    case MetricType.FLOAT:
      return finiteAs(Math.fround, parseReal(text));
    case MetricType.DOUBLE:
      return finiteAs(Number, parseReal(text));
    case MetricType.STRING:
      return text;
    // Bytes have no text that would stand for them: pmproxy refuses it, too.
    default:
      throw new PmError(PM_ERR.TYPE);
  }
}

function parseInteger(text: string): bigint {
  const [, sign, digits] = INTEGER.exec(text) ?? [];
  if (digits === undefined) throw new PmError(PM_ERR.TYPE);
  const isOctal = /^0[0-7]/.test(digits);
  const significant = digits.replace(/^0[xX]?0*/, '');
  if (significant.length > MAX_DIGITS) throw new PmError(ERANGE);
  const magnitude = BigInt(isOctal ? `0o${significant || '0'}` : digits);
  return sign === '-' ? -magnitude : magnitude;
}

interface Real {
  readonly value: number;
  /** Whether the text itself says infinite or not a number. */
  readonly isNonFinite: boolean;
}

function parseReal(text: string): Real {
  const [, sign, word] = NON_FINITE.exec(text) ?? [];
  if (word !== undefined) {
    const magnitude = word.toLowerCase() === 'nan' ? Number.NaN : Infinity;
    return { value: sign === '-' ? -magnitude : magnitude, isNonFinite: true };
  }
  const start = text.length - text.trimStart().length;
  const number = scanNumber(text, start);
  if (!number || start + number.length !== text.length) throw new PmError(PM_ERR.TYPE);
  return { value: number.value, isNonFinite: false };
}

function finiteAs(round: (value: number) => number, { value, isNonFinite }: Real): number {
  const rounded = round(value);
  if (!isNonFinite && !Number.isFinite(rounded)) throw new PmError(ERANGE);
  return rounded;
}
