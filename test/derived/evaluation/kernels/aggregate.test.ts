import fc from '../../../support/properties.js';
import { MetricType } from '../../../../src/pmapi/index.js';
import type { AggregateFunction, BoundNode } from '../../../../src/derived/semantics/bound-expression.js';
import { ARITHMETIC_TYPES, arithmetic, modelValue, stored, storedSet, type ModelValue } from '../support/c-model.js';
import { ANYWHERE, metadata, operand, run, valueSet } from '../support/values.js';

function aggregate(name: AggregateFunction, type: MetricType): BoundNode {
  const result = name === 'avg' ? MetricType.FLOAT : name === 'count' ? MetricType.U32 : type;
  return {
    kind: 'aggregate',
    function: name,
    operand: operand(0, type),
    meta: metadata({ type: result }),
    range: ANYWHERE,
  };
}

describe('aggregateKernel', () => {
  it('sums in the type of the operand, and wraps', () => {
    for (const type of ARITHMETIC_TYPES) {
      fc.assert(
        fc.property(fc.array(modelValue(type), { minLength: 1, maxLength: 8 }), (values) => {
          const zero: ModelValue = typeof values[0] === 'bigint' ? 0n : 0;
          const sum = values.reduce<ModelValue>((total, value) => arithmetic('+', type, total, value), zero);
          const set = storedSet(type, values);
          expect(run(aggregate('sum', type), set)).toEqual([[-1, stored(type, sum)]]);
        }),
        { numRuns: 60 },
      );
    }
  });

  it('finds the least and the greatest value', () => {
    for (const type of ARITHMETIC_TYPES) {
      fc.assert(
        fc.property(fc.array(modelValue(type), { minLength: 1, maxLength: 8 }), (values) => {
          const set = storedSet(type, values);
          const least = values.reduce((a, b) => (b < a ? b : a));
          const greatest = values.reduce((a, b) => (b > a ? b : a));
          expect(run(aggregate('min', type), set)).toEqual([[-1, stored(type, least)]]);
          expect(run(aggregate('max', type), set)).toEqual([[-1, stored(type, greatest)]]);
        }),
        { numRuns: 60 },
      );
    }
  });

  it('averages in double and rounds to FLOAT once: no drift', () => {
    const tenths = Array.from({ length: 10 }, (_, i) => [i, 0.1] as const);
    expect(run(aggregate('avg', MetricType.DOUBLE), valueSet(MetricType.DOUBLE, tenths))).toEqual([
      [-1, Math.fround(0.1)],
    ]);
  });
});
