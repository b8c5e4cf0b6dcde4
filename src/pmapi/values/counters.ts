import { isWideType, MetricType } from '../identifiers.js';
import type { AtomValue } from './value-set.js';
import { linearScale } from '../units/scale.js';
import { makeUnits, type Units } from '../units/units.js';

/** Live samples closer than this make no rate: a 10 ms clock cannot carry it, and other clients' fetches may be near. */
export const LEAST_RATE_SEC = 0.25;

/** The modulus of a counter: 2^32, 2^64, or 0 for reals, which do not wrap. PCP's tools need PCP_COUNTER_WRAP. @see PCPIntro(1) */
export function counterSpan(type: MetricType): number {
  if (type > MetricType.U64) return 0;
  return isWideType(type) ? 2 ** 64 : 2 ** 32;
}

/** Exact before it is rounded; below 0 if it went down. @param wrap added then: {@link counterSpan} where such counters have wrapped */
export function counterRise(was: number | bigint, is: number | bigint, wrap = 0): number {
  if (typeof was === 'number' && typeof is === 'number') return is < was ? is - was + wrap : is - was;
  const rise = BigInt(is) - BigInt(was);
  return Number(rise < 0n ? rise + BigInt(wrap) : rise);
}

/** Texts and aggregates never are. */
export function isLess(a: AtomValue, b: AtomValue): boolean {
  return (typeof a === 'number' || typeof a === 'bigint') && (typeof b === 'number' || typeof b === 'bigint') && a < b;
}

/** The scale of time in the units of rates, and the greatest one that there is. */
const [SCALE_SEC, SCALE_HOUR] = [3, 5];

/** The units of a counter's rate: one power of time less, in seconds. A time becomes a utilisation, without units. */
export function rateUnits(units: Units): Units {
  const dimTime = units.dimTime - 1;
  return makeUnits({ ...units, dimTime, scaleTime: dimTime === 0 ? 0 : SCALE_SEC });
}

/** What a rise per second is multiplied with for {@link rateUnits}: the seconds of the counter's unit of time. */
export function rateTimeFactor({ dimTime, scaleTime }: Units): number {
  if (dimTime === 0 || scaleTime > SCALE_HOUR) return 1;
  return linearScale(makeUnits({ dimTime, scaleTime }), makeUnits({ dimTime, scaleTime: SCALE_SEC })).factor;
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
