import { grown, throughInTurns } from '../../kit/index.js';
import { Column, isArithmeticType, isWideType, limitExceeded, MetricType } from '../../pmapi/index.js';
import type { AtomValue, FetchResult, Timestamp, ValueSet } from '../../pmapi/index.js';
import type { Batch, MarkReason, NumberBlock } from '../../sources/index.js';
import { DEFAULT_RANGE_LIMITS, type RangeLimits } from './range-request.js';
import type { RangeMetric, RangeSamples } from './metric-pipeline.js';

export interface ColumnSeries {
  readonly metric: number;
  readonly instance: number;
  readonly values: GrowingSeries;
}

export interface ColumnOptions {
  /** Gives marks a row without values, so that charts show the gap. */
  readonly marks?: boolean | undefined;
  readonly limits?: RangeLimits | undefined;
}

export interface ColumnMark {
  readonly row: number;
  readonly reason: MarkReason;
}

const INITIAL_ROWS = 64;
const METRICS_PER_STEP = 8;
const SERIES_BYTES = 300;
/** Of a number, and of whether it is there. */
const VALUE_BYTES = 9;

/** A range as columns: an array of times, and one of values per metric and instance, all of the same length. */
export class RangeColumns {
  readonly metrics: readonly RangeMetric[];
  readonly marks: ColumnMark[] = [];
  readonly #byMetric: readonly Map<number, ColumnSeries>[];
  readonly #inOrder: readonly ColumnSeries[][];
  readonly #columnBytes: number;
  #secs = new Float64Array(INITIAL_ROWS);
  #nsecs = new Int32Array(INITIAL_ROWS);
  #rows = 0;
  /** Bytes at the last count: counting at every row would cost more than filling. */
  #countedBytes = 0;
  #countAtRow = 0;
  #seriesCount = 0;

  constructor(metrics: readonly RangeMetric[], limits: RangeLimits = DEFAULT_RANGE_LIMITS) {
    this.metrics = metrics;
    this.#byMetric = metrics.map(() => new Map());
    this.#inOrder = metrics.map(() => []);
    this.#columnBytes = limits.columnBytes;
  }

  get length(): number {
    return this.#rows;
  }

  timeAt(row: number): Timestamp {
    return { sec: this.#secs[row]!, nsec: this.#nsecs[row]! };
  }

  get series(): readonly ColumnSeries[] {
    return this.metrics.flatMap((_, metric) => this.seriesOf(metric));
  }

  seriesOf(metric: number): readonly ColumnSeries[] {
    const series = this.#inOrder[metric]!;
    for (const { values } of series) values.padTo(this.#rows);
    return series;
  }

  /** Appends the samples of a batch, a few metrics per step. Throws LIMIT_EXCEEDED for too large columns. */
  *add({ length, secs, nsecs, columns, isMark, reason = 'mark', following = 0 }: Batch): Generator<void, void> {
    const row = this.#rows;
    if (isMark) this.marks.push({ row, reason });
    this.#rows += length;
    this.#reserve(this.#rows);
    this.#secs.set(secs, row);
    this.#nsecs.set(nsecs, row);
    let perRow = 0;
    for (const { block } of columns) if (block) perRow += VALUE_BYTES * block.instances.length;
    const room = this.#rows + ((this.#rows + following) * perRow <= this.#columnBytes ? following : 0);
    for (let metric = 0; metric < columns.length; metric++) {
      const column = columns[metric]!;
      const { block } = column;
      if (block) this.#appendBlock(row, metric, block, length, room);
      else for (let i = 0; i < length; i++) this.#append(row + i, metric, column.at(i));
      this.#checkBytes();
      if (metric % METRICS_PER_STEP === METRICS_PER_STEP - 1) yield;
    }
  }

  #append(row: number, metric: number, set: ValueSet): void {
    const known = this.#byMetric[metric]!;
    const likely = this.#inOrder[metric]!;
    for (let i = 0; i < set.status; i++) {
      const instance = set.instances[i]!;
      // The instances of a sample are usually those of the one before.
      const seen = likely[i]?.instance === instance ? likely[i] : known.get(instance);
      const series = seen ?? this.#addSeries(metric, instance);
      if (series.values.length <= row) series.values.append(row, set, i);
    }
  }

  #appendBlock(row: number, metric: number, block: NumberBlock, length: number, room: number): void {
    const { instances } = block;
    for (let k = 0; k < instances.length; k++) {
      const instance = instances[k]!;
      const series = this.#byMetric[metric]!.get(instance) ?? this.#addSeries(metric, instance);
      series.values.appendBlock(row, block, k, length, room);
    }
  }

