import fc from '../../../support/properties.js';
import { MetricType } from '../../../../src/pmapi/index.js';
import { integerToFloat } from '../../../../src/derived/evaluation/kernels/lane.js';
import { convert } from '../support/c-model.js';

describe('integerToFloat', () => {
  it('rounds a 64-bit integer to single precision once', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }), (value) => {
        expect(integerToFloat(value)).toBe(convert(value, MetricType.FLOAT));
      }),
      { numRuns: 2000 },
    );
  });

  it('does not fall for the double in between', () => {
    // Half a float's last bit and a little more: rounded to double first, the little more is lost and the tie goes to even.
    const value = 2n ** 62n + 2n ** 38n + 1n;
    expect(Math.fround(Number(value))).toBe(2 ** 62);
    expect(integerToFloat(value)).toBe(2 ** 62 + 2 ** 39);
  });
});
