import { bisect, lowerBound } from '../../../kit/index.js';
import { INSTANCE_NULL, MetricType, type ValueSet } from '../../../pmapi/index.js';
import type { InstanceProfile } from '../../profile.js';
import type { NumberBlock } from '../../batch.js';
import type { KeptValues } from './kept-columns.js';

/** Fewer instances than these are looked for one by one. */
const FEW_INSTANCES = 4;

export interface RowTimes {
  readonly records: Uint32Array;
  readonly secs: Float64Array;
  readonly nsecs: Int32Array;
}

export interface ColumnShape {
  /** Number of values of each row, or the error code that was recorded in their place. */
  readonly counts: Int32Array;
  readonly rowValues: RowValues;
}

/** All values of one metric in one segment, decoded; one row for each record with the metric. Immutable, shared and cached. */
export class MetricColumn {
  readonly pmid: number;
  readonly type: MetricType;
  /** The segment's record number of each row, ascending. */
  readonly records: Uint32Array;
  /** When each row was recorded: whole seconds, and nanoseconds. */
  readonly secs: Float64Array;
  readonly nsecs: Int32Array;
  /** Number of values of each row, or the error code that was recorded in their place. */
  readonly counts: Int32Array;
  readonly #values: RowValues;
  readonly values: KeptValues;
  /** Approximate memory, without what it shares with earlier columns. */
  readonly bytes: number;
  /** Last question and answer of {@link rowsBefore}: all instances of a moment ask the same. */
  #askedRecord = -1;
  #answeredRows = 0;

  constructor(pmid: number, type: MetricType, rows: RowTimes, shape: ColumnShape, values: KeptValues, bytes: number) {
    this.pmid = pmid;
    this.type = type;
    this.records = rows.records;
    this.secs = rows.secs;
    this.nsecs = rows.nsecs;
    this.counts = shape.counts;
    this.#values = shape.rowValues;
    this.values = values;
    this.bytes = bytes;
  }

  /** The row of a record; -1 when the record does not hold the metric. @param guess where it is looked for first */
  rowOf(record: number, guess = 0): number {
    if (this.records[guess] === record) return guess;
    const row = this.rowsBefore(record);
    return this.records[row] === record ? row : -1;
  }

