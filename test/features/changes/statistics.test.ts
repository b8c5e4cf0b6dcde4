import fc from '../../support/properties.js';
import {
  cliffsDelta,
  correlation,
  medianAbsoluteDeviation,
  quantile,
  sortedFinite,
  spread,
} from '../../../src/features/changes/statistics.js';

const numbers = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 30 });

describe('statistics', () => {
  it('sorts the finite numbers of a list', () => {
    expect([...sortedFinite([3, NaN, -1, Infinity, 2])]).toEqual([-1, 2, 3]);
    expect(sortedFinite([])).toHaveLength(0);
  });

  it('interpolates quantiles between neighbours', () => {
    expect([0, 0.25, 0.5, 0.9, 1].map((share) => quantile([1, 2, 3, 4], share))).toEqual([1, 1.75, 2.5, 3.7, 4]);
    expect(quantile([7], 0.9)).toBe(7);
    expect(quantile([], 0.5)).toBeNaN();
  });

  it('does not let one outlier count as spread', () => {
    expect(medianAbsoluteDeviation([1, 2, 3, 4, 1000])).toBe(1);
    expect(spread([5, 5, 5])).toBe(0);
    // A second level for a fifth of the time is no calm.
    expect(spread([...new Array<number>(8).fill(1), 9, 9].sort())).toBeGreaterThan(2);
  });

  it("computes Cliff's delta as counting all pairs does", () => {
    fc.assert(
      fc.property(numbers, numbers, fc.integer({ min: 0, max: 20 }), (before, after, margin) => {
        let sum = 0;
        for (const b of after) for (const a of before) sum += b > a + margin ? 1 : b < a - margin ? -1 : 0;
        const delta = cliffsDelta(sortedFinite(before), sortedFinite(after), margin);
        expect(delta).toBeCloseTo(sum / (before.length * after.length), 12);
      }),
    );
  });

  it('correlates places where both lists have a number', () => {
    expect(correlation([1, 2, NaN, 4], [2, 4, 6, 8], 3)).toBeCloseTo(1, 12);
    expect(correlation([1, 2, 3, 4], [8, 6, 4, 2], 3)).toBeCloseTo(-1, 12);
    expect(correlation([1, NaN, 3], [1, 2, NaN], 2)).toBeUndefined();
    expect(correlation([1, 1, 1], [1, 2, 3], 2)).toBeUndefined();
  });
});
