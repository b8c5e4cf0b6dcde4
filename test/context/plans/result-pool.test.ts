import { ResultPool } from '../../../src/context/plans/fetcher.js';
import { FetchResult } from '../../../src/pmapi/index.js';

function resultOf(valueSets: number): FetchResult {
  const result = new FetchResult();
  result.resize(valueSets);
  return result;
}

test('a result that was given back is taken again, by one at a time', () => {
  const pool = new ResultPool();
  const result = resultOf(3);
  pool.give(result);
  expect(pool.take()).toBe(result);
  expect(pool.take()).not.toBe(result);
});

test('no more value sets are kept than allowed, and room that is made is used again', () => {
  const pool = new ResultPool();
  const [large, larger, small] = [resultOf(10_000), resultOf(10_000), resultOf(3)];
  pool.give(large);
  pool.give(larger);
  pool.give(small);
  expect([pool.take(), pool.take()]).toEqual([small, large]);
  expect(pool.take().sets).toHaveLength(0);
  pool.give(larger);
  expect(pool.take()).toBe(larger);
});

test('results without value sets do not pile up', () => {
  const pool = new ResultPool();
  const empty = Array.from({ length: 20_000 }, () => new FetchResult());
  for (const result of empty) pool.give(result);
  const known = new Set(empty);
  let kept = 0;
  while (known.delete(pool.take())) kept++;
  expect(kept).toBeGreaterThan(1000);
  expect(kept).toBeLessThan(20_000);
});
