import {
  MetricType,
  Semantics,
  counterRise,
  counterSpan,
  isArithmeticType,
  isWideType,
  wideCounterBetween,
  wrapCounter,
} from '../pmapi/index.js';
import type { AtomValue, MetricDescriptor, Timestamp, ValueSet } from '../pmapi/index.js';
import type { InstanceProfile } from './profile.js';

/** Where a record of an archive lies. */
export interface RecordLocation {
  /** The archive's base name, without directories. */
  readonly archive: string;
  readonly volume: number;
  /** Of the record in the (uncompressed) volume, in bytes. */
  readonly offset: number;
}

/** A value that was recorded or sampled. */
export interface ObservedValue {
  readonly timestamp: Timestamp;
  readonly value: AtomValue;
  readonly record?: RecordLocation | undefined;
}

/** What lies next to a moment, on one side of it: a value, a mark, or nothing at all. */
export type NeighbourOfMoment =
  | ({ readonly kind: 'value' } & ObservedValue)
  | { readonly kind: 'mark'; readonly timestamp: Timestamp; readonly damage?: string | undefined }
  | { readonly kind: 'none' };

/** An instance of a metric around a moment. */
export interface InstanceNeighbours {
  readonly instance: number;
  /** Values of the very moment, in their order. */
  readonly exact: readonly ObservedValue[];
  /** What lies before the moment, or at it. */
  readonly low: NeighbourOfMoment;
  /** What lies behind it. */
  readonly high: NeighbourOfMoment;
}

/**
 * Looks up between which observations some moment lies, for those who explain a value: one list per PMID, in order, with the instances
 * that there are around the moment.
 */
export type FindNeighbours = (
  pmids: readonly number[],
  profile: InstanceProfile,
  at: Timestamp,
  signal?: AbortSignal,
) => Promise<readonly (readonly InstanceNeighbours[])[]>;

/** Observed values of one metric, by index. */
export interface ObservedValues {
  readonly values: {
    /** Exact unless there is a wide lane. */
    readonly numbers: Int32Array | Float32Array | Float64Array;
    /** The bits of 64-bit integers when one of them leaves ±2^53. */
    readonly wide: BigInt64Array | undefined;
  };
  /** Append value `index` to a value set of the same type. */
  copyValue(index: number, instance: number, set: ValueSet): void;
}

/** When an instance was observed, and value `index` of a column; no column where there is a mark, or nothing at all. */
export interface Observation extends Timestamp {
  readonly column: ObservedValues | undefined;
  readonly index: number;
}

/**
 * Which neighbour an instantaneous or discrete number takes: the nearer one (libpcp from 6.3.2 on, and pmgate), or always
 * the earlier one (libpcp before that; kept so that we can be compared with it).
 */
export type StepRule = 'nearer' | 'earlier';

/** How values between observations are computed. */
export interface InterpolationRules {
  readonly stepRule: StepRule;
  /** Counters that go down wrapped, as PCP_COUNTER_WRAP says; else they lie on a line that goes down. @see PCPIntro(1) */
  readonly wrap: boolean;
  /** The moment that times are counted from, which decides how they are rounded: the start of the archive. */
  readonly start: Timestamp;
}

/**
 * Append an instance's value at a moment after `low` and before `high`, if it has one: counters lie on the line between the two,
 * other numbers are those of the nearer one (the earlier at a tie), everything else is the earlier one. Only discrete
 * values continue beyond the last observation. Archives and recent samples of live hosts use this alike.
 * @see pmSetMode(3), PM_MODE_INTERP
 */
export function addValueBetween(
  low: Observation,
  high: Observation,
  instance: number,
  at: Timestamp,
  { semantics, type }: MetricDescriptor,
  { stepRule, wrap, start }: InterpolationRules,
  set: ValueSet,
): void {
  const { column: before } = low;
  const { column: after } = high;
  if (!before || (!after && semantics !== Semantics.DISCRETE)) return;
  if (!after || !isArithmeticType(type)) {
    before.copyValue(low.index, instance, set);
    return;
  }
  // As libpcp does it: every moment becomes seconds since the start before anything is subtracted.
  const lowSec = secondsSince(start, low);
  const span = secondsSince(start, high) - lowSec;
  const elapsed = secondsSince(start, at) - lowSec;
  if (semantics !== Semantics.COUNTER) {
    if (stepRule === 'earlier' || elapsed <= span / 2) before.copyValue(low.index, instance, set);
    else after.copyValue(high.index, instance, set);
    return;
  }
  const from = before.values.numbers[low.index]!;
  const to = after.values.numbers[high.index]!;
  const wrapped = wrap && to < from;
  if (isWideType(type) && (wrapped || !Number.isSafeInteger(from) || !Number.isSafeInteger(to))) {
    const fraction = span > 0 ? elapsed / span : 0;
    const [exactFrom, exactTo] = [integerOf(before, low.index, type), integerOf(after, high.index, type)];
    set.addInteger(instance, wideCounterBetween(exactFrom, exactTo, fraction, wrap, type));
    return;
  }
  const rise = counterRise(from, to, wrap ? counterSpan(type) : 0);
  const value = span > 0 ? from + (elapsed * rise) / span : from;
  if (type === MetricType.DOUBLE) set.addNumber(instance, value);
  else if (type === MetricType.FLOAT) set.addNumber(instance, Math.fround(value));
  else set.addNumber(instance, wrapped ? wrapCounter(Math.trunc(value + 0.5), type) : Math.trunc(value + 0.5));
}

/** Which of two observations a value between them is, or that it lies on the line between them. */
export type BetweenRule = 'earlier' | 'later' | 'line';

/** How far a moment lies behind an observation, and the next observation, in the seconds that {@link addValueBetween} computes with. */
export function secondsBehind(low: Timestamp, at: Timestamp, start: Timestamp): number {
  return secondsSince(start, at) - secondsSince(start, low);
}

/** The rule by which {@link addValueBetween} makes a value, for those who explain it. @param span 0 where nothing follows */
export function ruleBetween({ semantics, type }: MetricDescriptor, elapsed: number, span: number): BetweenRule {
  if (span === 0 || !isArithmeticType(type)) return 'earlier';
  if (semantics === Semantics.COUNTER) return 'line';
  return elapsed <= span / 2 ? 'earlier' : 'later';
}

function integerOf({ values: { wide, numbers } }: ObservedValues, index: number, type: MetricType): bigint {
  const bits = wide ? wide[index]! : BigInt(numbers[index]!);
  return type === MetricType.U64 ? BigInt.asUintN(64, bits) : bits;
}

/** Seconds from one moment to another, rounded as libpcp rounds them. */
function secondsSince(start: Timestamp, moment: Timestamp): number {
  const borrow = moment.nsec < start.nsec ? 1 : 0;
  return moment.sec - start.sec - borrow + (moment.nsec - start.nsec + borrow * 1e9) / 1e9;
}
