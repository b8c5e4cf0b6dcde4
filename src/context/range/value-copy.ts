import { FetchResult, isWideType, ValueSet } from '../../pmapi/index.js';
import type { AtomValue, Column } from '../../pmapi/index.js';

/** A copy of value `i`: a bigint for 64-bit integers that a number cannot hold. */
export function atomAt(column: Column, i: number): AtomValue {
  if (column.texts.length > 0) return column.texts[i]!;
  if (column.bytes.length > 0) return column.bytes[i]!.slice();
  const number = column.numbers[i]!;
  return column.wide && !Number.isSafeInteger(number) ? column.integerAt(i) : number;
}

export function addAtom(set: ValueSet, instance: number, value: AtomValue): void {
  if (typeof value === 'string') set.addText(instance, value);
  else if (typeof value === 'object') set.addBytes(instance, value);
  else if (typeof value === 'bigint') set.addInteger(instance, value);
  else set.addNumber(instance, value);
}

/** Makes `into` an independent copy of a set. */
export function copyValueSet(from: ValueSet, into: ValueSet): void {
  const { column, status } = from;
  into.reset(from.pmid, column.type);
  into.rest = from.rest;
  if (status <= 0) {
    into.status = status;
    return;
  }
  if (column.texts.length > 0 || column.bytes.length > 0) {
    for (let i = 0; i < status; i++) addAtom(into, from.instances[i]!, atomAt(column, i));
    return;
  }
  copyNumbers(from, into);
}

export function copyOfSet(set: ValueSet): ValueSet {
  const copy = new ValueSet();
  copyValueSet(set, copy);
  return copy;
}

export function copyResult({ timestamp, sets }: FetchResult): FetchResult {
  const copy = new FetchResult();
  copy.timestamp = timestamp;
  copy.resize(sets.length);
  for (let i = 0; i < sets.length; i++) copyValueSet(sets[i]!, copy.sets[i]!);
  return copy;
}

/** Makes `into` a copy of a set of numbers. */
function copyNumbers(from: ValueSet, into: ValueSet): void {
  const { column, status } = from;
  if (into.instances.length < status) into.instances = new Int32Array(status);
  into.instances.set(from.instances.subarray(0, status));
  const copy = into.column;
  copy.reserve(status);
  copy.numbers.set(column.numbers.subarray(0, status));
  if (column.wide && isWideType(column.type)) {
    const wide = new BigInt64Array(copy.numbers.length);
    wide.set(column.wide.subarray(0, status));
    copy.wide = wide;
  }
  copy.length = status;
  into.status = status;
}