  #addSeries(metric: number, instance: number): ColumnSeries {
    const series = { metric, instance, values: new GrowingSeries(this.metrics[metric]!.descriptor.type) };
    this.#byMetric[metric]!.set(instance, series);
    this.#inOrder[metric]!.push(series);
    this.#seriesCount++;
    return series;
  }

  #checkBytes(): void {
    // At most the bytes that all series can have grown to since the last count.
    const perRow = 20 + 17 * this.#seriesCount;
    const grown = (this.#rows - this.#countAtRow) * perRow * 2 + this.#seriesCount * SERIES_BYTES;
    if (this.#countedBytes + grown <= this.#columnBytes) return;
    this.#countedBytes = 20 * this.#rows;
    for (const instances of this.#byMetric) {
      for (const { values } of instances.values()) this.#countedBytes += values.bytes + SERIES_BYTES;
    }
    this.#countAtRow = this.#rows;
    if (this.#countedBytes <= this.#columnBytes) return;
    const fits = `about ${this.#rows} samples fit: set points or an interval, request fewer metrics, or use rows, which are streamed`;
    const size = `${this.#rows} samples of ${this.#seriesCount} metrics and instances`;
    throw limitExceeded(`the columns of ${size} take more than ${this.#columnBytes} bytes; ${fits}`, fits, 'points');
  }

  #reserve(rows: number): void {
    if (rows <= this.#secs.length) return;
    const room = Math.max(rows, this.#secs.length * 2);
    this.#secs = grown(this.#secs, room);
    this.#nsecs = grown(this.#nsecs, room);
  }
}

/** Reads a range to its end into columns. Throws as reading does, and LIMIT_EXCEEDED. */
export async function collectColumns(samples: RangeSamples, options: ColumnOptions = {}): Promise<RangeColumns> {
  const columns = new RangeColumns(samples.metrics, options.limits);
  for await (const batch of samples.batches()) {
    if (batch.isMark && options.marks !== true) continue;
    await throughInTurns(columns.add(batch));
  }
  return columns;
}

/** Values and metrics processed in one turn of the event loop. */
const VALUES_AT_ONCE = 4000;

/** Whether writing a sample at once would make others wait. */
export function isWide({ sets }: FetchResult): boolean {
  let values = sets.length;
  for (const { status } of sets) values += Math.max(status, 0);
  return values > VALUES_AT_ONCE;
}

const NO_BYTES = new Uint8Array(0);
const SERIES_ROWS = 16;
/** Approximate bytes of a text or byte array besides its content. */
const OBJECT_BYTES = 40;

/** One metric and instance over time. Rows without a value have fillers (NaN, 0, empty text): see {@link isMissing}. */
export class GrowingSeries {
  /** The values; its length is the number of rows. */
  readonly column = new Column();
  readonly #isNumeric: boolean;
  #present = new Uint8Array(SERIES_ROWS);
  #payloadBytes = 0;

  constructor(type: MetricType) {
    this.column.reset(type);
    this.#isNumeric = isArithmeticType(type);
  }

  get length(): number {
    return this.column.length;
  }

  get bytes(): number {
    const { numbers, wide } = this.column;
    return numbers.byteLength + (wide?.byteLength ?? 0) + this.#present.byteLength + this.#payloadBytes;
  }

  isMissing(row: number): boolean {
    return this.#present[row] !== 1;
  }

  /** The numbers of some rows, NaN where missing, for number types without a wide lane. */
  numbersOf(from: number, to: number): Float64Array {
    const numbers = this.column.numbers.subarray(from, to);
    const present = this.#present.subarray(from, to);
    return present.includes(0) ? numbers.map((number, i) => (present[i] === 1 ? number : NaN)) : numbers;
  }

  at(row: number): AtomValue | undefined {
    return this.isMissing(row) ? undefined : this.column.atomAt(row);
  }

  /** Appends value `i` of a set as `row`; skipped rows are missing. */
  append(row: number, set: ValueSet, i: number): void {
    const { column } = this;
    if (column.length < row) this.padTo(row);
    // A value of another type than the descriptor's does not belong to the metric.
    if (column.type !== set.column.type) return;
    if (row >= this.#present.length) this.#reserve(row + 1);
    this.#present[row] = 1;
    if (this.#isNumeric && !set.column.wide) {
      column.pushNumber(set.column.numbers[i]!);
      return;
    }
    const value = set.column.atomAt(i);
    column.push(value);
    if (typeof value === 'string') this.#payloadBytes += OBJECT_BYTES + 2 * value.length;
    else if (typeof value === 'object') this.#payloadBytes += OBJECT_BYTES + value.length;
  }

  /** Appends the numbers of instance `k` of a block from `row` on, with room for so many rows in all; skipped rows are missing. */
  appendBlock(
    row: number,
    { type, numbers, stride, places }: NumberBlock,
    k: number,
    length: number,
    room: number,
  ): void {
    const { column } = this;
    if (column.length < row) this.padTo(row);
    if (column.type !== type) return;
    const end = row + length;
    this.#reserve(end, room);
    this.#present.fill(1, row, end);
    let from = places[k]!;
    if (column.wide) {
      for (let i = 0; i < length; i++, from += stride) column.pushNumber(numbers[from]!);
      return;
    }
    column.reserve(end);
    const own = column.numbers;
    for (let i = row; i < end; i++, from += stride) own[i] = numbers[from]!;
    column.length = end;
  }

  padTo(rows: number): void {
    const { column } = this;
    if (column.length >= rows) return;
    this.#reserve(rows);
    while (column.length < rows) {
      if (isWideType(column.type)) column.pushNumber(0);
      else if (isArithmeticType(column.type)) column.pushNumber(NaN);
      else if (column.type === MetricType.STRING) column.pushText('');
      else column.pushBytes(NO_BYTES);
    }
  }

  #reserve(rows: number, room = rows): void {
    if (rows <= this.#present.length) return;
    this.#present = grown(this.#present, Math.max(room, this.#present.length * 2));
    this.column.reserve(this.#present.length);
  }
}
