import {
  compareTimestamps,
  counterSpan,
  isArithmeticType,
  isWideType,
  MetricType,
  Semantics,
  wideCounterBetween,
  wrapCounter,
} from '../../pmapi/index.js';
import type { MetricDescriptor, PmError, Timestamp, ValueSet } from '../../pmapi/index.js';
import type { MetricColumn } from './columns/metric-column.js';

/**
 * What lies next to a moment, on one side of it: nothing at all, a mark, or an observation of the instance; and when that is. Used
 * again for the next moment: the engine would put so many objects of a short life where only those of a long one are looked for.
 */
export class Neighbour implements Timestamp {
  kind: 'none' | 'mark' | 'value' = 'none';
  sec = -Infinity;
  nsec = 0;
  column: MetricColumn | undefined = undefined;
  index = -1;
  /** What is wrong with the records that could have been nearer. */
  damage: PmError | undefined = undefined;

  /** @param sec infinitely far away, on the one side or the other */
  setNothing(sec: number): void {
    this.#set('none', sec, 0, undefined, -1);
  }

  setMark({ sec, nsec }: Timestamp): void {
    this.#set('mark', sec, nsec, undefined, -1);
  }

  /** Value `index` of a column. */
  setValue(column: MetricColumn, index: number): void {
    const row = column.rowOfValue(index);
    this.#set('value', column.secs[row]!, column.nsecs[row]!, column, index);
  }

  #set(kind: Neighbour['kind'], sec: number, nsec: number, column: MetricColumn | undefined, index: number): void {
    this.kind = kind;
    this.sec = sec;
    this.nsec = nsec;
    this.column = column;
    this.index = index;
    this.damage = undefined;
  }
}

/** An instance, and what lies before or at a moment and behind it. */
export interface Neighbourhood {
  readonly instance: number;
  readonly low: Neighbour;
  readonly high: Neighbour;
}

/**
 * Which neighbour an instantaneous or discrete number takes: the nearer one (libpcp from 6.3.2 on, and pmgate), or always
 * the earlier one (libpcp before that; kept so that we can be compared with it).
 */
export type StepRule = 'nearer' | 'earlier';

/** How values between records are made, where there is more than one way. */
export interface InterpolationRules {
  readonly stepRule: StepRule;
  /** Counters that go down wrapped, as PCP_COUNTER_WRAP says; else they lie on a line that goes down. @see PCPIntro(1) */
  readonly wrap: boolean;
}

/**
 * Append an instance's value at a moment between two neighbours, if it has one.
 * @param start of the archive
 */
export function addValueBetween(
  { low, high, instance }: Neighbourhood,
  { semantics, type }: MetricDescriptor,
  at: Timestamp,
  start: Timestamp,
  { stepRule, wrap }: InterpolationRules,
  set: ValueSet,
): void {
  if (low.kind !== 'value' || !low.column) return;
  if (compareTimestamps(low, at) === 0) {
    low.column.copyValue(firstOfMoment(low.column, low.index, instance), instance, set);
    return;
  }
  const after = high.kind === 'value' ? high.column : undefined;
  if (!after && semantics !== Semantics.DISCRETE) return;
  if (!after || !isArithmeticType(type)) {
    low.column.copyValue(low.index, instance, set);
    return;
  }
  // As libpcp does it: every moment becomes seconds since the archive's start before anything is subtracted.
  const lowSec = secondsSince(start, low);
  const span = secondsSince(start, high) - lowSec;
  const elapsed = secondsSince(start, at) - lowSec;
  if (semantics !== Semantics.COUNTER) {
    if (stepRule === 'earlier' || elapsed <= span / 2) low.column.copyValue(low.index, instance, set);
    else after.copyValue(high.index, instance, set);
    return;
  }
  const from = low.column.values.numbers[low.index]!;
  const to = after.values.numbers[high.index]!;
  const wrapped = wrap && to < from;
  if (isWideType(type) && (wrapped || !Number.isSafeInteger(from) || !Number.isSafeInteger(to))) {
    const fraction = span > 0 ? elapsed / span : 0;
    const [exactFrom, exactTo] = [integerOf(low.column, low.index, type), integerOf(after, high.index, type)];
    set.addInteger(instance, wideCounterBetween(exactFrom, exactTo, fraction, wrap, type));
    return;
  }
  const rise = to - from + (wrapped ? counterSpan(type) : 0);
  const value = span > 0 ? from + (elapsed * rise) / span : from;
  if (type === MetricType.DOUBLE) set.addNumber(instance, value);
  else if (type === MetricType.FLOAT) set.addNumber(instance, Math.fround(value));
  else set.addNumber(instance, wrapped ? wrapCounter(Math.trunc(value + 0.5), type) : Math.trunc(value + 0.5));
}

function integerOf({ values: { wide, numbers } }: MetricColumn, index: number, type: MetricType): bigint {
  const bits = wide ? wide[index]! : BigInt(numbers[index]!);
  return type === MetricType.U64 ? BigInt.asUintN(64, bits) : bits;
}

/** Of several records of one moment, an exact hit takes the first; `index` is that of the last. */
function firstOfMoment(column: MetricColumn, index: number, instance: number): number {
  const { secs, nsecs } = column;
  const last = column.rowOfValue(index);
  let first = index;
  for (let row = last - 1; row >= 0 && secs[row] === secs[last] && nsecs[row] === nsecs[last]; row--) {
    const value = column.valueInRow(row, instance);
    if (value >= 0) first = value;
  }
  return first;
}

/** Seconds from one moment to another, rounded as libpcp rounds them. */
function secondsSince(start: Timestamp, moment: Timestamp): number {
  const borrow = moment.nsec < start.nsec ? 1 : 0;
  return moment.sec - start.sec - borrow + (moment.nsec - start.nsec + borrow * 1e9) / 1e9;
}
