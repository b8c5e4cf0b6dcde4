import { compareTimestamps } from '../../pmapi/index.js';
import type { MetricDescriptor, PmError, Timestamp, ValueSet } from '../../pmapi/index.js';
import { addValueBetween, numberOnLine, ruleBetween, secondsBehind } from '../batch.js';
import type { InterpolationRules, Observation } from '../batch.js';
import type { MetricColumn } from './columns/metric-column.js';

/** A neighbour of a moment: nothing, a mark, or an observation. Reused, so that no short-lived objects are allocated. */
export class Neighbour implements Observation {
  kind: 'none' | 'mark' | 'value' = 'none';
  sec = -Infinity;
  nsec = 0;
  column: MetricColumn | undefined = undefined;
  index = -1;
  /** Damage in place of records that could have been nearer. */
  damage: PmError | undefined = undefined;

  /** @param sec plus or minus infinity */
  setNothing(sec: number): void {
    this.#set('none', sec, 0, undefined, -1);
  }

  setMark({ sec, nsec }: Timestamp): void {
    this.#set('mark', sec, nsec, undefined, -1);
  }

  setValue(column: MetricColumn, index: number, row = column.rowOfValue(index)): void {
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

/** Appends an instance's value at a moment between its neighbours, if it has one. */
export function addValueAt(
  { low, high, instance }: Neighbourhood,
  at: Timestamp,
  descriptor: MetricDescriptor,
  rules: InterpolationRules,
  set: ValueSet,
): void {
  if (low.column && compareTimestamps(low, at) === 0) {
    low.column.copyValue(firstOfMoment(low.column, low.index, instance), instance, set);
  } else {
    addValueBetween(low, high, instance, at, descriptor, rules, set);
  }
}

/** Some instances of a metric in a regular column, and their values at moments: as many for each as there are instances. */
export interface RowsBetween {
  readonly descriptor: MetricDescriptor;
  readonly column: MetricColumn;
  readonly instances: Int32Array;
  /** The place of each instance in the column's rows. */
  readonly places: Int32Array;
  readonly numbers: number[];
}

/** Appends what {@link addValueAt} would for each instance, by the rule 'nearer'. False if the moment, behind so many records, is not between two rows. */
export function addRowAt(
  { descriptor, column, places, numbers }: RowsBetween,
  records: number,
  at: Timestamp,
  start: Timestamp,
): boolean {
  const { secs, nsecs, width, values } = column;
  const high = column.rowsBefore(records);
  if (high === 0 || high === column.records.length) return false;
  let low = high - 1;
  const lowAt = { sec: secs[low]!, nsec: nsecs[low]! };
  const elapsed = secondsBehind(lowAt, at, start);
  const span = secondsBehind(lowAt, { sec: secs[high]!, nsec: nsecs[high]! }, start);
  const isExact = compareTimestamps(lowAt, at) === 0;
  // Of several records of one moment the first counts.
  while (isExact && low > 0 && secs[low - 1] === at.sec && nsecs[low - 1] === at.nsec) low--;
  const rule = isExact ? 'earlier' : ruleBetween(descriptor, elapsed, span);
  const [from, to] = [(rule === 'later' ? high : low) * width, high * width];
  for (const place of places) {
    const number = values.numbers[from + place]!;
    if (rule !== 'line') numbers.push(number);
    else numbers.push(numberOnLine(number, values.numbers[to + place]!, elapsed, span, descriptor.type));
  }
  return true;
}

/** The values of an instance in all records of one moment, in order; `index` is that of the last. */
export function valuesOfMoment(column: MetricColumn, index: number, instance: number): readonly number[] {
  const values: number[] = [];
  const last = column.rowOfValue(index);
  for (let row = column.rowOfValue(firstOfMoment(column, index, instance)); row <= last; row++) {
    const value = column.valueInRow(row, instance);
    if (value >= 0) values.push(value);
  }
  return values;
}

/** The first of several records of one moment, for an exact hit; `index` is that of the last. */
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
