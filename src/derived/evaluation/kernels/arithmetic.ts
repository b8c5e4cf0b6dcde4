import { MetricType, type Column, type ValueSet } from '../../../pmapi/index.js';
import type { ArithmeticOperator } from '../../semantics/bound-expression.js';
import { mapNumbers, settleIntegers, sizeLike, Lane, leftLane, loadPairs, rightLane } from './lane.js';
import type { PairKernel, PairSpec } from './lane.js';

export type NumberLoop = (a: Float64Array, b: Float64Array, out: Float64Array, count: number) => void;
/** A number loop; false once a result may be inexact: all is then computed again in 64 bits. */
type SafeLoop = (a: Float64Array, b: Float64Array, out: Float64Array, count: number) => boolean;
type PatternLoop = (a: BigInt64Array, b: BigInt64Array, out: BigInt64Array, count: number) => void;
type Whole = Exclude<ArithmeticOperator, '/'>;

const MAX = Number.MAX_SAFE_INTEGER;

const DOUBLE_LOOPS: Readonly<Record<ArithmeticOperator, NumberLoop>> = {
  '+': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i]! + b[i]!;
  },
  '-': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i]! - b[i]!;
  },
  '*': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i]! * b[i]!;
  },
  // PCP: 0 divided by anything is 0, even by 0; the rest is IEEE division (7.2.1, derived-metric arithmetic).
  '/': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i] === 0 ? 0 : a[i]! / b[i]!;
  },
};

// Sums and products of floats in double, rounded once more, are the same as in float.
const FLOAT_LOOPS: Readonly<Record<Whole, NumberLoop>> = {
  '+': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.fround(a[i]! + b[i]!);
  },
  '-': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.fround(a[i]! - b[i]!);
  },
  '*': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.fround(a[i]! * b[i]!);
  },
};

const SIGNED_32_LOOPS: Readonly<Record<Whole, NumberLoop>> = {
  '+': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = (a[i]! + b[i]!) | 0;
  },
  '-': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = (a[i]! - b[i]!) | 0;
  },
  '*': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.imul(a[i]!, b[i]!);
  },
};

const UNSIGNED_32_LOOPS: Readonly<Record<Whole, NumberLoop>> = {
  '+': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = (a[i]! + b[i]!) >>> 0;
  },
  '-': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = (a[i]! - b[i]!) >>> 0;
  },
  '*': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.imul(a[i]!, b[i]!) >>> 0;
  },
};

function safeLoops(least: number): Readonly<Record<Whole, SafeLoop>> {
  return {
    '+': (a, b, out, count) => {
      for (let i = 0; i < count; i++) {
        const sum = a[i]! + b[i]!;
        if (!(sum >= least && sum <= MAX)) return false;
        out[i] = sum;
      }
      return true;
    },
    '-': (a, b, out, count) => {
      for (let i = 0; i < count; i++) {
        const difference = a[i]! - b[i]!;
        if (!(difference >= least && difference <= MAX)) return false;
        out[i] = difference;
      }
      return true;
    },
    '*': (a, b, out, count) => {
      for (let i = 0; i < count; i++) {
        const product = a[i]! * b[i]!;
        if (!(product >= least && product <= MAX)) return false;
        out[i] = product + 0; // an integer has no -0
      }
      return true;
    },
  };
}

const SIGNED_64_LOOPS = safeLoops(-MAX);
const UNSIGNED_64_LOOPS = safeLoops(0);

const PATTERN_LOOPS: Readonly<Record<Whole, PatternLoop>> = {
  '+': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i]! + b[i]!;
  },
  '-': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i]! - b[i]!;
  },
  '*': (a, b, out, count) => {
    for (let i = 0; i < count; i++) out[i] = a[i]! * b[i]!;
  },
};

export type LaneOperator = (left: Lane, right: Lane, column: Column, count: number) => void;

let patternRoom = new BigInt64Array(64);

function integerOperator(safe: SafeLoop, exact: PatternLoop): LaneOperator {
  return (left, right, column, count) => {
    if (!left.wide && !right.wide && safe(left.numbers, right.numbers, column.numbers, count)) return;
    if (patternRoom.length < count) patternRoom = new BigInt64Array(count * 2);
    exact(left.patterns(count), right.patterns(count), patternRoom, count);
    settleIntegers(column, patternRoom, count);
  };
}

function numberOperator(loop: NumberLoop): LaneOperator {
  return (left, right, column, count) => {
    loop(left.numbers, right.numbers, column.numbers, count);
  };
}

/** The loop for an operator in one type: 32 and 64 bits wrap as C's do, FLOAT rounds to single precision. */
export function laneOperator(operator: ArithmeticOperator, type: MetricType): LaneOperator {
  if (operator === '/' || type === MetricType.DOUBLE) return numberOperator(DOUBLE_LOOPS[operator]);
  switch (type) {
    case MetricType.I32:
      return numberOperator(SIGNED_32_LOOPS[operator]);
    case MetricType.U32:
      return numberOperator(UNSIGNED_32_LOOPS[operator]);
    case MetricType.I64:
      return integerOperator(SIGNED_64_LOOPS[operator], PATTERN_LOOPS[operator]);
    case MetricType.U64:
      return integerOperator(UNSIGNED_64_LOOPS[operator], PATTERN_LOOPS[operator]);
    case MetricType.FLOAT:
      return numberOperator(FLOAT_LOOPS[operator]);
    default:
      throw new Error(`no arithmetic in type ${type}`);
  }
}

/** `+ - * /` over two operands, paired by instance, in `computeType`, which the result has. @see pmRegisterDerived(3) */
export function arithmeticKernel(spec: PairSpec & { readonly operator: ArithmeticOperator }): PairKernel {
  const operate = laneOperator(spec.operator, spec.computeType);
  return (out, left, right) => {
    const count = loadPairs(out, left, right, spec);
    operate(leftLane, rightLane, out.column, count);
  };
}

const lane = new Lane();

type UnaryKernel = (out: ValueSet, operand: ValueSet) => void;

/** Unary minus for an operand of `type`: an unsigned operand is reinterpreted as signed first, and the result wraps. */
export function negateKernel(type: MetricType): UnaryKernel {
  switch (type) {
    case MetricType.I32:
    case MetricType.U32:
      return mapNumbers((value) => (0 - (value | 0)) | 0);
    case MetricType.I64:
    case MetricType.U64:
      return negateIntegers;
    default:
      return mapNumbers((value) => -value);
  }
}

function negateIntegers(out: ValueSet, operand: ValueSet): void {
  const count = operand.status;
  const numbers = sizeLike(out, operand);
  lane.load(operand.column, undefined, count, operand.type);
  if (!lane.wide) {
    for (let i = 0; i < count; i++) numbers[i] = 0 - lane.numbers[i]!;
    return;
  }
  if (patternRoom.length < count) patternRoom = new BigInt64Array(count * 2);
  for (let i = 0; i < count; i++) patternRoom[i] = -lane.wide[i]!;
  settleIntegers(out.column, patternRoom, count);
}

/** `!`: U32 1 where the operand is 0, else 0. */
export const notKernel = mapNumbers((value) => (value === 0 ? 1 : 0));
