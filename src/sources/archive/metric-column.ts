import { Column, INSTANCE_NULL } from '../../pmapi/index.js';
import type { MetricType, ValueSet } from '../../pmapi/index.js';
import type { InstanceProfile } from '../profile.js';
import type { BlockColumn } from '../record-run.js';
import { decodeFixed } from './fixed-values.js';
import type { FixedBlocks, FixedValues } from './fixed-values.js';
import type { PlannedSet } from './read-plan.js';
import type { RecordTable } from './record-table.js';

/** What an object and a typed array cost, about. */
const OBJECT_BYTES = 400;

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
  readonly values: Column;
  readonly bytes: number;
  #slots: Slots | undefined;
  /** What {@link rowsBefore} was asked last and answered: all instances of a moment ask the same. */
  #askedRecord = -1;
  #answeredRows = 0;

  constructor(
    pmid: number,
    type: MetricType,
    records: Uint32Array,
    secs: Float64Array,
    nsecs: Int32Array,
    counts: Int32Array,
    rowValues: RowValues,
    values: Column,
    extraBytes: number,
  ) {
    this.pmid = pmid;
    this.type = type;
    this.records = records;
    this.secs = secs;
    this.nsecs = nsecs;
    this.counts = counts;
    this.#values = rowValues;
    this.values = values;
    const lanes = values.numbers.byteLength + (values.wide?.byteLength ?? 0);
    // The per-instance order of irregular columns, made on demand, is counted as if it were there.
    this.bytes = OBJECT_BYTES + 8 * records.length + 8 * rowValues.instances.length + lanes + extraBytes;
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
    if (all && this.values.length === this.values.numbers.length && !this.values.wide) {
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
    const { values } = this;
    return this.#values.width > 0 && values.length === values.numbers.length && !values.wide;
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
    else if (values.wide) set.addInteger(instance, values.integerAt(i));
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
interface RowValues {
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

/** How many values every row has, when all have the same instances in the same, ascending order; 0 otherwise. */
function regularWidth(instances: Int32Array, starts: Uint32Array): number {
  const rows = starts.length - 1;
  const width = rows > 0 ? starts[1]! : 0;
  if (width === 0 || instances.length !== rows * width) return 0;
  for (let row = 0; row < rows; row++) if (starts[row] !== row * width) return 0;
  for (let i = 1; i < width; i++) if (instances[i]! <= instances[i - 1]!) return 0;
  for (let i = width; i < instances.length; i++) if (instances[i] !== instances[i - width]) return 0;
  return width;
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

/** The records that hold a metric, and when they were taken. Metrics that always come together share them. */
export interface ColumnRows {
  readonly records: Uint32Array;
  readonly secs: Float64Array;
  readonly nsecs: Int32Array;
  /** What they cost who made them, in bytes; 0 for who shares them. */
  readonly bytes: number;
  /** How the values lay in the regular column that was made last. */
  readonly shape: { last: ColumnShape | undefined };
}

interface ColumnShape {
  readonly counts: Int32Array;
  readonly rowValues: RowValues;
}

const NO_STARTS = new Uint32Array(0);

const knownRows = new WeakMap<RecordTable, ColumnRows[]>();
/** How many different ones are remembered of a segment. */
const MAX_KNOWN_ROWS = 16;

/** The rows of a plan. */
export function rowsOf(table: RecordTable, planned: readonly PlannedSet[]): ColumnRows {
  const known = knownRows.get(table) ?? [];
  const same = known.find(({ records }) => isRowsOf(records, planned));
  if (same) return { ...same, bytes: 0 };
  const rows = {
    records: Uint32Array.from(planned, ({ record }) => record),
    secs: Float64Array.from(planned, ({ record }) => table.secs[record]!),
    nsecs: Int32Array.from(planned, ({ record }) => table.nsecs[record]!),
    bytes: 16 * planned.length,
    shape: { last: undefined },
  };
  if (known.length < MAX_KNOWN_ROWS) knownRows.set(table, [...known, rows]);
  return rows;
}

function isRowsOf(records: Uint32Array, planned: readonly PlannedSet[]): boolean {
  if (records.length !== planned.length) return false;
  for (let i = 0; i < planned.length; i++) if (records[i] !== planned[i]!.record) return false;
  return true;
}

/** Puts a column together row by row. */
export class ColumnBuilder {
  readonly #pmid: number;
  readonly #counts: number[] = [];
  readonly #starts: number[] = [];
  readonly #values = new Column();
  readonly #capacity: number;
  #instances: Int32Array;
  #length = 0;
  #payloadBytes = 0;
  #lastText = '';

  /** @param capacity how many values will be added, at most as a rule */
  constructor(pmid: number, capacity: number) {
    this.#pmid = pmid;
    this.#capacity = capacity;
    this.#instances = new Int32Array(capacity);
  }

  /** Append a row; bytes of the set are copied. */
  add(set: ValueSet): void {
    if (this.#length === 0) {
      this.#values.reset(set.type);
      if (set.status > 0) this.#values.reserve(this.#capacity);
    }
    this.#counts.push(set.status);
    this.#starts.push(this.#length);
    const n = Math.max(set.status, 0);
    this.#reserveInstances(this.#length + n);
    this.#instances.set(set.instances.subarray(0, n), this.#length);
    this.#addValues(set, n);
    this.#length += n;
  }

  /**
   * Append a row of values of a fixed size right from the bytes they were read into. Answers whether it did: whatever is out of
   * the ordinary has to be decoded and added.
   */
  addFixed(type: MetricType, count: number, sets: FixedValues, blocks: FixedBlocks | undefined): boolean {
    if (this.#length === 0) {
      this.#values.reset(type);
      this.#values.reserve(Math.max(this.#capacity, count));
    }
    const values = this.#values;
    if (values.wide || values.type !== type) return false;
    const end = this.#length + count;
    values.reserve(end);
    this.#reserveInstances(end);
    if (!decodeFixed(type, count, sets, blocks, this.#instances, values.numbers, this.#length)) return false;
    this.#counts.push(count);
    this.#starts.push(this.#length);
    this.#length = end;
    values.length = end;
    return true;
  }

  /** @param rows what the rows that were added are of */
  finish(type: MetricType, rows: ColumnRows): MetricColumn {
    const values = this.#values;
    if (this.#length === 0) values.reset(type);
    const numbers = values.texts.length + values.bytes.length > 0 ? 0 : this.#length;
    if (values.numbers.length !== numbers) values.numbers = values.numbers.slice(0, numbers);
    if (values.wide && values.wide.length !== numbers) values.wide = values.wide.slice(0, numbers);
    const { counts, rowValues } = this.#shape(rows);
    return new MetricColumn(
      this.#pmid,
      type,
      rows.records,
      rows.secs,
      rows.nsecs,
      counts,
      rowValues,
      values,
      this.#payloadBytes + rows.bytes,
    );
  }

  #reserveInstances(length: number): void {
    if (this.#instances.length >= length) return;
    const grown = new Int32Array(Math.max(length, this.#instances.length * 2));
    grown.set(this.#instances);
    this.#instances = grown;
  }

  /** How the values lie, shared with the column before of the same rows when that is the same. */
  #shape(rows: ColumnRows): ColumnShape {
    const starts = Uint32Array.from(this.#starts.concat(this.#length));
    const instances = this.#instances.subarray(0, this.#length);
    const width = regularWidth(instances, starts);
    if (width === 0) {
      return { counts: Int32Array.from(this.#counts), rowValues: { width, instances: instances.slice(), starts } };
    }
    const { last } = rows.shape;
    if (last?.rowValues.width === width && last.rowValues.instances.every((id, i) => id === instances[i])) return last;
    const rowValues = { width, instances: instances.slice(0, width), starts: NO_STARTS };
    // Every row has as many values as any other: it is regular.
    rows.shape.last = { counts: Int32Array.from(this.#counts), rowValues };
    return rows.shape.last;
  }

  #addValues(set: ValueSet, n: number): void {
    const { column } = set;
    const values = this.#values;
    if (n === 0) return;
    if (column.texts.length > 0) {
      for (let i = 0; i < n; i++) {
        const text = column.texts[i]!;
        // Texts repeat from record to record: one copy will do.
        if (text === this.#lastText) {
          values.pushText(this.#lastText);
          this.#payloadBytes += 8;
        } else {
          this.#lastText = text;
          values.pushText(text);
          this.#payloadBytes += 40 + 2 * text.length;
        }
      }
    } else if (column.bytes.length > 0) {
      for (let i = 0; i < n; i++) {
        const bytes = column.bytes[i]!.slice();
        values.pushBytes(bytes);
        this.#payloadBytes += 100 + bytes.length;
      }
    } else if (column.wide) {
      for (let i = 0; i < n; i++) values.pushInteger(column.integerAt(i));
    } else {
      values.reserve(this.#length + n);
      if (values.wide) for (let i = 0; i < n; i++) values.pushNumber(column.numbers[i]!);
      else {
        values.numbers.set(column.numbers.subarray(0, n), this.#length);
        values.length += n;
      }
    }
  }
}
