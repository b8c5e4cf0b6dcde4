import fc from '../../support/properties.js';
import { cliffsDelta, sortedFinite } from '../../../src/features/changes/statistics.js';

const numbers = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 30 });

describe('statistics', () => {
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
});
