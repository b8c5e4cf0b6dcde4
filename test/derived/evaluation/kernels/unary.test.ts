import fc from '../../../support/properties.js';
import { MetricType } from '../../../../src/pmapi/index.js';
import type { BoundNegate, BoundNot } from '../../../../src/derived/semantics/bound-expression.js';
import { ARITHMETIC_TYPES, isInteger, modelValue, stored, wrap } from '../support/c-model.js';
import { ANYWHERE, INDOM, metadata, operand, run, valueSet } from '../support/values.js';

function signedType(type: MetricType): MetricType {
  if (type === MetricType.U32) return MetricType.I32;
  return type === MetricType.U64 ? MetricType.I64 : type;
}

function negate(type: MetricType): BoundNegate {
  return {
    kind: 'negate',
    operand: operand(0, type),
    meta: metadata({ type: signedType(type), indom: INDOM }),
    range: ANYWHERE,
  };
}

function not(type: MetricType): BoundNot {
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
