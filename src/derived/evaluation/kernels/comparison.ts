import { MetricType, type ValueSet } from '../../../pmapi/index.js';
import type { BooleanOperator, RelationalOperator, ScaleFactor } from '../../semantics/bound-expression.js';
import { joinInstances } from '../instance-join.js';
import { Lane } from './lane.js';
import { copyInstances, sizeNumbers } from './value-room.js';

type NumberLoop = (a: Float64Array, b: Float64Array, out: Float64Array, count: number) => void;

export interface RelationalSpec {
  readonly operator: RelationalOperator;
  /** Both operands are converted to it. */
  readonly computeType: MetricType;
  readonly leftSingular: boolean;
  readonly rightSingular: boolean;
  readonly leftScale?: ScaleFactor | undefined;
  readonly rightScale?: ScaleFactor | undefined;
}

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

/** Whether an order (negative, zero, positive) satisfies an operator. */
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

const leftLane = new Lane();
const rightLane = new Lane();

/** `< <= == >= > !=` in the promoted type, as C compares: U32 1 or 0 for each pair. */
export function relationalKernel(spec: RelationalSpec): (out: ValueSet, left: ValueSet, right: ValueSet) => void {
  const { operator, computeType, leftSingular, rightSingular, leftScale, rightScale } = spec;
  const compare = RELATIONAL_LOOPS[operator];
  const unsigned = computeType === MetricType.U64;
  const holds = HOLDS[operator];
  return (out, left, right) => {
    const pairs = joinInstances(left, leftSingular, right, rightSingular);
    const { count } = pairs;
    const numbers = sizeNumbers(out, count);
    copyInstances(pairs.instances, undefined, count, out.instances);
    leftLane.load(left.column, pairs.left, count, computeType, leftScale);
    rightLane.load(right.column, pairs.right, count, computeType, rightScale);
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
export function booleanKernel(
  operator: BooleanOperator,
  leftSingular: boolean,
  rightSingular: boolean,
): (out: ValueSet, left: ValueSet, right: ValueSet) => void {
  const combine = BOOLEAN_LOOPS[operator];
  return (out, left, right) => {
    const pairs = joinInstances(left, leftSingular, right, rightSingular);
    const numbers = sizeNumbers(out, pairs.count);
    copyInstances(pairs.instances, undefined, pairs.count, out.instances);
    // The nearest double of a nonzero number is not 0: exact integers are not needed here.
    leftLane.load(left.column, pairs.left, pairs.count, MetricType.DOUBLE);
    rightLane.load(right.column, pairs.right, pairs.count, MetricType.DOUBLE);
    combine(leftLane.numbers, rightLane.numbers, numbers, pairs.count);
  };
}
