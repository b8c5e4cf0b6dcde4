import { jest } from '@jest/globals';
import { MemoryBudget } from '../../../src/context/memory-budget.js';
import { MetadataCache } from '../../../src/context/names/metadata-cache.js';
import { makeLabel, makePmid, PM_ERR, PmError, systemClock } from '../../../src/pmapi/index.js';
import { descriptor, TEST_CONTENT } from '../../support/memory-gateway.js';
import { MemorySource } from '../../support/memory-source.js';

const [FREE, LOAD] = ['mem.util.free', 'kernel.all.load'];

test('what was known when a question was asked is answered, though the source moves meanwhile', async () => {
  const cache = new MetadataCache();
  const source = new MemorySource(TEST_CONTENT, systemClock);
  const [free, load] = await source.lookupNames([FREE, LOAD]);
  await cache.lookupNames(source, [FREE]);
  const lookupNames = source.lookupNames.bind(source);
  source.lookupNames = async (names) => {
    source.lookupNames = lookupNames;
    const found = await lookupNames(names);
    source.generation++;
    // Somebody else asks, and all that was known is forgotten.
    await cache.lookupNames(source, [LOAD]);
    return found;
  };
  expect(await cache.lookupNames(source, [FREE, 'no.such', LOAD])).toEqual([free, PM_ERR.NAME, load]);
});

test('the identifiers of a source without context labels hold its host name', async () => {
  const source = new MemorySource(TEST_CONTENT, systemClock);
  source.labels = () => Promise.resolve([]);
  const [load] = await source.lookupNames([LOAD]);
  const { labels, identity } = await new MetadataCache().metric(source, load!);
  expect(labels).toEqual([]);
  expect(identity).toEqual([makeLabel('hostname', (await source.info()).hostName)]);
});

describe('what is kept of a source', () => {
  const COUNT = 2000;
  const LONG = 'x'.repeat(60_000);

  /** A source that has long texts and labels of everything. */
  function hostileSource(): MemorySource {
    const metrics = Array.from({ length: COUNT }, (_, i) => ({
      name: `a.x${i}`,
      descriptor: descriptor(makePmid(1, i >> 10, i & 1023)),
      values: 0,
    }));
    const source = new MemorySource({ metrics }, systemClock);
    source.helpText = () => Promise.resolve(LONG);
    source.labels = (target) =>
      Promise.resolve(target.kind === 'item' ? [{ instance: -1, labels: [{ name: 'a', json: `"${LONG}"` }] }] : []);
    return source;
  }

  it('is bounded in bytes, whatever it tells of its metrics', async () => {
    const cache = new MetadataCache();
    const source = hostileSource();
    for (let i = 0; i < COUNT; i++) await cache.metric(source, makePmid(1, i >> 10, i & 1023));
    expect(cache.bytes).toBeLessThanOrEqual(20 * 1024 * 1024 + COUNT * 300);
    expect(cache.bytes).toBeGreaterThan(15 * 1024 * 1024);
  });

  it('fits into what the metadata of all sources may take', async () => {
    const budget = new MemoryBudget(5_000_000);
    const [one, other] = [new MetadataCache(budget), new MetadataCache(budget)];
    for (const cache of [one, other]) {
      const source = hostileSource();
      for (let i = 0; i < 100; i++) await cache.metric(source, makePmid(1, 0, i));
    }
    expect(budget.bytes).toBeLessThanOrEqual(5_000_000);
    expect(budget.bytes).toBeGreaterThan(4_000_000);
    // What was not asked for longest went first.
    expect(one.bytes).toBeLessThan(1_000_000);
    other.close();
    one.close();
    expect(budget.bytes).toBe(0);
  });

  it('holds its names and descriptors within the same', async () => {
    const budget = new MemoryBudget(50_000);
    const cache = new MetadataCache(budget);
    const source = hostileSource();
    const names = Array.from({ length: COUNT }, (_, i) => `a.x${i}`);
    const pmids = await cache.lookupNames(source, names);
    expect(pmids).toEqual(names.map((_, i) => makePmid(1, i >> 10, i & 1023)));
    expect([cache.bytes, budget.bytes]).toEqual([0, 0]);
    const lookupNames = jest.spyOn(source, 'lookupNames');
    for (let i = 0; i < 2; i++) await cache.lookupNames(source, names.slice(0, 100));
    expect(lookupNames).toHaveBeenCalledTimes(1);
    expect(cache.bytes).toBeGreaterThan(5_000);
    expect(await cache.describe(source, [makePmid(1, 0, 0)])).toHaveLength(1);
    source.generation++;
    await cache.lookupNames(source, ['no.such']);
    expect(cache.bytes).toBe(0);
  });

  it('is asked for once by all who want it, and again when it was forgotten', async () => {
    const cache = new MetadataCache();
    const source = hostileSource();
    const helpText = jest.spyOn(source, 'helpText');
    const first = makePmid(1, 0, 0);
    const [one, other] = await Promise.all([cache.metric(source, first), cache.metric(source, first)]);
    expect(other).toBe(one);
    expect(await cache.metric(source, first)).toBe(one);
    expect(helpText).toHaveBeenCalledTimes(2);
    source.generation++;
    await cache.metric(source, first);
    expect(helpText).toHaveBeenCalledTimes(4);
  });

  it('holds nothing of what failed, nor of what was asked before the source moved', async () => {
    const cache = new MetadataCache();
    const source = hostileSource();
    const pmid = makePmid(1, 0, 0);
    const helpText = jest.spyOn(source, 'helpText').mockRejectedValueOnce(new PmError(PM_ERR.IPC));
    await expect(cache.metric(source, pmid)).rejects.toThrow(PmError);
    const before = cache.metric(source, pmid);
    source.generation++;
    await cache.describe(source, [pmid]);
    const { help } = await before;
    expect(help).toBe(LONG);
    helpText.mockClear();
    await cache.metric(source, pmid);
    expect(helpText).toHaveBeenCalledTimes(2);
  });
});
