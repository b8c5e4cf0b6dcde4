import { INDOM_NULL, MetricType } from '../../../pmapi/index.js';
import type { Column, InstanceDomain, Timestamp, ValueSet } from '../../../pmapi/index.js';
import type { BoundConstant, ScaleFactor } from '../../semantics/bound-expression.js';
import { joinInstances } from '../instance-join.js';
import type { History } from '../history.js';

export interface Sample {
  readonly timestamp: Timestamp;
  /** An instance domain at that moment; undefined if unavailable. */
  instances(indom: number): InstanceDomain | undefined;
}

/** Computes one step: fills `out`, which has been reset to the step's type. Missing operands are empty sets. */
export type Kernel = (out: ValueSet, a: ValueSet, b: ValueSet, c: ValueSet, sample: Sample, history: History) => void;

/** A constant over an instance domain: the value for every instance that the domain has now. */
export function constantKernel({ meta, value }: BoundConstant): Kernel {
  const { indom } = meta;
  return (out, _a, _b, _c, sample) => {
    const domain = indom === INDOM_NULL ? undefined : sample.instances(indom);
    if (domain) for (const { id } of domain.instances) out.add(id, value);
  };
}

const NO_NUMBERS = new Float64Array(0);
const NO_PATTERNS = new BigInt64Array(0);

/**
 * An operand, converted to the kernel's type by C's rules. `numbers` is valid unless `wide` is set: then `wide` has 64-bit patterns. Reused
 * by the kernel; may point into the column: read only, and only until the kernel returns.
 */
export class Lane {
  numbers: Float64Array = NO_NUMBERS;
  wide: BigInt64Array | undefined = undefined;
  #buffer = NO_NUMBERS;
  #wideBuffer = NO_PATTERNS;

  /** Loads `count` values, from places `index` of the column or the first ones. `to` is a type that the column's promotes to. */
  load(column: Column, index: Int32Array | undefined, count: number, to: MetricType, scale?: ScaleFactor): void {
    this.wide = undefined;
    if (to === MetricType.I64 || to === MetricType.U64) this.#loadIntegers(column, index, count, to);
    else if (to === MetricType.FLOAT) this.#loadFloats(column, index, count);
    else this.#loadNumbers(column, index, count, to);
    if (scale) this.#scale(count, scale);
  }

  patterns(count: number): BigInt64Array {
    if (this.wide) return this.wide;
    const patterns = this.#wideRoom(count);
    for (let i = 0; i < count; i++) patterns[i] = BigInt(this.numbers[i]!);
    return patterns;
  }

  /** 32, U32 and DOUBLE: the numbers as they are, except negative ones that become unsigned. */
  #loadNumbers(column: Column, index: Int32Array | undefined, count: number, to: MetricType): void {
    const from = column.numbers;
    const unsigned = to === MetricType.U32 && column.type === MetricType.I32;
    if (!index && !unsigned) {
      this.numbers = from;
      return;
    }
    const numbers = this.#room(count);
    if (index) for (let i = 0; i < count; i++) numbers[i] = from[index[i]!]!;
    else for (let i = 0; i < count; i++) numbers[i] = from[i]!;
    if (unsigned) for (let i = 0; i < count; i++) numbers[i] = numbers[i]! >>> 0;
  }

  #loadFloats(column: Column, index: Int32Array | undefined, count: number): void {
    const numbers = this.#room(count);
    if (column.wide) {
      for (let i = 0; i < count; i++) numbers[i] = integerToFloat(column.integerAt(index ? index[i]! : i));
    } else {
      const from = column.numbers;
      for (let i = 0; i < count; i++) numbers[i] = Math.fround(from[index ? index[i]! : i]!);
    }
  }

  #loadIntegers(column: Column, index: Int32Array | undefined, count: number, to: MetricType): void {
    if (column.wide) {
      const patterns = this.#wideRoom(count);
      for (let i = 0; i < count; i++) patterns[i] = column.wide[index ? index[i]! : i]!;
      this.wide = patterns;
      return;
    }
    this.#loadNumbers(column, index, count, to);
    if (to !== MetricType.U64 || column.type === MetricType.U32 || column.type === MetricType.U64) return;
    for (let i = 0; i < count; i++) {
      if (this.numbers[i]! < 0) {
        this.wide = this.patterns(count); // a negative number turned unsigned is beyond 2^53
        return;
      }
    }
  }

  #scale(count: number, { divide, multiply }: ScaleFactor): void {
    const from = this.numbers;
    const numbers = this.#room(count);
    for (let i = 0; i < count; i++) numbers[i] = (from[i]! / divide) * multiply;
  }

  #room(count: number): Float64Array {
    if (this.#buffer.length < count) this.#buffer = new Float64Array(count * 2);
    return (this.numbers = this.#buffer);
  }

  #wideRoom(count: number): BigInt64Array {
    if (this.#wideBuffer.length < count) this.#wideBuffer = new BigInt64Array(count * 2);
    return this.#wideBuffer;
  }
}

