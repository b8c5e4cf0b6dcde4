import type {
  ArithmeticOperator,
  BoundArithmetic,
  BoundNode,
} from '../../../../src/derived/semantics/bound-expression.js';
import { INDOM_NULL, MetricType } from '../../../../src/pmapi/index.js';
import fc from '../../../support/properties.js';
import { ARITHMETIC_TYPES, arithmetic, isInteger, modelValue, promote, stored, wrap } from '../support/c-model.js';
import { ANYWHERE, Bench, INDOM, metadata, operand, run, singular, valueSet } from '../support/values.js';

const OPERATORS = ['+', '-', '*', '/'] as const;

function node(
  operator: ArithmeticOperator,
  leftType: MetricType,
  rightType: MetricType,
  parts: Partial<BoundArithmetic> & { leftIndom?: number; rightIndom?: number } = {},
): BoundArithmetic {
  const scaled = parts.leftScale ?? parts.rightScale;
  const computeType = operator === '/' || scaled ? MetricType.DOUBLE : promote(leftType, rightType);
  const { leftIndom = INDOM, rightIndom = INDOM, ...rest } = parts;
  return {
    kind: 'arithmetic',
    operator,
    left: operand(0, leftType, leftIndom),
    right: operand(1, rightType, rightIndom),
    computeType,
    meta: metadata({ type: computeType, indom: leftIndom === INDOM_NULL ? rightIndom : leftIndom }),
    range: ANYWHERE,
    ...rest,
  };
}

describe('arithmeticKernel', () => {
  for (const operator of OPERATORS) {
    it(`computes ${operator} as C does, for every pair of types`, () => {
      for (const leftType of ARITHMETIC_TYPES) {
        for (const rightType of ARITHMETIC_TYPES) {
          const type = operator === '/' ? MetricType.DOUBLE : promote(leftType, rightType);
          fc.assert(
            fc.property(fc.array(fc.tuple(modelValue(leftType), modelValue(rightType)), { maxLength: 9 }), (pairs) => {
              const left = valueSet(
                leftType,
                pairs.map(([a], i) => [i, stored(leftType, a)]),
              );
              const right = valueSet(
                rightType,
                pairs.map(([, b], i) => [i, stored(rightType, b)]),
              );
              const expected = pairs.map(([a, b], i) => [i, stored(type, arithmetic(operator, type, a, b))]);
              expect(run(node(operator, leftType, rightType), left, right)).toEqual(expected);
            }),
            { numRuns: 40 },
          );
        }
      }
    });
  }

  it.each([
    ['32 wraps', '+', MetricType.I32, 2147483647, 1, -2147483648],
    ['32 * 32 wraps', '*', MetricType.I32, 65536, 65537, 65536],
    ['U32 - U32 wraps to positive', '-', MetricType.U32, 1, 2, 4294967295],
    ['64 wraps', '+', MetricType.I64, 2n ** 63n - 1n, 1n, -(2n ** 63n)],
    ['U64 - U64 wraps to positive', '-', MetricType.U64, 1n, 2n, 2n ** 64n - 1n],
    ['64 is exact beyond 2^53', '+', MetricType.I64, 2n ** 53n, 1n, 2n ** 53n + 1n],
    ['FLOAT rounds to single precision', '+', MetricType.FLOAT, 16777216, 1, 16777216],
    ['integers divide as doubles', '/', MetricType.I32, 1, 4, 0.25],
    ['x / 0 is infinite', '/', MetricType.DOUBLE, 1, 0, Infinity],
    ['-x / 0 is infinite', '/', MetricType.I64, -1n, 0n, -Infinity],
    ['0 / 0 is 0', '/', MetricType.U32, 0, 0, 0],
  ] as const)('%s', (_what, operator, type, a, b, expected) => {
    const singularNode = node(operator, type, type, { leftIndom: INDOM_NULL, rightIndom: INDOM_NULL });
    expect(run(singularNode, singular(type, a), singular(type, b))).toEqual([[-1, expected]]);
  });

  it('makes -1 unsigned when it meets U32: 32 - U32 can come out near 2^32', () => {
    const root = node('-', MetricType.I32, MetricType.U32, { leftIndom: INDOM_NULL, rightIndom: INDOM_NULL });
    expect(run(root, singular(MetricType.I32, 1), singular(MetricType.U32, 10))).toEqual([[-1, 4294967287]]);
  });

  it('has no -0 among integers', () => {
    const bench = new Bench(node('*', MetricType.I64, MetricType.I64));
    bench.sample(0, valueSet(MetricType.I64, [[0, 0n]]), valueSet(MetricType.I64, [[0, -5n]]));
    expect(bench.into.column.numbers[0]).toBe(0);
  });

  it('scales an operand in double: divide first, then multiply', () => {
    const root = node('+', MetricType.U64, MetricType.U32, {
      leftScale: { divide: 1024, multiply: 1 },
      rightScale: { divide: 1, multiply: 1000 },
    });
    const left = valueSet(MetricType.U64, [[3, 512n]]);
    expect(run(root, left, valueSet(MetricType.U32, [[3, 2]]))).toEqual([[3, 2000.5]]);
  });

  it('repeats a singular operand for every instance of the other', () => {
    const root = node('-', MetricType.I32, MetricType.I32, { leftIndom: INDOM_NULL });
    const right = valueSet(MetricType.I32, [
      [5, 1],
      [2, 3],
    ]);
    expect(run(root, singular(MetricType.I32, 10), right)).toEqual([
      [5, 9],
      [2, 7],
    ]);
  });
});

