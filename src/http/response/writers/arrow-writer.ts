import {
  Batch as ArrowBatch,
  batchType,
  binary,
  Column as ArrowColumn,
  field,
  float32,
  float64,
  int32,
  int64,
  Table,
  tableToIPC,
  timestamp,
  TimeUnit,
  uint32,
  uint64,
  utf8,
} from '@uwdata/flechette';
import type { DataType, Field, TypedArray } from '@uwdata/flechette';
import type { TableColumn, TableLayout } from '../../../context/range/index.js';
import type { OpenRange } from '../../../context/index.js';
import { eventLoopTurns } from '../../../kit/index.js';
import { formatSemantics, INSTANCE_NULL, MetricType } from '../../../pmapi/index.js';
import type { Label, MetricDescriptor, ValueSet } from '../../../pmapi/index.js';
import type { Batch, BatchColumn, NumberBlock } from '../../../sources/index.js';
import { typeWord, unitsText, writeLabels } from './metadata-writer.js';

export const ARROW_TYPE = 'application/vnd.apache.arrow.stream';

export type LabelsOfSeries = (metric: number) => Promise<{
  readonly labels: readonly Label[];
  readonly instances: ReadonlyMap<number, readonly Label[]> | undefined;
}>;

const VALUES_PER_BATCH = 262_144;
const ROWS_PER_BATCH = 65_536;

/**
 * Apache Arrow's IPC stream: a column of times, and a nullable one per metric and instance, of PCP's types, with metadata `metric`,
 * `instance`, `instid`, `type`, `semantics`, `units`, `labels`. @see https://arrow.apache.org/docs/format/Columnar.html
 */
export async function* writeArrow(range: OpenRange, labelsOf: LabelsOfSeries): AsyncGenerator<Uint8Array, void> {
  const layout = await range.layOut();
  const { metrics } = range.tableSamples;
  const fields: Field[] = [field('time', timestamp(TimeUnit.NANOSECOND, 'UTC'), false)];
  const { columns } = layout;
  // Those of a metric stand together.
  for (let next = 0; next < columns.length;) {
    const { metric } = columns[next]!;
    const { name, descriptor } = metrics[metric]!;
    const { labels, instances } = await labelsOf(metric);
    for (let column = columns[next]; column?.metric === metric; column = columns[++next]) {
      const own = instances?.get(column.instance);
      fields.push(fieldOf(column, name, descriptor, own ? [...labels, ...own] : labels));
    }
    const turn = eventLoopTurns.next();
    if (turn) await turn;
  }
  const batch = new RecordBatch(
    fields,
    layout,
    metrics.map(({ descriptor }) => descriptor.type),
  );
  for await (const rows of range.tableSamples.batches()) {
    for (let row = 0; row < rows.length;) {
      row += batch.add(rows, row);
      if (batch.isFull) yield batch.take();
    }
  }
  // The last one also tells a reader what there would have been, if there is nothing.
  yield batch.take();
  yield END_OF_STREAM;
}

