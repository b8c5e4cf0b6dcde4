import type {
  ArithmeticOperator,
  BoundArithmetic,
  BoundNode,
} from '../../../../src/derived/semantics/bound-expression.js';
import { INDOM_NULL, MetricType } from '../../../../src/pmapi/index.js';
import fc from '../../../support/properties.js';
import {
  ARITHMETIC_TYPES,
  arithmetic,
  isInteger,
  modelValue,
  promote,
  stored,
  storedSet,
  wrap,
} from '../support/c-model.js';
import { ANYWHERE, Bench, INDOM, metadata, operand, run, valueSet } from '../support/values.js';

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
              const left = storedSet(
                leftType,
                pairs.map(([a]) => a),
              );
              const right = storedSet(
                rightType,
                pairs.map(([, b]) => b),
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

  it('has no -0 among integers', () => {
    const bench = new Bench(node('*', MetricType.I64, MetricType.I64));
    bench.sample(0, valueSet(MetricType.I64, [[0, 0n]]), valueSet(MetricType.I64, [[0, -5n]]));
    expect(bench.into.column.numbers[0]).toBe(0);
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
          const operands = storedSet(type, values);
          expect(run(negate(type), operands)).toEqual(expected);
        }),
        { numRuns: 100 },
      );
    }
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
