import { isWideType, MetricType } from '../descriptor.js';

/** Live samples closer than this make no rate: a 10 ms clock cannot carry it, and other clients' fetches may be near. */
export const LEAST_RATE_SEC = 0.25;

/** The modulus of a counter: 2^32, 2^64, or 0 for reals, which do not wrap. PCP's tools need PCP_COUNTER_WRAP. @see PCPIntro(1) */
export function counterSpan(type: MetricType): number {
  if (type > MetricType.U64) return 0;
  return isWideType(type) ? 2 ** 64 : 2 ** 32;
}

/** The value of a 32-bit counter that may exceed the maximum of its type by less than its modulus. */
export function wrapCounter(value: number, type: MetricType): number {
  const span = counterSpan(type);
  const isSigned = type === MetricType.I32 || type === MetricType.I64;
  return value >= (isSigned ? span / 2 : span) ? value - span : value;
}

/** The interpolated value of a 64-bit counter, as exact as a double holds its increase. @param fraction from 0 to 1 */
export function wideCounterBetween(
  from: bigint,
  to: bigint,
  fraction: number,
  wrap: boolean,
  type: MetricType,
): bigint {
  const span = wrap && to < from ? BigInt(counterSpan(type)) : 0n;
  const value = from + BigInt(Math.round(Number(to - from + span) * fraction));
  return type === MetricType.U64 ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value);
}
