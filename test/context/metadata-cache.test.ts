import { MetadataCache } from '../../src/context/metadata-cache.js';
import { PM_ERR, systemClock } from '../../src/pmapi/index.js';
import { MemorySource } from '../../src/sources/index.js';
import { TEST_CONTENT } from '../support/memory-gateway.js';

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
