import { INSTANCE_NULL, isArithmeticType } from '../../pmapi/index.js';
import type { Column, RestOfValues, ValueSet } from '../../pmapi/index.js';
import { addAtom, atomAt } from '../range/value-copy.js';
import type { RestKind } from './selection.js';

/**
 * The values of the selected instances: `from` itself if it has no others, else `into`, filled with them in their order. Errors
 * are unchanged.
 */
export function pickInstances(from: ValueSet, into: ValueSet, isWanted: (instance: number) => boolean): ValueSet {
  const { instances, status } = from;
  let first = 0;
  while (first < status && isWanted(instances[first]!)) first++;
  if (first >= status) return from;
  into.reset(from.pmid, from.type);
  for (let i = 0; i < first; i++) addFrom(from, i, into);
  for (let i = first + 1; i < status; i++) if (isWanted(instances[i]!)) addFrom(from, i, into);
  return into;
}

/**
 * The `count` largest values, largest first, equal ones in their order; NaN comes last. Singular metrics, errors and non-numeric
 * values are unchanged.
 * @param rest how the others are summed up, in `into.rest`
 */
export function pickTop(from: ValueSet, into: ValueSet, count: number, rest?: RestKind): ValueSet {
  const { column, status } = from;
  if (status <= 0 || from.instances[0] === INSTANCE_NULL || !isArithmeticType(column.type)) return from;
  const order = Array.from({ length: status }, (_, i) => i).sort((a, b) => descending(column, a, b));
  into.reset(from.pmid, from.type);
  for (let k = 0; k < Math.min(count, status); k++) addFrom(from, order[k]!, into);
  if (rest && status > count)
    into.rest = restOf(
      order.slice(count).map((i) => column.numbers[i]!),
      rest,
    );
  return into;
}

/** The sum or the mean of values that are not NaN. */
export function restOf(values: readonly number[], kind: RestKind): RestOfValues {
  const numbers = values.filter((value) => !Number.isNaN(value));
  const sum = numbers.reduce((total, value) => total + value, 0);
  return { count: values.length, value: kind === 'sum' ? sum : sum / numbers.length };
}

/** Negative if value `a` is greater than value `b`. Sorting keeps the order of equal ones. */
function descending(column: Column, a: number, b: number): number {
  if (column.wide) {
    const [x, y] = [column.integerAt(a), column.integerAt(b)];
    return x > y ? -1 : x < y ? 1 : 0;
  }
  return compareDescending(column.numbers[a]!, column.numbers[b]!);
}

/** For sorting numbers, largest first; NaN comes last. */
export function compareDescending(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
  return x > y ? -1 : x < y ? 1 : 0;
}

function addFrom(from: ValueSet, i: number, into: ValueSet): void {
  const { column, instances } = from;
  if (column.wide) into.addInteger(instances[i]!, column.integerAt(i));
  else if (isArithmeticType(column.type)) into.addNumber(instances[i]!, column.numbers[i]!);
  else addAtom(into, instances[i]!, atomAt(column, i));
}
