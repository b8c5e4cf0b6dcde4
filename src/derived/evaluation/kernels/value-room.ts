import { MetricType, type Column, type ValueSet } from '../../../pmapi/index.js';

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
export function copyInstances(from: Int32Array, index: Int32Array | undefined, count: number, to: Int32Array): void {
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
