import { INSTANCE_NULL, MetricType } from '../../pmapi/index.js';
import type { ValueSet } from '../../pmapi/index.js';
import type { InstanceProfile } from '../profile.js';
import type { BlockColumn } from '../record-run.js';
import type { KeptValues } from './kept-values.js';

/** The records that hold a metric, ascending, and when they were taken. */
export interface RowTimes {
  readonly records: Uint32Array;
  readonly secs: Float64Array;
  readonly nsecs: Int32Array;
}

/** How the values of a column lie. */
export interface ColumnShape {
  /** Number of values of each row, or the error code that was recorded in their place. */
  readonly counts: Int32Array;
  readonly rowValues: RowValues;
}

/**
 * All values of one metric in one segment, decoded: the rows are the records that hold the metric, in order. Immutable,
 * shared and cached; what readers get out of it are copies of numbers.
 */
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
  /** What it takes in memory, about, without what it shares with others that were made before. */
  readonly bytes: number;
  #slots: Slots | undefined;
  /** What {@link rowsBefore} was asked last and answered: all instances of a moment ask the same. */
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

  /** Copy a row, as far as the profile lets instances through, into a value set. */
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

  /** Whether every row has the same instances, and numbers that are exact: what {@link block} wants. */
  get isRegular(): boolean {
    return this.#values.width > 0 && this.#areExactNumbers;
  }

  /** Some rows of a regular column, as far as the profile lets instances through. */
  block(row: number, indom: number, profile: InstanceProfile): BlockColumn {
    const { width, instances } = this.#values;
    const all = profile.includesAll(indom);
    const places = Int32Array.from(instances.keys()).filter((k) => all || profile.includes(indom, instances[k]!));
    return {
      type: this.type,
      instances: places.map((k) => instances[k]!),
      numbers: this.values.numbers.subarray(row * width),
      stride: width,
      places,
    };
  }

  /** Append value `i` to a value set of the same type. */
  copyValue(i: number, instance: number, set: ValueSet): void {
    const { values } = this;
    if (values.texts.length > 0) set.addText(instance, values.texts[i]!);
    else if (values.bytes.length > 0) set.addBytes(instance, values.bytes[i]!);
    else if (values.wide) set.addInteger(instance, integerOf(this.type, values.wide[i]!));
    else set.addNumber(instance, values.numbers[i]!);
  }

  /** The instance of value `i`. */
  instanceOf(i: number): number {
    const { width, instances } = this.#values;
    return width > 0 ? instances[i % width]! : instances[i]!;
  }

  /**
   * The index of the last value of an instance in the first `recordEnd` records; -1 for none. PM_IN_NULL stands for the first
   * value of every record: old archives hold values of singular metrics under any instance, and another one each time.
   */
  lastBefore(instance: number, recordEnd: number): number {
    if (instance === INSTANCE_NULL) {
      let row = this.rowsBefore(recordEnd) - 1;
      while (row >= 0 && this.counts[row]! <= 0) row--;
      return row < 0 ? -1 : firstValue(this.#values, row);
    }
    const slots = this.#instanceSlots();
    const slot = findId(slots.ids, instance);
    if (slot < 0) return -1;
    const found = this.#countBelow(slots, slot, recordEnd) - 1;
    return found < 0 ? -1 : this.#valueAt(slots, slot, found);
  }

  /** The index of the first value of an instance from record `recordStart` on; -1 for none. PM_IN_NULL as above. */
  firstFrom(instance: number, recordStart: number): number {
    if (instance === INSTANCE_NULL) {
      let row = this.rowsBefore(recordStart);
      while (row < this.counts.length && this.counts[row]! <= 0) row++;
      return row < this.counts.length ? firstValue(this.#values, row) : -1;
    }
    const slots = this.#instanceSlots();
    const slot = findId(slots.ids, instance);
    if (slot < 0) return -1;
    const found = this.#countBelow(slots, slot, recordStart);
    return found < this.#slotLength(slots, slot) ? this.#valueAt(slots, slot, found) : -1;
  }

  /** The row of value `i`. */
  rowOfValue(i: number): number {
    const { width, starts } = this.#values;
    if (width > 0) return Math.floor(i / width);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle + 1]! <= i) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** How many rows are of records before `record`. */
  rowsBefore(record: number): number {
    if (record !== this.#askedRecord) {
      this.#answeredRows = this.#findRow(record);
      this.#askedRecord = record;
    }
    return this.#answeredRows;
  }

  get #areExactNumbers(): boolean {
    return this.values.numbers.length > 0 && !this.values.wide;
  }

  #findRow(record: number): number {
    let low = 0;
    let high = this.records.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.records[middle]! < record) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #instanceSlots(): Slots {
    this.#slots ??= this.#values.width > 0 ? { ids: this.#values.instances } : sortedSlots(this.#values.instances);
    return this.#slots;
  }

  #slotLength(slots: Slots, slot: number): number {
    return slots.order ? slots.order.starts[slot + 1]! - slots.order.starts[slot]! : this.records.length;
  }

  #valueAt(slots: Slots, slot: number, k: number): number {
    return slots.order ? slots.order.values[slots.order.starts[slot]! + k]! : k * slots.ids.length + slot;
  }

  /** How many values of a slot lie in records before `recordEnd`. */
  #countBelow(slots: Slots, slot: number, recordEnd: number): number {
    if (!slots.order) return this.rowsBefore(recordEnd);
    let low = 0;
    let high = this.#slotLength(slots, slot);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = this.rowOfValue(this.#valueAt(slots, slot, middle));
      if (this.records[row]! < recordEnd) low = middle + 1;
      else high = middle;
    }
    return low;
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

function firstValue({ width, starts }: RowValues, row: number): number {
  return width > 0 ? row * width : starts[row]!;
}

/** Values by instance; without an order, value k of slot s is at k * ids.length + s. */
interface Slots {
  readonly ids: Int32Array;
  /** Value indexes grouped by instance, rows ascending within, and where each slot's begin. */
  readonly order?: { readonly values: Uint32Array; readonly starts: Uint32Array };
}

function sortedSlots(instances: Int32Array): Slots {
  const values = Uint32Array.from(instances.keys()).sort((a, b) => instances[a]! - instances[b]! || a - b);
  const ids: number[] = [];
  const starts: number[] = [];
  values.forEach((value, i) => {
    if (i === 0 || instances[value] !== ids.at(-1)) {
      ids.push(instances[value]!);
      starts.push(i);
    }
  });
  starts.push(values.length);
  return { ids: Int32Array.from(ids), order: { values, starts: Uint32Array.from(starts) } };
}

/** The integer that 64 bits stand for. */
function integerOf(type: MetricType, bits: bigint): bigint {
  return type === MetricType.U64 ? BigInt.asUintN(64, bits) : bits;
}

function findId(ids: Int32Array, id: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle;
  }
  return ids[low] === id ? low : -1;
}
