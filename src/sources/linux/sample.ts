import { grown } from '../../kit/index.js';
import { isArithmeticType, MetricType, type ValueSet, type Instance } from '../../pmapi/index.js';
import type { ByteScanner, ProcFile, ProcFiles } from './proc-files.js';
import type { InstanceProfile } from '../profile.js';

/** A file or several, parsed into fields that stay until the next refresh: one a round of `snapshotMs`, shared by concurrent fetches. */
export abstract class Sample {
  #round = -1;

  /** Refreshes the fields for a round. Never throws: unreadable values are absent. */
  ensure(round: number): void {
    if (this.#round === round) return;
    this.#round = round;
    this.refresh();
  }

  /** Reads and parses. Absent values must not keep their old value. */
  protected abstract refresh(): void;
}

export abstract class SampleOfFile extends Sample {
  readonly #files: ProcFiles;
  readonly #file: ProcFile;

  constructor(files: ProcFiles, path: string) {
    super();
    this.#files = files;
    this.#file = files.file(path);
  }

  protected scan(): ByteScanner | undefined {
    return this.#files.scan(this.#file);
  }

  /** Visits each line, the scanner at its start. False if the file cannot be read. */
  protected eachLine(visit: (scanner: ByteScanner) => void): boolean {
    const scanner = this.scan();
    if (!scanner) return false;
    if (scanner.atEnd) return true;
    do visit(scanner);
    while (scanner.nextLine());
    return true;
  }
}

const INITIAL_CELLS = 64;
/** FLT_MAX: larger values would become infinite, which no client can read. */
const FLOAT_MAX = (2 - 2 ** -23) * 2 ** 127;

/** Rows of numbers, each cell absent or exact: integers beyond ±2^53 are kept separately. Reused from sample to sample. */
export class NumberGrid {
  rows = 0;
  /** NaN: absent. */
  #cells: Float64Array;
  #wide: Map<number, bigint> | undefined = undefined;

  constructor(readonly columns: number) {
    this.#cells = new Float64Array(Math.max(columns, INITIAL_CELLS));
  }

  clear(rows = 0): void {
    this.rows = 0;
    this.#wide = undefined;
    while (this.rows < rows) this.addRow();
  }

