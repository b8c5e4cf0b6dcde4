import { isArithmeticType, MetricType, INSTANCE_NULL, PMID_NULL } from '../identifiers.js';
import { PM_ERR, PmError } from '../pm-error.js';
import type { Timestamp } from '../time/timestamp.js';
import { scanNumber } from '../scan-number.js';

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

/** How an output format writes non-finite numbers: JSON has no infinity, OpenMetrics has. */
export interface NonFiniteText {
  readonly nan: string;
  readonly positive: string;
  readonly negative: string;
}

/** JSON: `null` for everything that is not finite. */
export const JSON_NON_FINITE: NonFiniteText = { nan: 'null', positive: 'null', negative: 'null' };
/** OpenMetrics: `NaN`, `+Inf`, `-Inf`. */
export const OPEN_METRICS_NON_FINITE: NonFiniteText = { nan: 'NaN', positive: '+Inf', negative: '-Inf' };

const SMALLEST_NORMAL_FLOAT = 2 ** -126;
/** Below this, every integer is a float, and its digits are the shortest text. */
const FLOAT_INTEGERS = 2 ** 24;

/** A double in the fewest digits that read back as the same double. */
export function formatDouble(value: number, nonFinite: NonFiniteText): string {
  return Number.isFinite(value) ? String(value) : nonFiniteText(value, nonFinite);
}

/** A float (a number that Math.fround leaves alone) in the fewest digits that read back as the same float. */
export function formatFloat(value: number, nonFinite: NonFiniteText): string {
  return Number.isFinite(value) ? String(shortestDecimal(value)) : nonFiniteText(value, nonFinite);
}

/** The double with the fewest digits that reads back as a float: 16.73, where the float's own bits are 16.729999542236328. */
export function shortestDecimal(value: number): number {
  const size = Math.abs(value);
  if ((size < FLOAT_INTEGERS && Number.isInteger(value)) || !Number.isFinite(value)) return value;
  // Six digits survive a round trip through a float unless it is subnormal; nine always identify it.
  for (let digits = size < SMALLEST_NORMAL_FLOAT ? 1 : 6; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return shorter;
  }
  return Number(value.toPrecision(9));
}

/** The text of value `i`: integers with every digit, FLOAT and DOUBLE in the fewest that read back as the same value. */
export function formatColumnNumber(column: Column, i: number, nonFinite: NonFiniteText): string {
  switch (column.type) {
    case MetricType.FLOAT:
      return formatFloat(column.numbers[i]!, nonFinite);
    case MetricType.DOUBLE:
      return formatDouble(column.numbers[i]!, nonFinite);
    default:
      return column.wide ? String(column.integerAt(i)) : String(column.numbers[i]!);
  }
}

function nonFiniteText(value: number, texts: NonFiniteText): string {
  if (Number.isNaN(value)) return texts.nan;
  return value > 0 ? texts.positive : texts.negative;
}
/** Characters at the start of a cell that make spreadsheets read it as a formula; Excel also accepts their full-width forms. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
/** Numbers start with signs, too, and are harmless. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$|^-Infinity$/;

/** A text as a CSV cell: quoted if needed, with an apostrophe where a spreadsheet would run it (others choose names). @see RFC 4180 */
export function csvText(text: string): string {
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

const ERANGE = -34;
/** strtol(3) in base 0: blanks, a sign, and a decimal, octal or hexadecimal number. */
const INTEGER = /^\s*([+-]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)$/;
/** No 64-bit integer has more digits, in any base; a hostile text must not cost much. */
const MAX_DIGITS = 32;
const NON_FINITE = /^\s*([+-]?)(nan|inf(?:inity)?)$/i;

const INTEGER_RANGES: ReadonlyMap<MetricType, readonly [min: bigint, max: bigint]> = new Map([
  [MetricType.I32, [-(2n ** 31n), 2n ** 31n - 1n]],
  [MetricType.U32, [0n, 2n ** 32n - 1n]],
  [MetricType.I64, [-(2n ** 63n), 2n ** 63n - 1n]],
  [MetricType.U64, [0n, 2n ** 64n - 1n]],
]);

/**
 * A text as a value of a type, as pmstore(1) and pmproxy read it: integers exactly, in decimal, octal (`017`) or hexadecimal
 * (`0x1f`), reals as strtod(3) does. 64 and U64 come out as bigint.
 *
 * Differs from PCP: an empty text is invalid (there, 0), and a negative one is out of range for U64 (there, it wraps).
 * @throws PmError PM_ERR_TYPE for an invalid text and for types without a text form, -ERANGE for a number out of range
 */
export function parseValue(text: string, type: MetricType): Exclude<AtomValue, Uint8Array> {
  const range = INTEGER_RANGES.get(type);
  if (range) {
    const value = parseInteger(text);
    if (value < range[0] || value > range[1]) throw new PmError(ERANGE);
    return type === MetricType.I64 || type === MetricType.U64 ? value : Number(value);
  }
  switch (type) {
    case MetricType.FLOAT:
      return finiteAs(Math.fround, parseReal(text));
    case MetricType.DOUBLE:
      return finiteAs(Number, parseReal(text));
    case MetricType.STRING:
      return text;
    // Bytes have no text that would stand for them: pmproxy refuses it, too.
    default:
      throw new PmError(PM_ERR.TYPE);
  }
}

function parseInteger(text: string): bigint {
  const [, sign, digits] = INTEGER.exec(text) ?? [];
  if (digits === undefined) throw new PmError(PM_ERR.TYPE);
  const isOctal = /^0[0-7]/.test(digits);
  const significant = digits.replace(/^0[xX]?0*/, '');
  if (significant.length > MAX_DIGITS) throw new PmError(ERANGE);
  const magnitude = BigInt(isOctal ? `0o${significant || '0'}` : digits);
  return sign === '-' ? -magnitude : magnitude;
}

interface Real {
  readonly value: number;
  /** Whether the text itself says infinite or not a number. */
  readonly isNonFinite: boolean;
}

function parseReal(text: string): Real {
  const [, sign, word] = NON_FINITE.exec(text) ?? [];
  if (word !== undefined) {
    const magnitude = word.toLowerCase() === 'nan' ? Number.NaN : Infinity;
    return { value: sign === '-' ? -magnitude : magnitude, isNonFinite: true };
  }
  const start = text.length - text.trimStart().length;
  const number = scanNumber(text, start);
  if (!number || start + number.length !== text.length) throw new PmError(PM_ERR.TYPE);
  return { value: number.value, isNonFinite: false };
}

function finiteAs(round: (value: number) => number, { value, isNonFinite }: Real): number {
  const rounded = round(value);
  if (!isNonFinite && !Number.isFinite(rounded)) throw new PmError(ERANGE);
  return rounded;
}
