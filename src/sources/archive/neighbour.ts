import { compareTimestamps } from '../../pmapi/index.js';
import type { MetricDescriptor, PmError, Timestamp, ValueSet } from '../../pmapi/index.js';
import { addValueBetween, type InterpolationRules, type Observation } from '../batch.js';
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
