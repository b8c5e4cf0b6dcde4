import { MetricType, isArithmeticType } from '../descriptor.js';

const NO_NUMBERS = new Float64Array(0);
const INITIAL_CAPACITY = 8;

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
  readonly texts: string[] = [];
  readonly bytes: Uint8Array[] = [];

  /** Empties the column and chooses the lane for `type`. */
  reset(type: MetricType): void {
    this.type = type;
    this.length = 0;
    this.wide = undefined;
    if (this.texts.length > 0) this.texts.length = 0;
    if (this.bytes.length > 0) this.bytes.length = 0;
  }

  /** Makes room for `capacity` numbers, keeping the present ones. */
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

  /** Append `count` exact numbers of an array, from index `at` on. */
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
    this.texts[this.length++] = value;
  }

  /** Appends an aggregate or an event array: the bytes after the value block's header, not copied. */
  pushBytes(value: Uint8Array): void {
    this.bytes[this.length++] = value;
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