function signedType(type: MetricType): MetricType {
  if (type === MetricType.U32) return MetricType.I32;
  return type === MetricType.U64 ? MetricType.I64 : type;
}

function negate(type: MetricType): BoundNode {
  return {
    kind: 'negate',
    operand: operand(0, type),
    meta: metadata({ type: signedType(type), indom: INDOM }),
    range: ANYWHERE,
  };
}

function not(type: MetricType): BoundNode {
  return {
    kind: 'not',
    operand: operand(0, type),
    meta: metadata({ type: MetricType.U32, indom: INDOM }),
    range: ANYWHERE,
  };
}

describe('negateKernel', () => {
  it('reinterprets unsigned operands as signed, changes the sign, and wraps', () => {
    for (const type of ARITHMETIC_TYPES) {
      fc.assert(
        fc.property(fc.array(modelValue(type), { maxLength: 6 }), (values) => {
          const result = signedType(type);
          const expected = values.map((value, i) => [
            i,
            isInteger(type) ? stored(result, wrap(result, -wrap(result, value as bigint))) : -Number(value),
          ]);
          const operands = valueSet(
            type,
            values.map((value, i) => [i, stored(type, value)]),
          );
          expect(run(negate(type), operands)).toEqual(expected);
        }),
        { numRuns: 100 },
      );
    }
  });

  it.each([
    [MetricType.U32, 4294967295, 1],
    [MetricType.I32, -2147483648, -2147483648],
    [MetricType.U64, 2n ** 64n - 1n, 1n],
    [MetricType.I64, -(2n ** 63n), -(2n ** 63n)],
    [MetricType.DOUBLE, 1.5, -1.5],
  ])('type %i: minus %s is %s', (type, value, expected) => {
    expect(run(negate(type), valueSet(type, [[1, value]]))).toEqual([[1, expected]]);
  });
});

describe('notKernel', () => {
  it('is 1 where the operand is 0, for every type', () => {
    for (const type of ARITHMETIC_TYPES) {
      fc.assert(
        fc.property(modelValue(type), (value) => {
          const expected = Number(value) === 0 ? 1 : 0;
          expect(run(not(type), valueSet(type, [[4, stored(type, value)]]))).toEqual([[4, expected]]);
        }),
      );
    }
  });
});