const END_OF_STREAM = new Uint8Array([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);

function fieldOf(
  { instance, heading }: TableColumn,
  name: string,
  { type, semantics, units }: MetricDescriptor,
  labels: readonly Label[],
): Field {
  const about = new Map([['metric', name]]);
  if (instance !== INSTANCE_NULL) {
    about.set('instance', heading.slice(name.length + 1, -1)).set('instid', String(instance));
  }
  about.set('type', typeWord(type)).set('semantics', formatSemantics(semantics)).set('units', unitsText(units));
  return field(heading, formOf(type).type, true, about.set('labels', writeLabels(labels)));
}

interface ColumnForm {
  readonly type: DataType;
  readonly make: (capacity: number) => ArrowBuilder;
}

const BYTES: ColumnForm = { type: binary(), make: (capacity) => new BytesColumn(capacity) };
const FORMS: ReadonlyMap<MetricType, ColumnForm> = new Map<MetricType, ColumnForm>([
  [MetricType.I32, { type: int32(), make: (capacity) => new NumberColumn(new Int32Array(capacity)) }],
  [MetricType.U32, { type: uint32(), make: (capacity) => new NumberColumn(new Uint32Array(capacity)) }],
  [MetricType.FLOAT, { type: float32(), make: (capacity) => new NumberColumn(new Float32Array(capacity)) }],
  [MetricType.DOUBLE, { type: float64(), make: (capacity) => new NumberColumn(new Float64Array(capacity)) }],
  [MetricType.I64, { type: int64(), make: (capacity) => new WideColumn(capacity) }],
  [MetricType.U64, { type: uint64(), make: (capacity) => new WideColumn(capacity) }],
  [MetricType.STRING, { ...BYTES, type: utf8() }],
]);

function formOf(type: MetricType): ColumnForm {
  return FORMS.get(type) ?? BYTES;
}

class RecordBatch {
  readonly #fields: readonly Field[];
  readonly #types: readonly MetricType[];
  /** For each metric the columns of its instances. */
  readonly #places: readonly ReadonlyMap<number, number>[];
  readonly #capacity: number;
  readonly #times: WideColumn;
  readonly #columns: readonly ArrowBuilder[];
  #length = 0;
  #isFirst = true;

  constructor(fields: readonly Field[], { columns }: TableLayout, types: readonly MetricType[]) {
    this.#fields = fields;
    this.#types = columns.map(({ metric }) => types[metric]!);
    const places = types.map(() => new Map<number, number>());
    for (const [k, { metric, instance }] of columns.entries()) places[metric]!.set(instance, k);
    this.#places = places;
    this.#capacity = Math.min(ROWS_PER_BATCH, Math.max(1, Math.floor(VALUES_PER_BATCH / fields.length)));
    this.#times = new WideColumn(this.#capacity);
    this.#columns = this.#types.map((type) => formOf(type).make(this.#capacity));
  }

  get isFull(): boolean {
    return this.#length === this.#capacity;
  }

  /** Adds rows of a batch from one on while there is room; returns how many. */
  add(batch: Batch, from: number): number {
    const count = Math.min(batch.length - from, this.#capacity - this.#length);
    this.#times.setTimes(this.#length, batch, from, count);
    // A mark has no columns: its row is null.
    for (const [metric, column] of batch.columns.entries()) this.#addColumn(column, this.#places[metric]!, from, count);
    this.#length += count;
    return count;
  }

  #addColumn(column: BatchColumn, places: ReadonlyMap<number, number>, from: number, count: number): void {
    const { block } = column;
    if (block) {
      const { instances } = block;
      for (let i = 0; i < instances.length; i++) {
        const k = places.get(instances[i]!);
        if (k !== undefined && block.type === this.#types[k]) {
          this.#columns[k]!.setRows(this.#length, block, i, from, count);
        }
      }
      return;
    }
    for (let row = 0; row < count; row++) {
      if (column.status(from + row) <= 0) continue;
      const set = column.at(from + row);
      for (let i = 0; i < set.status; i++) {
        const k = places.get(set.instances[i]!);
        // A value of another type than the descriptor's does not belong to the metric.
        if (k !== undefined && set.column.type === this.#types[k]) this.#columns[k]!.set(this.#length + row, set, i);
      }
    }
  }

  /** The rows as a message of the stream, after the schema if it is the first. */
  take(): Uint8Array {
    const length = this.#length;
    const columns = [this.#times, ...this.#columns].map((column, k) => column.column(this.#fields[k]!.type, length));
    const table = new Table({ fields: this.#isFirst ? [...this.#fields] : [] }, columns);
    // It is a copy: the columns are filled again.
    const bytes = tableToIPC(table, { format: 'stream' })!;
    // The schema of another batch has no body: it ends with its metadata.
    const begin = this.#isFirst ? 0 : 8 + new DataView(bytes.buffer, bytes.byteOffset).getInt32(4, true);
    this.#isFirst = false;
    this.#length = 0;
    this.#times.clear();
    for (const column of this.#columns) column.clear();
    return bytes.subarray(begin, bytes.length - END_OF_STREAM.length);
  }
}

interface Buffers {
  readonly values: TypedArray;
  readonly offsets?: Int32Array;
  readonly validity?: Uint8Array;
}

/** A column of a record batch, with its validity bits. */
abstract class ArrowBuilder {
  readonly #validity: Uint8Array<ArrayBuffer>;
  #values = 0;

  constructor(capacity: number) {
    this.#validity = new Uint8Array(Math.ceil(capacity / 8));
  }

  abstract set(row: number, set: ValueSet, at: number): void;

  /** Takes `count` values of an instance of a block (its index there). */
  abstract setRows(row: number, block: NumberBlock, place: number, from: number, count: number): void;

  protected abstract buffers(length: number): Buffers;

  column(type: DataType, length: number): ArrowColumn<unknown> {
    const nullCount = length - this.#values;
    const validity = nullCount === 0 ? EMPTY : this.#validity.subarray(0, Math.ceil(length / 8));
    const TypedBatch = batchType(type) as typeof ArrowBatch<unknown>;
    return new ArrowColumn([new TypedBatch({ length, nullCount, type, ...this.buffers(length), validity })], type);
  }

  clear(): void {
    this.#validity.fill(0);
    this.#values = 0;
  }

  protected mark(row: number, count: number): void {
    const validity = this.#validity;
    const end = row + count;
    this.#values += count;
    for (; row < end && (row & 7) !== 0; row++) validity[row >> 3]! |= 1 << (row & 7);
    const bytes = (end - row) >> 3;
    validity.fill(0xff, row >> 3, (row >> 3) + bytes);
    for (row += 8 * bytes; row < end; row++) validity[row >> 3]! |= 1 << (row & 7);
  }
}

const EMPTY = new Uint8Array(0);

type Numbers =
  Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

class NumberColumn extends ArrowBuilder {
  readonly #numbers: Numbers;
  constructor(numbers: Numbers) {
    super(numbers.length);
    this.#numbers = numbers;
  }

  set(row: number, { column }: ValueSet, at: number): void {
    this.#numbers[row] = column.numbers[at]!;
    this.mark(row, 1);
  }

  setRows(row: number, { numbers, stride, places }: NumberBlock, place: number, from: number, count: number): void {
    const own = this.#numbers;
    let at = from * stride + places[place]!;
    for (let i = row; i < row + count; i++, at += stride) own[i] = numbers[at]!;
    this.mark(row, count);
  }

  protected buffers(length: number): Buffers {
    return { values: this.#numbers.subarray(0, length) };
  }
}

const [TWO_16, TWO_32] = [2 ** 16, 2 ** 32];

/** 64-bit integers in halves: exact numbers need not become bigints. */
class WideColumn extends ArrowBuilder {
  readonly #halves: Uint32Array<ArrayBuffer>;
  readonly #integers: BigInt64Array<ArrayBuffer>;

  constructor(capacity: number) {
    super(capacity);
    this.#halves = new Uint32Array(2 * capacity);
    this.#integers = new BigInt64Array(this.#halves.buffer);
  }

  set(row: number, { column }: ValueSet, at: number): void {
    if (column.wide) this.#integers[row] = column.wide[at]!;
    else setHalves(this.#halves, row, column.numbers[at]!);
    this.mark(row, 1);
  }

  setRows(row: number, { numbers, stride, places }: NumberBlock, place: number, from: number, count: number): void {
    const halves = this.#halves;
    let at = from * stride + places[place]!;
    for (let i = row; i < row + count; i++, at += stride) setHalves(halves, i, numbers[at]!);
    this.mark(row, count);
  }

  /** Sets the times of rows, in nanoseconds since the epoch. */
  setTimes(row: number, { secs, nsecs }: Batch, from: number, count: number): void {
    const halves = this.#halves;
    for (let i = 0; i < count; i++) {
      // Two parts that numbers hold exactly: multiples of 2^16 seconds, and the rest.
      const high = Math.floor(secs[from + i]! / TWO_16);
      const low = (secs[from + i]! - high * TWO_16) * 1e9 + nsecs[from + i]!;
      const shifted = high * 1e9;
      const rest = (shifted - Math.floor(shifted / TWO_16) * TWO_16) * TWO_16 + low;
      halves[2 * (row + i)] = rest;
      halves[2 * (row + i) + 1] = Math.floor(shifted / TWO_16) + Math.floor(rest / TWO_32);
    }
    this.mark(row, count);
  }

  protected buffers(length: number): Buffers {
    return { values: this.#integers.subarray(0, length) };
  }
}

/** Sets an integer by little-endian halves: both take the number modulo 2^32. */
function setHalves(halves: Uint32Array, row: number, number: number): void {
  const low = number | 0;
  halves[2 * row] = number;
  halves[2 * row + 1] = low === number ? low >> 31 : Math.floor(number / TWO_32);
}

class BytesColumn extends ArrowBuilder {
  readonly #capacity: number;
  #pieces: Uint8Array[] = [];
  readonly #offsets: Int32Array<ArrayBuffer>;
  #bytes = 0;
  #rows = 0;

  constructor(capacity: number) {
    super(capacity);
    this.#capacity = capacity;
    this.#offsets = new Int32Array(capacity + 1);
  }

  set(row: number, { column }: ValueSet, at: number): void {
    const value = column.type === MetricType.STRING ? Buffer.from(column.texts[at]!) : column.bytes[at];
    if (!value) return;
    this.#fill(row);
    // What the value lies in is used again for the next record.
    this.#pieces.push(new Uint8Array(value));
    this.#bytes += value.length;
    this.mark(row, 1);
  }

  override clear(): void {
    super.clear();
    this.#pieces = [];
    this.#bytes = this.#rows = 0;
  }

  setRows(): void {
    // Blocks hold numbers only.
  }

  protected buffers(length: number): Buffers {
    this.#fill(Math.min(length, this.#capacity));
    const values = new Uint8Array(this.#bytes);
    let at = 0;
    for (const piece of this.#pieces) {
      values.set(piece, at);
      at += piece.length;
    }
    return { values, offsets: this.#offsets.subarray(0, length + 1) };
  }

  /** Rows up to one begin where the values so far end. */
  #fill(row: number): void {
    for (; this.#rows <= row; this.#rows++) this.#offsets[this.#rows] = this.#bytes;
  }
}
