import { makeIndom, makeLabel } from '../../../src/pmapi/index.js';
import { completions, search, suggest, type IndexOf } from '../../../src/features/search/search.js';
import { parseQuery } from '../../../src/features/search/search-query.js';
import { SearchIndexes } from '../../../src/features/search/search-indexes.js';
import type { FindOptions } from '../../../src/features/search/search-shard.js';
import { FakeClock } from '../../support/fake-clock.js';
import { ENDLESS_TURN, type FakeMetric, FakeView } from './support/fake-view.js';

const DISKS = makeIndom(60, 1);
const METRICS: readonly FakeMetric[] = [
  { name: 'disk.dev.read', oneline: 'per-disk read operations', indom: DISKS, labels: [makeLabel('agent', 'linux')] },
  { name: 'disk.dev.read_bytes', oneline: 'bytes read', indom: DISKS },
  { name: 'disk.dev.write', oneline: 'per-disk write operations', indom: DISKS },
  { name: 'disk.all.avactive', oneline: 'time' },
  { name: 'disk.all.aveq', oneline: 'queue' },
  { name: 'disk.all.blkread' },
  { name: 'disk.all.blktotal' },
  { name: 'mem.util.free', oneline: 'free memory', help: 'Memory that is not used, not even for the disk cache' },
  { name: 'kernel.all.load', help: 'load averages, <b> & all', labels: [makeLabel('agent', 'linux')] },
  { name: 'disk', isBare: true },
];

async function indexOf(metrics: readonly FakeMetric[], source = 'web1'): Promise<IndexOf<string>> {
  const view = new FakeView(metrics);
  view.instanceNames.set(DISKS, ['sda', 'nvme0n1', 'mem']);
  const indexes = new SearchIndexes({ clock: new FakeClock(), turns: ENDLESS_TURN });
  return { index: await indexes.of(view), source };
}

const ALL = { offset: 0, limit: 100 };
const find = async (
  indexes: readonly IndexOf<string>[],
  text: string,
  options: FindOptions = {},
): Promise<string[]> => {
  const { hits } = await search(indexes, parseQuery(text, 'q'), { ...ALL, ...options }, ENDLESS_TURN);
  return hits.map(({ document }) => document.name);
};

describe('search', () => {
  let index: IndexOf<string>;
  beforeAll(async () => (index = await indexOf(METRICS)));

  it('tells names apart that differ in a plural', async () => {
    const pair = await indexOf([{ name: 'pmcd.pdu_in.desc' }, { name: 'pmcd.pdu_in.descs' }]);
    expect((await find([pair], 'pmcd.pdu_in.descs'))[0]).toBe('pmcd.pdu_in.descs');
    expect((await find([pair], 'pmcd.pdu_in.desc'))[0]).toBe('pmcd.pdu_in.desc');
  });

  it('finds metrics by the beginnings of words', async () => {
    expect(await find([index], 'kern lo')).toEqual(['kernel.all.load']);
  });

  it('puts what is named so first, then names, help texts, and instances', async () => {
    expect((await find([index], 'disk'))[0]).toBe('disk');
    expect(await find([index], 'mem', { types: ['metric', 'instance'] })).toEqual(['mem.util.free', 'mem']);
    const { hits } = await search([index], parseQuery('disk', 'q'), ALL, ENDLESS_TURN);
    const names = hits.map(({ document }) => document.name);
    expect(names.indexOf('mem.util.free')).toBeGreaterThan(names.indexOf('disk.all.blktotal'));
    expect(hits.map(({ rank }) => rank)).toEqual(hits.map(({ rank }) => rank).sort());
  });

  it('finds instance domains by number and help', async () => {
    expect(await find([index], '60.1')).toEqual(['60.1']);
    expect(await find([index], 'set of disks')).toEqual(['60.1']);
  });

  it('finds metrics by labels, after all others', async () => {
    expect(await find([index], 'linux')).toEqual(['kernel.all.load', 'disk.dev.read']);
    expect(await find([index], 'linux', { fields: ['name', 'oneline', 'helptext'] })).toEqual([]);
  });

  it('looks for similar words only when nothing is like the query, then for any word', async () => {
    const likeness = async (text: string): Promise<unknown> => {
      const { likeness, hits } = await search([index], parseQuery(text, 'q'), ALL, ENDLESS_TURN);
      return [likeness, hits[0]?.document.name];
    };
    expect(await likeness('kernel load')).toEqual(['all', 'kernel.all.load']);
    expect(await likeness('kernal laod')).toEqual(['any', 'kernel.all.load']);
    expect(await likeness('kernal load')).toEqual(['similar', 'kernel.all.load']);
    expect(await likeness('memory xylophone')).toEqual(['any', 'mem.util.free']);
    expect(await likeness('xylophone')).toEqual(['all', undefined]);
  });

  it('searches several indexes as one, a page at a time', async () => {
    const other = await indexOf([{ name: 'disk.dev.read' }, { name: 'disk.zfs.read' }], 'db1');
    const page = (offset: number, limit: number) =>
      search([index, other], parseQuery('disk read', 'q'), { offset, limit, types: ['metric'] }, ENDLESS_TURN);
    const all = await page(0, 100);
    expect(all.total).toBe(4);
    expect(new Set(all.hits.map(({ source }) => source))).toEqual(new Set(['web1', 'db1']));
    const pages = [await page(0, 3), await page(3, 3), await page(6, 3)];
    expect(pages.flatMap(({ hits }) => hits)).toEqual(all.hits);
    expect(pages.map(({ total }) => total)).toEqual([4, 4, 4]);
  });

  it('finds the best among more than fit into a shard', async () => {
    const metrics = Array.from({ length: 3000 }, (_, i) => ({ name: `proc.x${i}.size`, oneline: 'size of a thing' }));
    const large = await indexOf([...metrics, { name: 'size', oneline: 'a thing' }]);
    expect(large.index.shards.length).toBeGreaterThan(5);
    const { total, hits } = await search([large], parseQuery('size', 'q'), { offset: 0, limit: 2 }, ENDLESS_TURN);
    expect(total).toBe(3001);
    expect(hits[0]?.document.name).toBe('size');
  });
});

describe('suggest', () => {
  const names = async (text: string, limit = 10): Promise<readonly string[]> => {
    const query = /\w/.test(text) ? parseQuery(text, 'query') : undefined;
    const { begun, found } = await suggest([await indexOf(METRICS.slice(0, -1))], text, query, limit, ENDLESS_TURN);
    const names = found.hits.map(({ document }) => document.name);
    return completions(begun, names, limit);
  };

  it('completes names in any case, then offers what the words lead to', async () => {
    expect(await names('Disk.dev.re')).toEqual(['disk.dev.read', 'disk.dev.read_bytes']);
    expect(await names('free')).toEqual(['mem.util.free']);
    expect(await names('kernal')).toEqual(['kernel.all.load']);
    expect(await names('nvme')).toEqual(['nvme0n1']);
  });
});
