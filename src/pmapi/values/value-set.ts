import { isArithmeticType, MetricType } from '../descriptor.js';
import { INSTANCE_NULL, PMID_NULL } from '../identifiers.js';
import type { PmError } from '../pm-error.js';
import type { Timestamp } from '../time/timestamp.js';

const NO_INSTANCES = new Int32Array(0);
const INITIAL_CAPACITY = 8;
/** The size of an empty set with its column, and of each typed array and text besides its content: measured on Node 20. */
const SET_BYTES = 220;
const ARRAY_BYTES = 200;
const TEXT_BYTES = 40;

/** A single value: a number, a bigint (64, U64), a text, or the bytes of an aggregate. */
export type AtomValue = number | bigint | string | Uint8Array;

export interface RestOfValues {
  readonly count: number;
  readonly value: number;
}

/** Values of one metric: `instances[i]` belongs to value `i` of the column. Reused, like its column, by each fetch. @see pmFetch(3) */
export class ValueSet {
  pmid = PMID_NULL;
  /** The number of values (one of INSTANCE_NULL where the metric is singular), or a PM_ERR code, which is data and no exception. */
  status = 0;
  instances: Int32Array = NO_INSTANCES;
  /** The combined values of other instances, if the set has only the greatest. */
  rest: RestOfValues | undefined;
  readonly column = new Column();

  reset(pmid: number, type: MetricType): void {
    this.pmid = pmid;
    this.status = 0;
    this.rest = undefined;
    this.column.reset(type);
  }

  fail(pmErr: number): void {
    this.column.reset(this.column.type);
    this.status = pmErr;
  }

  get type(): MetricType {
    return this.column.type;
  }

  /** The approximate memory of the set, including unused capacity. */
  get bytes(): number {
    const { numbers, wide, texts, bytes } = this.column;
    let total = SET_BYTES;
    for (const array of [this.instances, numbers, wide]) {
      if (array && array.length > 0) total += ARRAY_BYTES + array.byteLength;
    }
    for (const text of texts) total += TEXT_BYTES + 2 * text.length;
    for (const block of bytes) total += ARRAY_BYTES + block.byteLength;
    return total;
  }

  /** Appends an exact number (see {@link Column.pushNumber}). */
  addNumber(instance: number, value: number): void {
    this.#addInstance(instance);
    this.column.pushNumber(value);
  }

  /** Append `count` exact numbers, from index `at` of `numbers`, of the instances from index `from` of `instances` on. */
  addNumbers(instances: Int32Array, from: number, numbers: ArrayLike<number>, at: number, count: number): void {
    const start = this.status;
    if (this.instances.length < start + count) this.#growInstances(start + count);
    this.column.pushNumbers(numbers, at, count);
    for (let i = 0; i < count; i++) this.instances[start + i] = instances[from + i]!;
    this.status = start + count;
  }

  addInteger(instance: number, value: bigint): void {
    this.#addInstance(instance);
    this.column.pushInteger(value);
  }

  addText(instance: number, value: string): void {
    this.#addInstance(instance);
    this.column.pushText(value);
  }

  addBytes(instance: number, value: Uint8Array): void {
    this.#addInstance(instance);
    this.column.pushBytes(value);
  }

  /** Appends a value of any kind. */
  add(instance: number, value: AtomValue): void {
    this.#addInstance(instance);
    this.column.push(value);
  }

  /** Appends a copy of value `i` of another set, by default of the same instance. */
  addFrom({ column, instances }: ValueSet, i: number, instance = instances[i]!): void {
    this.#addInstance(instance);
    if (column.wide) this.column.pushInteger(column.integerAt(i));
    else this.column.push(column.atomAt(i));
  }

  copy(): ValueSet {
    const copy = new ValueSet();
    copy.copyFrom(this);
    return copy;
  }

  copyFrom(set: ValueSet): void {
    const { column, status, instances } = set;
    this.reset(set.pmid, column.type);
    this.rest = set.rest;
    if (status <= 0) this.status = status;
    else if (isArithmeticType(column.type) && !column.wide) this.addNumbers(instances, 0, column.numbers, 0, status);
    else for (let i = 0; i < status; i++) this.addFrom(set, i);
  }

  setNumber(value: number): void {
    this.addNumber(INSTANCE_NULL, value);
  }

  #addInstance(instance: number): void {
    const i = this.status++;
    if (this.instances.length <= i) this.#growInstances(i + 1);
    this.instances[i] = instance;
  }

  #growInstances(size: number): void {
    const grown = new Int32Array(Math.max(size, INITIAL_CAPACITY, this.instances.length * 2));
    grown.set(this.instances);
    this.instances = grown;
  }
}

/** The result of a fetch: value sets in the order of the request. Reused from fetch to fetch. @see pmFetch(3) */
export class FetchResult {
  timestamp: Timestamp = { sec: 0, nsec: 0 };
  readonly sets: ValueSet[] = [];
  /** A problem to report besides the values: damage in an archive. */
  warning: PmError | undefined;

