import { jest } from '@jest/globals';
import { MetadataCache } from '../../src/context/metadata-cache.js';
import { makePmid, PM_ERR, PmError, systemClock } from '../../src/pmapi/index.js';
import { MemorySource } from '../../src/sources/index.js';
import { descriptor, TEST_CONTENT } from '../support/memory-gateway.js';

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
    expect(cache.bytes).toBeLessThanOrEqual(20 * 1024 * 1024);
    expect(cache.bytes).toBeGreaterThan(15 * 1024 * 1024);
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
