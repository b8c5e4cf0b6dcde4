import fc from '../../../support/properties.js';
import { MetricType, convertScale, makeUnits, type Units } from '../../../../src/pmapi/index.js';
import type { BoundNode } from '../../../../src/derived/semantics/bound-expression.js';
import { ARITHMETIC_TYPES, modelValue, stored } from '../support/c-model.js';
import { ANYWHERE, INDOM, metadata, operand, run, valueSet } from '../support/values.js';

const BYTE = makeUnits({ dimSpace: 1 });
const KBYTE = makeUnits({ dimSpace: 1, scaleSpace: 1 });
const MBYTE = makeUnits({ dimSpace: 1, scaleSpace: 2 });

function rescale(type: MetricType, from: Units, to: Units): BoundNode {
  return {
    kind: 'rescale',
    from,
    to,
    operand: operand(0, type),
    meta: metadata({ type, units: to, indom: INDOM }),
    range: ANYWHERE,
  };
}

describe('rescaleKernel', () => {
  it('gives each value what pmConvScale gives it, for every type and many units', () => {
    const scales: readonly (readonly [Units, Units])[] = [
      [BYTE, KBYTE],
      [MBYTE, BYTE],
      [makeUnits({ dimTime: 1, scaleTime: 1 }), makeUnits({ dimTime: 1, scaleTime: 5 })],
      [makeUnits({ dimTime: -1, scaleTime: 4 }), makeUnits({ dimTime: -1, scaleTime: 0 })],
      [
        makeUnits({ dimSpace: 1, dimTime: -1, scaleSpace: 1, scaleTime: 3 }),
        makeUnits({ dimSpace: 1, dimTime: -1, scaleSpace: 2, scaleTime: 4 }),
      ],
      [makeUnits({ dimSpace: 2, scaleSpace: 0 }), makeUnits({ dimSpace: 2, scaleSpace: 1 })],
      [makeUnits({ dimCount: 1, scaleCount: 2 }), makeUnits({ dimCount: 1 })],
      [makeUnits({ extraUnit: 1, extraScale: 0 }), makeUnits({ extraUnit: 1, extraScale: 1 })],
    ];
    for (const [from, to] of scales) {
      for (const type of ARITHMETIC_TYPES) {
        fc.assert(
          fc.property(fc.array(modelValue(type), { maxLength: 5 }), (values) => {
            // Infinity has no counterpart in degrees; far values overflow on both sides alike.
            const operands = values.map((value, i) => [i, stored(type, value)] as const);
            const expected = operands.map(([i, value]) => [i, convertScale(type, value, from, to)]);
            expect(run(rescale(type, from, to), valueSet(type, operands))).toEqual(expected);
          }),
          { numRuns: 15 },
        );
      }
    }
  });
});