  fill(row: number, indom: number, profile: InstanceProfile, set: ValueSet): void {
    set.reset(this.pmid, this.type);
    const count = this.counts[row]!;
    if (count <= 0) {
      set.status = count;
      return;
    }
    const all = profile.includesAll(indom);
    const first = firstValue(this.#values, row);
    const end = firstValue(this.#values, row + 1);
    if (all && this.#areExactNumbers) {
      const { width, instances } = this.#values;
      set.addNumbers(instances, width > 0 ? 0 : first, this.values.numbers, first, end - first);
      return;
    }
    for (let i = first; i < end; i++) {
      const instance = this.instanceOf(i);
      if (all || profile.includes(indom, instance)) this.copyValue(i, instance, set);
    }
  }

  /** The number of values of a row, as far as the profile lets instances through, or the error code in their place. */
  status(row: number, indom: number, profile: InstanceProfile): number {
    const count = this.counts[row]!;
    if (count <= 0 || profile.includesAll(indom)) return count;
    const first = firstValue(this.#values, row);
    let passing = 0;
    for (let i = first; i < first + count; i++) if (profile.includes(indom, this.instanceOf(i))) passing++;
    return passing;
  }

  /** Every row has the same instances and exact numbers, as {@link block} needs. */
  get isRegular(): boolean {
    return this.#values.width > 0 && this.#areExactNumbers;
  }

  /** Values per row when all rows have the same instances; else 0. */
  get width(): number {
    return this.#values.width;
  }

  /** The index of an instance in each row when all rows have the same; -1 for none. PM_IN_NULL stands for the first. */
  placeOf(instance: number): number {
    if (instance === INSTANCE_NULL) return 0;
    const { instances } = this.#values;
    const place = lowerBound(instances, instance);
    return instances[place] === instance ? place : -1;
  }

  /** Some rows of a regular column, as far as the profile lets instances through. */
  block(row: number, indom: number, profile: InstanceProfile): NumberBlock {
    const { width, instances } = this.#values;
    const numbers = row === 0 ? this.values.numbers : this.values.numbers.subarray(row * width);
    if (profile.includesAll(indom)) {
      return { type: this.type, instances, numbers, stride: width, places: placesOf(width) };
    }
    const places = placesOf(width).filter((k) => profile.includes(indom, instances[k]!));
    return { type: this.type, instances: places.map((k) => instances[k]!), numbers, stride: width, places };
  }

  copyValue(i: number, instance: number, set: ValueSet): void {
    const { values } = this;
    if (values.texts.length > 0) set.addText(instance, values.texts[i]!);
    else if (values.bytes.length > 0) set.addBytes(instance, values.bytes[i]!);
    else if (values.wide) set.addInteger(instance, integerOf(this.type, values.wide[i]!));
    else set.addNumber(instance, values.numbers[i]!);
  }

  instanceOf(i: number): number {
    const { width, instances } = this.#values;
    return width > 0 ? instances[i % width]! : instances[i]!;
  }

  /**
   * Removes from `wanted` the instances with a value in records [start, end), visiting each with the index of its first. PM_IN_NULL stands
   * for the first value of every record: old archives hold singular metrics under varying instances.
   */
  takeFirst<T>(wanted: Map<number, T>, start: number, end: number, visit: (of: T, value: number) => void): void {
    const last = this.rowsBefore(end);
    for (let row = this.rowsBefore(start); row < last && wanted.size > 0; row++) {
      this.#takeRow(row, wanted, visit);
      if (this.#values.width > 0) return;
    }
  }

  /** As {@link takeFirst}, with the index of its last value. */
  takeLast<T>(wanted: Map<number, T>, start: number, end: number, visit: (of: T, value: number) => void): void {
    const first = this.rowsBefore(start);
    for (let row = this.rowsBefore(end) - 1; row >= first && wanted.size > 0; row--) {
      this.#takeRow(row, wanted, visit);
      if (this.#values.width > 0) return;
    }
  }

  /** The index of the value of an instance in a row; -1 for none. PM_IN_NULL as above. */
  valueInRow(row: number, instance: number): number {
    if (this.counts[row]! <= 0) return -1;
    const { width, instances } = this.#values;
    const first = firstValue(this.#values, row);
    if (instance === INSTANCE_NULL) return first;
    if (width > 0) {
      const place = this.placeOf(instance);
      return place < 0 ? -1 : first + place;
    }
    const end = firstValue(this.#values, row + 1);
    for (let i = first; i < end; i++) if (instances[i] === instance) return i;
    return -1;
  }

  rowOfValue(i: number): number {
    const { width, starts } = this.#values;
    if (width > 0) return Math.floor(i / width);
    return bisect(0, starts.length - 1, (row) => starts[row + 1]! > i);
  }

  rowsBefore(record: number): number {
    if (record !== this.#askedRecord) {
      this.#answeredRows = lowerBound(this.records, record);
      this.#askedRecord = record;
    }
    return this.#answeredRows;
  }

  get #areExactNumbers(): boolean {
    return this.values.numbers.length > 0 && !this.values.wide;
  }

  /** Where all rows have the same instances, one row is enough. */
  #takeRow<T>(row: number, wanted: Map<number, T>, visit: (of: T, value: number) => void): void {
    const { width, instances } = this.#values;
    const first = firstValue(this.#values, row);
    const end = firstValue(this.#values, row + 1);
    // A few instances are looked for one by one, many in one pass over the row.
    if (wanted.has(INSTANCE_NULL) || wanted.size < FEW_INSTANCES) {
      for (const [instance, of] of wanted) {
        const value = this.valueInRow(row, instance);
        if (value < 0) continue;
        wanted.delete(instance);
        visit(of, value);
      }
      return;
    }
    for (let i = first; i < end; i++) {
      const instance = instances[width > 0 ? i - first : i]!;
      const of = wanted.get(instance);
      if (of === undefined) continue;
      wanted.delete(instance);
      visit(of, i);
    }
  }
}

/**
 * Which values belong to which row and instance. When every row has the same instances in the same, ascending order
 * (`width` of them, more than 0), those are `instances`, and `starts` is empty; otherwise every value has its instance, and
 * every row, with one more at the end, the index of its first value.
 */
export interface RowValues {
  readonly width: number;
  readonly instances: Int32Array;
  readonly starts: Uint32Array;
}

/** Up to this width the places of all values of a row are kept. */
const MAX_KNOWN_WIDTH = 1024;
const knownPlaces: Int32Array[] = [];

function placesOf(width: number): Int32Array {
  const places = knownPlaces[width] ?? Int32Array.from({ length: width }, (_, k) => k);
  if (width <= MAX_KNOWN_WIDTH) knownPlaces[width] = places;
  return places;
}

function firstValue({ width, starts }: RowValues, row: number): number {
  return width > 0 ? row * width : starts[row]!;
}

function integerOf(type: MetricType, bits: bigint): bigint {
  return type === MetricType.U64 ? BigInt.asUintN(64, bits) : bits;
}
