import fc from '../../../support/properties.js';
import { MetricType } from '../../../../src/pmapi/index.js';
import type {
  BooleanOperator,
  BoundBoolean,
  BoundRelational,
  RelationalOperator,
} from '../../../../src/derived/semantics/bound-expression.js';
import { ARITHMETIC_TYPES, modelValue, promote, relation, stored, storedSet } from '../support/c-model.js';
import { ANYWHERE, INDOM, metadata, operand, run, valueSet } from '../support/values.js';

function relational(operator: RelationalOperator, leftType: MetricType, rightType: MetricType): BoundRelational {
  return {
    kind: 'relational',
    operator,
    left: operand(0, leftType),
    right: operand(1, rightType),
    computeType: promote(leftType, rightType),
    meta: metadata({ type: MetricType.U32, indom: INDOM }),
    range: ANYWHERE,
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
              const left = storedSet(
                leftType,
                values.map(([a]) => a),
              );
              const right = storedSet(
                rightType,
                values.map(([, b]) => b),
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
});