/** How the two operands of a kernel are paired and loaded. */
export interface PairSpec {
  readonly computeType: MetricType;
  readonly leftSingular: boolean;
  readonly rightSingular: boolean;
  readonly leftScale?: ScaleFactor | undefined;
  readonly rightScale?: ScaleFactor | undefined;
}

export type PairKernel = (out: ValueSet, left: ValueSet, right: ValueSet) => void;

// No kernel calls another: all of them can share these.
export const leftLane = new Lane();
export const rightLane = new Lane();

/** Loads the lanes with the values of two operands, paired by instance, and sizes `out` for as many, which it returns. */
export function loadPairs(out: ValueSet, left: ValueSet, right: ValueSet, spec: PairSpec): number {
  const pairs = joinInstances(left, spec.leftSingular, right, spec.rightSingular);
  const { count } = pairs;
  sizeNumbers(out, count);
  copyInstances(pairs.instances, undefined, count, out.instances);
  leftLane.load(left.column, pairs.left, count, spec.computeType, spec.leftScale);
  rightLane.load(right.column, pairs.right, count, spec.computeType, spec.rightScale);
  return count;
}

/** Converts to float with one rounding to nearest even, as C: the double's lowest bit remembers what was cut off. */
export function integerToFloat(value: bigint): number {
  const magnitude = value < 0n ? -value : value;
  if (magnitude <= 0x1f_ffff_ffff_ffffn) return Math.fround(Number(value));
  const high = magnitude >> 11n;
  const sticky = (magnitude & 0x7ffn) === 0n ? 0n : 1n;
  const rounded = Math.fround(Number(high | sticky)) * 2048;
  return value < 0n ? -rounded : rounded;
}

/** Make room for `count` instance ids and count the values; the caller fills `set.instances`. */
export function sizeInstances(set: ValueSet, count: number): Int32Array {
  if (set.instances.length < count) set.instances = new Int32Array(Math.max(count, set.instances.length * 2));
  set.status = count;
  return set.instances;
}

/** Sizes a freshly reset arithmetic set for `count` values. The caller fills that many numbers, and all of `set.instances`. */
export function sizeNumbers(set: ValueSet, count: number): Float64Array {
  const { column } = set;
  column.reserve(count);
  column.length = count;
  sizeInstances(set, count);
  return column.numbers;
}

/** Copy `count` instance ids, or those that `index` points at. */
function copyInstances(from: Int32Array, index: Int32Array | undefined, count: number, to: Int32Array): void {
  if (index) for (let i = 0; i < count; i++) to[i] = from[index[i]!]!;
  else for (let i = 0; i < count; i++) to[i] = from[i]!;
}

/** Sizes `out`, freshly reset, for the instances of an operand, whose numbers the caller fills in. */
export function sizeLike(out: ValueSet, operand: ValueSet): Float64Array {
  const numbers = sizeNumbers(out, operand.status);
  copyInstances(operand.instances, undefined, operand.status, out.instances);
  return numbers;
}

/** A kernel that computes each number from the operand's. */
export function mapNumbers(convert: (value: number) => number): (out: ValueSet, operand: ValueSet) => void {
  return (out, operand) => {
    const numbers = sizeLike(out, operand);
    const from = operand.column.numbers;
    for (let i = 0; i < operand.status; i++) numbers[i] = convert(from[i]!);
  };
}

/** Finishes a 64 or U64 column from bit patterns, which are copied: nearest doubles, and a wide lane only if needed. */
export function settleIntegers(column: Column, patterns: BigInt64Array, count: number): void {
  const { numbers } = column;
  const unsigned = column.type === MetricType.U64;
  let exact = true;
  for (let i = 0; i < count; i++) {
    const pattern = patterns[i]!;
    const number = Number(unsigned ? BigInt.asUintN(64, pattern) : pattern);
    numbers[i] = number;
    if (!Number.isSafeInteger(number)) exact = false;
  }
  if (exact) return;
  const wide = new BigInt64Array(numbers.length);
  for (let i = 0; i < count; i++) wide[i] = patterns[i]!;
  column.wide = wide;
}