  resize(count: number): void {
    while (this.sets.length < count) this.sets.push(new ValueSet());
    if (this.sets.length > count) this.sets.length = count;
  }

  /** An independent copy, without the warning. */
  copy(): FetchResult {
    const copy = new FetchResult();
    copy.timestamp = this.timestamp;
    for (const set of this.sets) copy.sets.push(set.copy());
    return copy;
  }
}

const NO_NUMBERS = new Float64Array(0);
const [NO_TEXTS, NO_BYTES]: [string[], Uint8Array[]] = [[], []];

/**
 * The values of one metric, in one lane chosen by the metric's type:
 *
 * - 32, U32, FLOAT, DOUBLE: `numbers`;
 * - 64, U64: `numbers`, and `wide` with the exact 64-bit patterns (two's complement) as soon as one value leaves ±2^53.
 *   Invariant: while `wide` is undefined, every number is exact;
 * - STRING: `texts`;
 * - AGGREGATE, AGGREGATE_STATIC, EVENT, HIGHRES_EVENT: `bytes`.
 *
 * Columns are reused: they are reset and refilled, and their arrays may be longer than `length`. To keep values beyond the next
 * fetch, copy them.
 */
export class Column {
  type: MetricType = MetricType.U32;
  length = 0;
  numbers: Float64Array = NO_NUMBERS;
  wide: BigInt64Array | undefined = undefined;
  texts = NO_TEXTS;
  bytes = NO_BYTES;

  reset(type: MetricType): void {
    this.type = type;
    this.length = 0;
    this.wide = undefined;
    if (this.texts.length > 0) this.texts.length = 0;
    if (this.bytes.length > 0) this.bytes.length = 0;
  }

  reserve(capacity: number): void {
    if (this.numbers.length < capacity && isArithmeticType(this.type)) {
      const grown = new Float64Array(Math.max(capacity, this.numbers.length * 2, INITIAL_CAPACITY));
      grown.set(this.numbers.subarray(0, this.length));
      this.numbers = grown;
    }
    if (this.wide && this.wide.length < this.numbers.length) {
      const grown = new BigInt64Array(this.numbers.length);
      grown.set(this.wide.subarray(0, this.length));
      this.wide = grown;
    }
  }

  /** Append a number that is exact: any 32, U32, FLOAT or DOUBLE, or an integer within ±2^53. */
  pushNumber(value: number): void {
    this.reserve(this.length + 1);
    this.numbers[this.length] = value;
    if (this.wide) this.wide[this.length] = BigInt(value);
    this.length++;
  }

  pushNumbers(numbers: ArrayLike<number>, at: number, count: number): void {
    if (this.wide) {
      for (let i = 0; i < count; i++) this.pushNumber(numbers[at + i]!);
      return;
    }
    const { length } = this;
    this.reserve(length + count);
    const own = this.numbers;
    for (let i = 0; i < count; i++) own[length + i] = numbers[at + i]!;
    this.length = length + count;
  }

  /** Appends a 64 or U64 value of any size; opens the wide lane if a number cannot hold it. */
  pushInteger(value: bigint): void {
    this.reserve(this.length + 1);
    const narrow = Number(value);
    if (!this.wide && !Number.isSafeInteger(narrow)) this.#openWideLane();
    this.numbers[this.length] = narrow;
    if (this.wide) this.wide[this.length] = BigInt.asIntN(64, value);
    this.length++;
  }

  pushText(value: string): void {
    if (this.texts === NO_TEXTS) this.texts = [];
    this.texts[this.length++] = value;
  }

  /** Appends an aggregate or an event array: the bytes after the value block's header, not copied. */
  pushBytes(value: Uint8Array): void {
    if (this.bytes === NO_BYTES) this.bytes = [];
    this.bytes[this.length++] = value;
  }

  push(value: AtomValue): void {
    if (typeof value === 'string') this.pushText(value);
    else if (typeof value === 'object') this.pushBytes(value);
    else if (typeof value === 'bigint') this.pushInteger(value);
    else this.pushNumber(value);
  }

  /** A copy of value `i`: a bigint for 64-bit integers that a number cannot hold. */
  atomAt(i: number): AtomValue {
    if (this.texts.length > 0) return this.texts[i]!;
    if (this.bytes.length > 0) return this.bytes[i]!.slice();
    const number = this.numbers[i]!;
    return this.wide && !Number.isSafeInteger(number) ? this.integerAt(i) : number;
  }

  /** The exact integer at `i` of a 64 or U64 column. */
  integerAt(i: number): bigint {
    if (!this.wide) return BigInt(this.numbers[i] ?? 0);
    const bits = this.wide[i] ?? 0n;
    return this.type === MetricType.U64 ? BigInt.asUintN(64, bits) : bits;
  }

  #openWideLane(): void {
    const wide = new BigInt64Array(this.numbers.length);
    for (let i = 0; i < this.length; i++) wide[i] = BigInt(this.numbers[i]!);
    this.wide = wide;
  }
}
