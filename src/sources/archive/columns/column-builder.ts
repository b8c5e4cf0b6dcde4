import { Column, MetricType, type ValueSet } from '../../../pmapi/index.js';
import { decodeFixed, keepValues, type FixedBlocks, type FixedValues } from './kept-columns.js';
import { footprint, type RecordTable } from '../records/record-table.js';
import { MetricColumn, type ColumnShape, type RowTimes } from './metric-column.js';
import type { PlannedSet } from './read-plan.js';

/** Memory of a column without its typed arrays, with its cache entry. */
const COLUMN_BYTES = 400;

/** The rows of columns: metrics that always come together share them. */
export interface ColumnRows extends RowTimes {
  /** Bytes charged to the first reader; 0 for those who share them. */
  readonly bytes: number;
  /** The layout of the last regular column. */
  readonly shape: { last: CountedShape | undefined };
}

interface CountedShape extends ColumnShape {
  /** As {@link ColumnRows.bytes}. */
  readonly bytes: number;
}

const NO_STARTS = new Uint32Array(0);

const knownRows = new WeakMap<RecordTable, ColumnRows[]>();
const MAX_KNOWN_ROWS = 16;

export function rowsOf(table: RecordTable, planned: readonly Pick<PlannedSet, 'record'>[]): ColumnRows {
  const known = knownRows.get(table) ?? [];
  const same = known.find(({ records }) => isRowsOf(records, planned));
  if (same) return { ...same, bytes: 0 };
  const records = Uint32Array.from(planned, ({ record }) => record);
  const secs = Float64Array.from(planned, ({ record }) => table.secs[record]!);
  const nsecs = Int32Array.from(planned, ({ record }) => table.nsecs[record]!);
  const rows = { records, secs, nsecs, bytes: footprint(records, secs, nsecs), shape: { last: undefined } };
  if (known.length < MAX_KNOWN_ROWS) knownRows.set(table, [...known, rows]);
  return rows;
}

function isRowsOf(records: Uint32Array, planned: readonly Pick<PlannedSet, 'record'>[]): boolean {
  if (records.length !== planned.length) return false;
  for (let i = 0; i < planned.length; i++) if (records[i] !== planned[i]!.record) return false;
  return true;
}

/** Buffers reused by the next builder, so that only what is kept is allocated. */
interface Workspace {
  readonly values: Column;
  instances: Int32Array;
  counts: Int32Array;
}

/** Workspaces for more values than this are not reused. */
const MAX_SPARE_VALUES = 64 * 1024;

let spare: Workspace | undefined;

function takeWorkspace(): Workspace {
  const space = spare ?? { values: new Column(), instances: new Int32Array(0), counts: new Int32Array(0) };
  spare = undefined;
  return space;
}

function leaveWorkspace(space: Workspace): void {
  // Not even its texts and bytes are held on to.
  space.values.reset(MetricType.U32);
  const { values, instances, counts } = space;
  if (Math.max(values.numbers.length, instances.length, counts.length) <= MAX_SPARE_VALUES) spare = space;
}

export class ColumnBuilder {
  readonly #pmid: number;
  readonly #space = takeWorkspace();
  readonly #values = this.#space.values;
  readonly #capacity: number;
  #rows = 0;
  #length = 0;
  #payloadBytes = 0;
  #lastText = '';

  /** @param capacity the usual number of values */
  constructor(pmid: number, capacity: number) {
    this.#pmid = pmid;
    this.#capacity = capacity;
    this.#reserveInstances(capacity);
  }

  add(set: ValueSet): void {
    if (this.#length === 0) {
      this.#values.reset(set.type);
      if (set.status > 0) this.#values.reserve(this.#capacity);
    }
    this.#addRow(set.status);
    const n = Math.max(set.status, 0);
    this.#reserveInstances(this.#length + n);
    this.#space.instances.set(set.instances.subarray(0, n), this.#length);
    this.#addValues(set, n);
    this.#length += n;
  }

  /** Appends a row of fixed-size values straight from the bytes read. Returns false for anything unusual: decode and add that. */
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
    if (!decodeFixed(type, count, sets, blocks, this.#space.instances, values.numbers, this.#length)) return false;
    this.#addRow(count);
    this.#length = end;
    values.length = end;
    return true;
  }

  /** The finished column. @param rows its records */
  finish(type: MetricType, rows: ColumnRows): MetricColumn {
    const values = keepValues(this.#values);
    const shape = this.#shape(rows);
    const own = COLUMN_BYTES + footprint(values.numbers, values.wide) + this.#payloadBytes;
    leaveWorkspace(this.#space);
    return new MetricColumn(this.#pmid, type, rows, shape, values, own + rows.bytes + shape.bytes);
  }

  #addRow(count: number): void {
    const { counts } = this.#space;
    if (this.#rows === counts.length) {
      this.#space.counts = new Int32Array(Math.max(16, counts.length * 2));
      this.#space.counts.set(counts);
    }
    this.#space.counts[this.#rows++] = count;
  }

  #reserveInstances(length: number): void {
    const { instances } = this.#space;
    if (instances.length >= length) return;
    this.#space.instances = new Int32Array(Math.max(length, instances.length * 2));
    this.#space.instances.set(instances);
  }

  /** The layout of the values, shared with the previous column of the same rows if equal. */
  #shape(rows: ColumnRows): CountedShape {
    const counts = this.#space.counts.subarray(0, this.#rows);
    const instances = this.#space.instances.subarray(0, this.#length);
    const width = regularWidth(instances, counts);
    const { last } = rows.shape;
    if (width > 0 && last?.rowValues.width === width && haveSameInstances(last, instances)) {
      return { ...last, bytes: 0 };
    }
    if (width === 0) {
      const rowValues = { width, instances: instances.slice(), starts: startsOf(counts) };
      const bytes = footprint(counts, rowValues.instances, rowValues.starts);
      return { counts: counts.slice(), rowValues, bytes };
    }
    // Every row has as many values as any other: it is regular.
    const rowValues = { width, instances: instances.slice(0, width), starts: NO_STARTS };
    rows.shape.last = { counts: counts.slice(), rowValues, bytes: footprint(counts, rowValues.instances) };
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

function haveSameInstances({ rowValues }: ColumnShape, instances: Int32Array): boolean {
  const { width, instances: known } = rowValues;
  for (let k = 0; k < width; k++) if (known[k] !== instances[k]) return false;
  return true;
}

/** Values per row, if all rows have the same instances in the same, ascending order; 0 otherwise. */
function regularWidth(instances: Int32Array, counts: Int32Array): number {
  const width = Math.max(counts[0] ?? 0, 0);
  for (let row = 1; row < counts.length; row++) if (counts[row] !== width) return 0;
  for (let k = 1; k < width; k++) if (instances[k]! <= instances[k - 1]!) return 0;
  // Every row is like the one before it.
  for (let i = width; i < instances.length; i++) if (instances[i] !== instances[i - width]) return 0;
  return width;
}

function startsOf(counts: Int32Array): Uint32Array {
  const starts = new Uint32Array(counts.length + 1);
  for (let row = 0; row < counts.length; row++) starts[row + 1] = starts[row]! + Math.max(counts[row]!, 0);
  return starts;
}
