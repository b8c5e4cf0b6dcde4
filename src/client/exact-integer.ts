import type { Value } from './answers.js';

/**
 * An integer with all its digits, from a value requested with `numbers: 'exact'` (or below 2^53 anyway). Undefined for anything
 * else: null, a fraction, another text, and a number beyond 2^53, whose digits are lost already.
 */
export function exactInteger(value: Value): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? BigInt(value) : undefined;
}
