import type { Value } from './answers.js';

/**
 * An integer with all its digits, from a value that was asked for with `numbers: 'exact'` (or is below 2^53 anyway). Undefined for
 * what is no integer: null, a fraction, another text; and for a number beyond 2^53, whose digits are lost already.
 */
export function exactInteger(value: Value): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? BigInt(value) : undefined;
}
