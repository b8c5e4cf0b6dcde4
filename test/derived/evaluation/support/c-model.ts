/**
 * C's arithmetic on the six arithmetic types, the slow and obvious way: integers are bigints of unlimited size that are cut
 * to their width at the end, floats are doubles rounded to single precision. An independent model for the kernels.
 */
import fc from '../../../support/properties.js';
import { MetricType } from '../../../../src/pmapi/index.js';

export type ModelValue = bigint | number;

export const ARITHMETIC_TYPES = [
  MetricType.I32,
  MetricType.U32,
  MetricType.I64,
  MetricType.U64,
  MetricType.FLOAT,
  MetricType.DOUBLE,
] as const;

const INTEGERS: readonly MetricType[] = [MetricType.I32, MetricType.U32, MetricType.I64, MetricType.U64];

export function isInteger(type: MetricType): boolean {
  return INTEGERS.includes(type);
}

export function wrap(type: MetricType, value: bigint): bigint {
  const bits = type === MetricType.I32 || type === MetricType.U32 ? 32n : 64n;
  const size = 1n << bits;
  const low = ((value % size) + size) % size;
  const signed = type === MetricType.I32 || type === MetricType.I64;
  return signed && low >= size / 2n ? low - size : low;
}

/** Round an integer to `digits` significant bits, ties to even. */
function roundBits(value: bigint, digits: number): number {
  const magnitude = value < 0n ? -value : value;
  let shift = 0n;
  while (magnitude >> shift >= 1n << BigInt(digits)) shift++;
  let kept = magnitude >> shift;
  const rest = magnitude - (kept << shift);
  const half = shift === 0n ? 0n : 1n << (shift - 1n);
  if (shift > 0n && (rest > half || (rest === half && kept % 2n === 1n))) kept++;
  const rounded = Number(kept) * 2 ** Number(shift);
  return value < 0n ? -rounded : rounded;
}

/** C's conversion for types that promote to `to`. */
export function convert(value: ModelValue, to: MetricType): ModelValue {
  if (isInteger(to)) return wrap(to, value as bigint);
  if (typeof value === 'bigint') return roundBits(value, to === MetricType.FLOAT ? 24 : 53);
  return to === MetricType.FLOAT ? Math.fround(value) : value;
}

export function arithmetic(
  operator: '+' | '-' | '*' | '/',
  type: MetricType,
  a: ModelValue,
  b: ModelValue,
): ModelValue {
  const [x, y] = [convert(a, type), convert(b, type)];
  if (typeof x === 'bigint' && typeof y === 'bigint') {
    return wrap(type, operator === '+' ? x + y : operator === '-' ? x - y : x * y);
  }
  const [p, q] = [Number(x), Number(y)];
  const result = { '+': p + q, '-': p - q, '*': p * q, '/': p === 0 ? 0 : p / q }[operator];
  return type === MetricType.FLOAT ? Math.fround(result) : result;
}

export function relation(
  operator: '<' | '<=' | '==' | '>=' | '>' | '!=',
  type: MetricType,
  a: ModelValue,
  b: ModelValue,
): number {
  const [x, y] = [convert(a, type), convert(b, type)];
  const holds = { '<': x < y, '<=': x <= y, '==': x === y, '>=': x >= y, '>': x > y, '!=': x !== y }[operator];
  return holds ? 1 : 0;
}

/** As a value set holds it: bigint for 64-bit types, else a number without -0 for integers. */
export function stored(type: MetricType, value: ModelValue): number | bigint {
  return type === MetricType.I64 || type === MetricType.U64 ? value : Number(value);
}

/** Values of a type, with many at and around the places where something overflows. */
export function modelValue(type: MetricType): fc.Arbitrary<ModelValue> {
  if (type === MetricType.DOUBLE) {
    return fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(0, 1, -1, 0.5, 1e300, -1e300, 2 ** 53));
  }
  if (type === MetricType.FLOAT) {
    return fc.oneof(fc.float({ noNaN: true }), fc.constantFrom(0, 1, -1, 0.5, 16777216, -16777216));
  }
  const [least, greatest] = {
    [MetricType.I32]: [-(1n << 31n), (1n << 31n) - 1n],
    [MetricType.U32]: [0n, (1n << 32n) - 1n],
    [MetricType.I64]: [-(1n << 63n), (1n << 63n) - 1n],
    [MetricType.U64]: [0n, (1n << 64n) - 1n],
  }[type as 0 | 1 | 2 | 3] as [bigint, bigint];
  const edges = [0n, 1n, -1n, 1n << 31n, (1n << 32n) - 1n, 1n << 32n, (1n << 53n) - 1n, 1n << 53n, (1n << 53n) + 1n]
    .flatMap((edge) => [edge, -edge])
    .concat([least, greatest, least + 1n, greatest - 1n])
    .filter((edge) => edge >= least && edge <= greatest);
  return fc.oneof(
    fc.bigInt({ min: least, max: greatest }),
    fc.bigInt({ min: least < -1000n ? -1000n : least, max: 1000n }),
    fc.constantFrom(...edges),
  );
}
