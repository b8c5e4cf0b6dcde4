import { grown } from '../../kit/index.js';
import { Column, isArithmeticType, isWideType, MetricType } from '../../pmapi/index.js';
import type { AtomValue, ValueSet } from '../../pmapi/index.js';
import type { NumberBlock } from '../../sources/index.js';

const NO_BYTES = new Uint8Array(0);
const INITIAL_ROWS = 16;
/** Approximate bytes of a text or byte array besides its content. */
const OBJECT_BYTES = 40;

/** One metric and instance over time. Rows without a value have fillers (NaN, 0, empty text): see {@link isMissing}. */
export class GrowingSeries {
  /** The values; its length is the number of rows. */
  readonly column = new Column();
  readonly #isNumeric: boolean;
  #present = new Uint8Array(INITIAL_ROWS);
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
  numbersOf(from: number, to: number): number[] {
    const { numbers } = this.column;
    const present = this.#present;
    const some: number[] = [];
    for (let row = from; row < to; row++) some.push(present[row] === 1 ? numbers[row]! : NaN);
    return some;
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

  /** Appends the numbers of instance `k` of a block from `row` on; skipped rows are missing. */
  appendBlock(row: number, { type, numbers, stride, places }: NumberBlock, k: number, length: number): void {
    const { column } = this;
    if (column.length < row) this.padTo(row);
    if (column.type !== type) return;
    const end = row + length;
    this.#reserve(end);
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

  #reserve(rows: number): void {
    if (rows <= this.#present.length) return;
    this.#present = grown(this.#present, Math.max(rows, this.#present.length * 2));
    this.column.reserve(this.#present.length);
  }
}
