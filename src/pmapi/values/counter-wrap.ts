import { isWideType, MetricType } from '../metric-type.js';

/**
 * How far a counter counts until it is back where it was: 2^32 or 2^64, by its type; 0 for real numbers, which do not wrap.
 * PCP's tools take counters to do so when PCP_COUNTER_WRAP is set. @see PCPIntro(1)
 */
export function counterSpan(type: MetricType): number {
  if (type > MetricType.U64) return 0;
  return isWideType(type) ? 2 ** 64 : 2 ** 32;
}

/** The value of an integer counter that may have counted past the greatest of its type, less than one span too far. */
export function wrapCounter(value: number, type: MetricType): number {
  const span = counterSpan(type);
  const isSigned = type === MetricType.I32 || type === MetricType.I64;
  return value >= (isSigned ? span / 2 : span) ? value - span : value;
}
