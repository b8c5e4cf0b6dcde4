import { MetricType } from '../../../pmapi/index.js';
import type { BooleanOperator, RelationalOperator } from '../../semantics/bound-expression.js';
import type { NumberLoop } from './arithmetic.js';
import { leftLane, loadPairs, rightLane, type PairKernel, type PairSpec } from './lane.js';

const RELATIONAL_LOOPS: Readonly<Record<RelationalOperator, NumberLoop>> = {
  '<': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i]! < b[i]! ? 1 : 0;
  },
  '<=': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i]! <= b[i]! ? 1 : 0;
  },
  '==': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i]! === b[i]! ? 1 : 0;
  },
  '>=': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i]! >= b[i]! ? 1 : 0;
  },
  '>': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i]! > b[i]! ? 1 : 0;
  },
  '!=': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i]! !== b[i]! ? 1 : 0;
  },
};

const HOLDS: Readonly<Record<RelationalOperator, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '==': (order) => order === 0,
  '>=': (order) => order >= 0,
  '>': (order) => order > 0,
  '!=': (order) => order !== 0,
};

const BOOLEAN_LOOPS: Readonly<Record<BooleanOperator, NumberLoop>> = {
  '&&': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i] !== 0 && b[i] !== 0 ? 1 : 0;
  },
  '||': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i] !== 0 || b[i] !== 0 ? 1 : 0;
  },
};

/** `< <= == >= > !=` in the promoted type, as C compares: U32 1 or 0 for each pair. */
export function relationalKernel(spec: PairSpec & { readonly operator: RelationalOperator }): PairKernel {
  const compare = RELATIONAL_LOOPS[spec.operator];
  const unsigned = spec.computeType === MetricType.U64;
  const holds = HOLDS[spec.operator];
  return (out, left, right) => {
    const count = loadPairs(out, left, right, spec);
    const { numbers } = out.column;
    if (!leftLane.wide && !rightLane.wide) {
      compare(leftLane.numbers, rightLane.numbers, numbers, count);
      return;
    }
    const a = leftLane.patterns(count);
    const b = rightLane.patterns(count);
    for (let i = 0; i < count; i++) numbers[i] = holds(orderOf(a[i]!, b[i]!, unsigned)) ? 1 : 0;
  };
}

function orderOf(a: bigint, b: bigint, unsigned: boolean): number {
  if (a === b) return 0;
  // Of two bit patterns with different signs, the negative one is larger when both are read as unsigned.
  const less = unsigned && a < 0n !== b < 0n ? b < 0n : a < b;
  return less ? -1 : 1;
}

/** `&& ||`: U32 1 or 0 for each pair; an operand is true when it is not 0. Nothing is short-circuited: both must have values. */
export function booleanKernel(spec: PairSpec & { readonly operator: BooleanOperator }): PairKernel {
  const combine = BOOLEAN_LOOPS[spec.operator];
  // The nearest double of a nonzero number is not 0: exact integers are not needed here.
  const inDouble = { ...spec, computeType: MetricType.DOUBLE };
  return (out, left, right) => {
    const count = loadPairs(out, left, right, inDouble);
    combine(leftLane.numbers, rightLane.numbers, out.column.numbers, count);
  };
}