  /** Makes room for so many rows. */
  reserve(rows: number): void {
    if (rows * this.columns <= this.#cells.length) return;
    this.#cells = grown(this.#cells, Math.max(this.#cells.length * 2, rows * this.columns));
  }

  /** Appends a row of absent cells; returns its number. */
  addRow(): number {
    const start = this.rows * this.columns;
    this.reserve(this.rows + 1);
    this.#cells.fill(NaN, start, start + this.columns);
    return this.rows++;
  }

  set(row: number, column: number, value: number): void {
    this.#cells[row * this.columns + column] = value;
  }

  store(row: number, column: number, scanner: ByteScanner): void {
    const cell = row * this.columns + column;
    this.#cells[cell] = scanner.value;
    if (scanner.wide !== undefined) (this.#wide ??= new Map()).set(cell, scanner.wide);
  }

  /** Reads integers from the scanner's line into a row, from `column` on; returns how many there were. */
  storeLine(row: number, column: number, count: number, scanner: ByteScanner): number {
    for (let i = 0; i < count; i++) {
      if (!scanner.integer()) return i;
      this.store(row, column + i, scanner);
    }
    return count;
  }

  has(row: number, column: number): boolean {
    return !Number.isNaN(this.number(row, column));
  }

  /** The cell as a number, NaN if absent; approximate beyond ±2^53. */
  number(row: number, column: number): number {
    return this.#cells[row * this.columns + column]!;
  }

  integer(row: number, column: number): bigint {
    const cell = row * this.columns + column;
    const wide = this.#wide?.get(cell);
    if (wide !== undefined) return wide;
    const value = this.#cells[cell]!;
    return Number.isNaN(value) ? 0n : BigInt(Math.trunc(value));
  }

  /** Whether some cell holds an integer beyond ±2^53, so that sums need {@link integer}. */
  get hasWide(): boolean {
    return this.#wide !== undefined;
  }

  /** Appends the cell times `multiplier`, divided (rounding down) by `divisor`, to a value set; nothing if absent. */
  emit(set: ValueSet, instance: number, row: number, column: number, multiplier = 1, divisor = 1): void {
    const value = this.number(row, column);
    if (Number.isNaN(value)) return;
    const scaled = value * multiplier;
    if ((this.#wide !== undefined || !Number.isSafeInteger(scaled)) && Number.isInteger(value)) {
      addInteger(set, instance, (this.integer(row, column) * BigInt(multiplier)) / BigInt(divisor));
      return;
    }
    addNumber(set, instance, divisor === 1 ? scaled : Math.floor(scaled / divisor));
  }

  /** Appends `(a + sign × b) × multiplier / divisor` (rounded down), never negative; nothing if `a` is absent. An absent `b` is 0. */
  emitSum(
    set: ValueSet,
    instance: number,
    row: number,
    a: number,
    b: number,
    sign: 1 | -1 = 1,
    multiplier = 1,
    divisor = 1,
  ): void {
    const first = this.number(row, a);
    if (Number.isNaN(first)) return;
    const second = this.has(row, b) ? this.number(row, b) : 0;
    const scaled = Math.max(0, first + sign * second) * multiplier;
    if (this.#wide !== undefined || !Number.isSafeInteger(scaled)) {
      const sum = this.integer(row, a) + BigInt(sign) * this.integer(row, b);
      addInteger(set, instance, sum < 0n ? 0n : (sum * BigInt(multiplier)) / BigInt(divisor));
      return;
    }
    addNumber(set, instance, divisor === 1 ? scaled : Math.floor(scaled / divisor));
  }
}

/** Appends a number in the set's type: integers wrap as in C, FLOAT is rounded. Integers for 64 and U64 must be within ±2^53. */
export function addNumber(set: ValueSet, instance: number, value: number): void {
  const { type } = set;
  if (type === MetricType.U32) set.addNumber(instance, value >>> 0);
  else if (type === MetricType.I32) set.addNumber(instance, value | 0);
  else if (type === MetricType.FLOAT) {
    set.addNumber(instance, Math.fround(Math.max(-FLOAT_MAX, Math.min(FLOAT_MAX, value))));
  } else if (type === MetricType.U64 && value < 0 && Number.isInteger(value)) {
    addInteger(set, instance, BigInt(value));
  } else if (isArithmeticType(type)) set.addNumber(instance, value);
  else throw new Error(`a number for a metric of type ${type}`);
}

/** Appends an integer of any size to a value set in the set's own type, wrapping as in C. */
export function addInteger(set: ValueSet, instance: number, value: bigint): void {
  const { type } = set;
  if (type === MetricType.U64) set.addInteger(instance, BigInt.asUintN(64, value));
  else if (type === MetricType.I64) set.addInteger(instance, BigInt.asIntN(64, value));
  else if (type === MetricType.U32) set.addNumber(instance, Number(BigInt.asUintN(32, value)));
  else if (type === MetricType.I32) set.addNumber(instance, Number(BigInt.asIntN(32, value)));
  else addNumber(set, instance, Number(value));
}

/** The active instances of one instance domain in the latest sample, in the order of the file that lists them. */
export class InstanceTable {
  count = 0;
  /** Instance number of each row; may be longer than {@link count}. */
  ids = new Int32Array(8);

  constructor(readonly indom: number) {}

  clear(): void {
    this.count = 0;
  }

  /** Returns its row. */
  add(id: number): number {
    if (this.count === this.ids.length) this.ids = grown(this.ids, this.ids.length * 2);
    this.ids[this.count] = id;
    return this.count++;
  }

  /** Calls `emit` for each instance of the profile: the inner loop of nearly every metric with instances. */
  fill(set: ValueSet, profile: InstanceProfile, emit: (set: ValueSet, id: number, row: number) => void): void {
    const { ids, count, indom } = this;
    if (profile.includesAll(indom)) {
      for (let row = 0; row < count; row++) emit(set, ids[row]!, row);
      return;
    }
    for (let row = 0; row < count; row++) if (profile.includes(indom, ids[row]!)) emit(set, ids[row]!, row);
  }

  list(nameOf: (id: number) => string | undefined): readonly Instance[] {
    const instances: Instance[] = [];
    for (let row = 0; row < this.count; row++) {
      const id = this.ids[row]!;
      instances.push({ id, name: nameOf(id) ?? String(id) });
    }
    return instances;
  }
}
