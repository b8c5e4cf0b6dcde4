import { MetricType } from '../descriptor.js';
import { PM_ERR, PmError } from '../pm-error.js';
import { scanNumber } from '../scan-number.js';

/** A single value: a number, a bigint (64, U64), a text, or the bytes of an aggregate. */
export type AtomValue = number | bigint | string | Uint8Array;

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
