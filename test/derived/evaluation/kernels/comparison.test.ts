import fc from '../../../support/properties.js';
import { INDOM_NULL, MetricType } from '../../../../src/pmapi/index.js';
import type {
  BooleanOperator,
  BoundBoolean,
  BoundRelational,
  RelationalOperator,
} from '../../../../src/derived/semantics/bound-expression.js';
import { ARITHMETIC_TYPES, modelValue, promote, relation, stored } from '../support/c-model.js';
import { ANYWHERE, INDOM, metadata, operand, run, singular, valueSet } from '../support/values.js';

function relational(
  operator: RelationalOperator,
  leftType: MetricType,
  rightType: MetricType,
  parts: Partial<BoundRelational> = {},
): BoundRelational {
  return {
    kind: 'relational',
    operator,
    left: operand(0, leftType),
    right: operand(1, rightType),
    computeType: promote(leftType, rightType),
    meta: metadata({ type: MetricType.U32, indom: INDOM }),
    range: ANYWHERE,
    ...parts,
  };
}

function boolean(operator: BooleanOperator, leftType: MetricType, rightType: MetricType): BoundBoolean {
  return {
    kind: 'boolean',
    operator,
    left: operand(0, leftType),
    right: operand(1, rightType),
    computeType: promote(leftType, rightType),
    meta: metadata({ type: MetricType.U32, indom: INDOM }),
    range: ANYWHERE,
  };
}

describe('relationalKernel', () => {
  for (const operator of ['<', '<=', '==', '>=', '>', '!='] as const) {
    it(`compares with ${operator} in the promoted type, for every pair of types`, () => {
      for (const leftType of ARITHMETIC_TYPES) {
        for (const rightType of ARITHMETIC_TYPES) {
          const pair = fc.tuple(modelValue(leftType), modelValue(rightType));
          const same = fc.tuple(modelValue(leftType)).map(([value]) => [value, value] as const);
          const pairs = leftType === rightType ? fc.oneof(pair, same) : pair;
          fc.assert(
            fc.property(fc.array(pairs, { maxLength: 9 }), (values) => {
              const left = valueSet(
                leftType,
                values.map(([a], i) => [i, stored(leftType, a)]),
              );
              const right = valueSet(
                rightType,
                values.map(([, b], i) => [i, stored(rightType, b)]),
              );
              const type = promote(leftType, rightType);
              const expected = values.map(([a, b], i) => [i, relation(operator, type, a, b)]);
              expect(run(relational(operator, leftType, rightType), left, right)).toEqual(expected);
            }),
            { numRuns: 30 },
          );
        }
      }
    });
  }

  it('finds -1 greater than 1 when it meets U32, as C does', () => {
    const root = relational('<', MetricType.I32, MetricType.U32);
    expect(run(root, valueSet(MetricType.I32, [[0, -1]]), valueSet(MetricType.U32, [[0, 1]]))).toEqual([[0, 0]]);
  });

  it('tells 64-bit integers apart that are one double', () => {
    const root = relational('==', MetricType.U64, MetricType.U64);
    const [left, right] = [valueSet(MetricType.U64, [[0, 2n ** 63n]]), valueSet(MetricType.U64, [[0, 2n ** 63n + 1n]])];
    expect(run(root, left, right)).toEqual([[0, 0]]);
  });

  it('brings operands to one scale before it compares them', () => {
    const root = relational('>', MetricType.U32, MetricType.U32, {
      computeType: MetricType.DOUBLE,
      leftScale: { divide: 1024, multiply: 1 },
    });
    expect(run(root, valueSet(MetricType.U32, [[0, 1000]]), valueSet(MetricType.U32, [[0, 1]]))).toEqual([[0, 0]]);
  });
});

describe('booleanKernel', () => {
  it('takes everything but 0 for true', () => {
    for (const leftType of ARITHMETIC_TYPES) {
      for (const rightType of ARITHMETIC_TYPES) {
        fc.assert(
          fc.property(modelValue(leftType), modelValue(rightType), (a, b) => {
            const left = valueSet(leftType, [[7, stored(leftType, a)]]);
            const right = valueSet(rightType, [[7, stored(rightType, b)]]);
            const [x, y] = [Number(a) !== 0, Number(b) !== 0];
            expect(run(boolean('&&', leftType, rightType), left, right)).toEqual([[7, x && y ? 1 : 0]]);
            expect(run(boolean('||', leftType, rightType), left, right)).toEqual([[7, x || y ? 1 : 0]]);
          }),
          { numRuns: 20 },
        );
      }
    }
  });

  it('needs values on both sides: nothing is short-circuited', () => {
    const root = {
      ...boolean('||', MetricType.U32, MetricType.U32),
      left: operand(0, MetricType.U32, INDOM_NULL),
      right: operand(1, MetricType.U32, INDOM_NULL),
      meta: metadata({ type: MetricType.U32 }),
    };
    expect(run(root, singular(MetricType.U32, 1), valueSet(MetricType.U32, []))).toEqual([]);
  });
});
