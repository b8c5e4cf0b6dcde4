/** A number at the beginning of a text, as strtod(3) reads it in the C locale, but without "inf" and "nan". */
export interface ScannedNumber {
  readonly length: number;
  readonly value: number;
  /** The number times `unit`, rounded to the nearest integer (halves away from zero); exact for decimal numbers. */
  times(unit: bigint): bigint;
}

const NUMBER =
  /[+-]?(?:0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/y;
/** Beyond these powers of ten no 64-bit result is possible, and a hostile text must not cost much. */
const MAX_EXPONENT = 400;
const MAX_DIGITS = 1000;

/** The number that begins at `offset`, if there is one. Blanks before it are not skipped. */
export function scanNumber(text: string, offset: number): ScannedNumber | undefined {
  NUMBER.lastIndex = offset;
  const found = NUMBER.exec(text)?.[0];
  if (found === undefined || found.length > MAX_DIGITS) return undefined;
  const isHex = /^[+-]?0[xX]/.test(found);
  const value = isHex ? parseHexFloat(found) : Number(found);
  return {
    length: found.length,
    value,
    times: (unit) => (isHex ? BigInt(Math.round(value * Number(unit))) : timesDecimal(found, unit)),
  };
}

function timesDecimal(text: string, unit: bigint): bigint {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const isNegative = mantissa.startsWith('-');
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.');
  const power = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction) * unit;
  if (digits === 0n || power < -MAX_EXPONENT - MAX_DIGITS) return 0n;
  if (power > MAX_EXPONENT) throw new RangeError(`${text} is too large`);
  const scale = 10n ** BigInt(Math.abs(power));
  const magnitude = power >= 0 ? digits * scale : (digits + scale / 2n) / scale;
  return isNegative ? -magnitude : magnitude;
}

/** A C99 hexadecimal floating-point literal (`0x1.8p3`, exponent in base 2). */
function parseHexFloat(text: string): number {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('p');
  const isNegative = mantissa.startsWith('-');
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]?0x/, '').split('.');
  const digits = Number(BigInt(`0x${whole}${fraction}`));
  const value = digits * 2 ** (Number(exponent) - 4 * fraction.length);
  return isNegative ? -value : value;
}
