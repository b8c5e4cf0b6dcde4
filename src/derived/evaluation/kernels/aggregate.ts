import { INSTANCE_NULL, MetricType, isWideType, type ValueSet } from '../../../pmapi/index.js';
import type { AggregateFunction } from '../../semantics/bound-expression.js';

type AggregateKernel = (out: ValueSet, operand: ValueSet) => void;

/** One singular value of all values: without any, count and sum are 0, others have none. Only count accepts an operand's error. */
export function aggregateKernel(name: AggregateFunction, type: MetricType): AggregateKernel {
  switch (name) {
    case 'count':
      return (out, operand) => out.setNumber(Math.max(0, operand.status));
    case 'avg':
      return averageKernel;
    case 'sum':
      return sumKernel(type);
    case 'min':
      return (out, operand) => pickExtreme(out, operand, false);
    case 'max':
      return (out, operand) => pickExtreme(out, operand, true);
  }
}

/** Summed in double and rounded to FLOAT once. Differs from PCP, which sums in single precision and accumulates errors. */
function averageKernel(out: ValueSet, operand: ValueSet): void {
  const count = operand.status;
  if (count === 0) return;
  let sum = 0;
  for (let i = 0; i < count; i++) sum += operand.column.numbers[i]!;
  out.setNumber(Math.fround(sum / count));
}

function sumKernel(type: MetricType): AggregateKernel {
  switch (type) {
    case MetricType.I32:
      return sumNumbers((sum) => sum | 0);
    case MetricType.U32:
      return sumNumbers((sum) => sum >>> 0);
    case MetricType.I64:
    case MetricType.U64:
      return sumIntegers;
    case MetricType.FLOAT:
      return sumNumbers(Math.fround);
    default:
      return sumNumbers((sum) => sum);
  }
}

/** @param fit brings a sum back into the type, after each number */
function sumNumbers(fit: (sum: number) => number): AggregateKernel {
  return (out, operand) => {
    let sum = 0;
    for (let i = 0; i < operand.status; i++) sum = fit(sum + operand.column.numbers[i]!);
    out.setNumber(sum);
  };
}

function sumIntegers(out: ValueSet, operand: ValueSet): void {
  const { column } = operand;
  let exact = !column.wide;
  let sum = 0;
  for (let i = 0; exact && i < operand.status; i++) {
    sum += column.numbers[i]!;
    exact = Number.isSafeInteger(sum);
  }
  if (exact) {
    out.setNumber(sum);
    return;
  }
  let whole = 0n;
  for (let i = 0; i < operand.status; i++) whole += column.integerAt(i);
  addWrapped(out, whole);
}

function addWrapped(out: ValueSet, value: bigint): void {
  out.addInteger(INSTANCE_NULL, out.type === MetricType.U64 ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value));
}

function pickExtreme(out: ValueSet, operand: ValueSet, greatest: boolean): void {
  const { column, status: count } = operand;
  if (count === 0) return;
  const at = (i: number): number | bigint => (column.wide ? column.integerAt(i) : column.numbers[i]!);
  let [best, value] = [0, at(0)];
  for (let i = 1; i < count; i++) {
    const other = at(i);
    if (greatest ? other > value : other < value) [best, value] = [i, other];
  }
  if (isWideType(operand.type)) addWrapped(out, column.integerAt(best));
  else out.setNumber(column.numbers[best]!);
}
