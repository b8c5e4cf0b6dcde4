import fc from '../support/properties.js';
import { bisect, lowerBound } from '../../src/kit/index.js';

const ascending = fc.array(fc.integer({ min: -20, max: 20 })).map((list) => list.sort((a, b) => a - b));

test('bisect finds where a condition begins to hold, as a search from the start does', () => {
  fc.assert(
    fc.property(ascending, fc.integer({ min: -22, max: 22 }), fc.nat(5), (list, limit, from) => {
      const expected = list.findIndex((value, i) => i >= from && value >= limit);
      const start = Math.min(from, list.length);
      expect(bisect(start, list.length, (i) => list[i]! >= limit)).toBe(expected === -1 ? list.length : expected);
    }),
  );
});

test('bisect asks about no index twice, and about none outside', () => {
  const asked: number[] = [];
  expect(bisect(3, 1_000_003, (i) => asked.push(i) > 0 && i >= 500_000)).toBe(500_000);
  expect(new Set(asked).size).toBe(asked.length);
  expect(asked.length).toBeLessThan(21);
  expect(asked.every((i) => i >= 3 && i < 1_000_003)).toBe(true);
});

test('lowerBound finds the first number not below a limit', () => {
  fc.assert(
    fc.property(ascending, fc.integer({ min: -22, max: 22 }), (list, limit) => {
      const expected = list.findIndex((value) => value >= limit);
      expect(lowerBound(Int32Array.from(list), limit)).toBe(expected === -1 ? list.length : expected);
    }),
  );
});
