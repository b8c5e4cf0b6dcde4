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

export interface RecordLocation {
  /** The archive's base name, without directories. */
  readonly archive: string;
  readonly volume: number;
  /** In bytes, in the (uncompressed) volume. */
  readonly offset: number;
}

export interface ObservedValue {
  readonly timestamp: Timestamp;
  readonly value: AtomValue;
  readonly record?: RecordLocation | undefined;
}

/** A value, a mark, or nothing, on one side of a moment. */
export type NeighbourOfMoment =
  | ({ readonly kind: 'value' } & ObservedValue)
  | { readonly kind: 'mark'; readonly timestamp: Timestamp; readonly damage?: string | undefined }
  | { readonly kind: 'none' };

/** An instance of a metric around a moment. */
export interface InstanceNeighbours {
  readonly instance: number;
  readonly exact: readonly ObservedValue[];
  readonly low: NeighbourOfMoment;
  readonly high: NeighbourOfMoment;
}

/** Finds the observations around moments, for explanations: one list per PMID, with the instances around the moment. */
export type FindNeighbours = (
  pmids: readonly number[],
  profile: InstanceProfile,
  at: Timestamp,
  signal?: AbortSignal,
) => Promise<readonly (readonly InstanceNeighbours[])[]>;

/** Observed values of one metric, by index. */
export interface ObservedValues {
  readonly values: {
    readonly numbers: Int32Array | Float32Array | Float64Array;
    readonly wide: BigInt64Array | undefined;
  };
  /** Append value `index` to a value set of the same type. */
  copyValue(index: number, instance: number, set: ValueSet): void;
}

/** Value `index` of a column with its time; without a column, a mark or nothing. */
export interface Observation extends Timestamp {
  readonly column: ObservedValues | undefined;
  readonly index: number;
}

/** The neighbour that a non-counter takes: the nearer (libpcp from 6.3.2 on, and pmgate) or the earlier (before, for comparison). */
export type StepRule = 'nearer' | 'earlier';

/** How values between observations are computed. */
export interface InterpolationRules {
  readonly stepRule: StepRule;
  /** Counters that go down have wrapped (PCP_COUNTER_WRAP); else they lie on a falling line. @see PCPIntro(1) */
  readonly wrap: boolean;
  /** The start of the archive: times are counted from it, which decides rounding. */
  readonly start: Timestamp;
}

/**
 * Appends an instance's value between `low` and `high`, if any: counters on the line between, other numbers the nearer (at a tie the
 * earlier), all else the earlier. Only discrete values continue beyond the last observation. @see pmSetMode(3), PM_MODE_INTERP
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

/** A value is one of two observations, or on the line between them. */
export type BetweenRule = 'earlier' | 'later' | 'line';

/** Seconds from an observation to a moment, rounded as in {@link addValueBetween}. */
export function secondsBehind(low: Timestamp, at: Timestamp, start: Timestamp): number {
  return secondsSince(start, at) - secondsSince(start, low);
}

/** The rule of {@link addValueBetween} for a value, for explanations. @param span 0 where nothing follows */
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
