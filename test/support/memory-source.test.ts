import {
  DIMENSIONLESS,
  FetchResult,
  INDOM_NULL,
  INSTANCE_NULL,
  makeIndom,
  makeLabel,
  makePmid,
  MetricType,
  PM_ERR,
  Semantics,
} from '../../src/pmapi/index.js';
import type { Clock, MetricDescriptor, Timestamp } from '../../src/pmapi/index.js';
import { InstanceProfile } from '../../src/sources/index.js';
import type { MemoryContent } from './memory-source.js';
import { MemorySource } from './memory-source.js';
import { rows } from './rows.js';

const NOW = { sec: 1_789_000_000, nsec: 5 };
const clock: Clock = { now: (): Timestamp => NOW, monotonicMs: () => 0 };
const DISKS = makeIndom(60, 1);
const pmid = (item: number): number => makePmid(60, 0, item);
const describeMetric = (item: number, type: MetricType, indom = INDOM_NULL): MetricDescriptor => ({
  pmid: pmid(item),
  type,
  indom,
  semantics: Semantics.INSTANT,
  units: DIMENSIONLESS,
});

const CONTENT: MemoryContent = {
  hostName: 'host1',
  contextLabels: [makeLabel('hostname', 'host1')],
  domainLabels: new Map([[60, [makeLabel('agent', 'linux')]]]),
  indoms: [
    {
      indom: DISKS,
      instances: rows({ id: 0, name: 'sda' }, { id: 1, name: 'sdb' }),
      oneline: 'disks',
      help: 'all disks',
      labels: [makeLabel('device_type', 'block')],
      instanceLabels: new Map([[1, [makeLabel('ssd', true)]]]),
    },
  ],
  metrics: [
    { name: 'hinv.ncpu', descriptor: describeMetric(1, MetricType.U32), values: 8, oneline: 'CPUs' },
    {
      name: 'disk.dev.read',
      descriptor: describeMetric(2, MetricType.U64, DISKS),
      values: new Map<number, number | bigint>(rows([0, 7], [1, 2n ** 64n - 1n])),
      labels: [makeLabel('unit', 'io')],
    },
    { name: 'kernel.uname', descriptor: describeMetric(3, MetricType.STRING), values: 'Linux' },
    { name: 'bad.metric', descriptor: describeMetric(4, MetricType.U32), values: { error: PM_ERR.AGAIN } },
    { name: 'now.sec', descriptor: describeMetric(5, MetricType.I64), values: (now) => now.sec },
    { name: 'raw.bytes', descriptor: describeMetric(6, MetricType.AGGREGATE), values: Uint8Array.of(1, 2) },
  ],
};

async function fetchAll(source: MemorySource, pmids: number[], profile = new InstanceProfile()): Promise<FetchResult> {
  const result = new FetchResult();
  await source.fetch(source.prepare(pmids), profile, result);
  return result;
}

describe('MemorySource', () => {
  const source = new MemorySource(CONTENT, clock);

  it('answers values in the order of the request, errors as data', async () => {
    const result = await fetchAll(source, [1, 2, 3, 4, 5, 6, 99].map(pmid));
    expect(result.timestamp).toEqual(NOW);
    expect(result.sets.map((set) => set.status)).toEqual([1, 2, 1, PM_ERR.AGAIN, 1, 1, PM_ERR.PMID]);
    expect(result.sets.map((set) => set.pmid)).toEqual([1, 2, 3, 4, 5, 6, 99].map(pmid));
    const [ncpu, disks, uname, , now, raw] = result.sets;
    expect(ncpu!.instances[0]).toBe(INSTANCE_NULL);
    expect(ncpu!.column.numbers[0]).toBe(8);
    expect([...disks!.instances.subarray(0, 2)]).toEqual([0, 1]);
    expect([disks!.column.integerAt(0), disks!.column.integerAt(1)]).toEqual([7n, 2n ** 64n - 1n]);
    expect(uname!.column.texts).toEqual(['Linux']);
    expect(now!.column.numbers[0]).toBe(NOW.sec);
    expect(raw!.column.bytes).toEqual([Uint8Array.of(1, 2)]);
  });

  it('limits values to the profile', async () => {
    const profile = new InstanceProfile();
    profile.delete();
    profile.add(DISKS, [1]);
    const result = await fetchAll(source, [pmid(1), pmid(2)], profile);
    expect(result.sets.map((set) => set.status)).toEqual([1, 1]);
    expect(result.sets[1]!.instances[0]).toBe(1);
  });

  it('reuses a result for a shorter fetch', async () => {
    const result = await fetchAll(source, [pmid(2), pmid(3)]);
    await source.fetch(source.prepare([pmid(1)]), new InstanceProfile(), result);
    expect(result.sets).toHaveLength(1);
    expect(result.sets[0]!.type).toBe(MetricType.U32);
    expect(result.sets[0]!.column.wide).toBeUndefined();
  });

  it('answers metadata', async () => {
    expect(await source.info()).toEqual({ kind: 'local', hostName: 'host1' });
    expect(await source.lookupNames(['hinv.ncpu', 'hinv', 'no'])).toEqual([pmid(1), PM_ERR.NONLEAF, PM_ERR.NAME]);
    expect(await source.namesOf(pmid(2))).toEqual(['disk.dev.read']);
    expect(await source.children('disk')).toEqual({ leaf: [], nonleaf: ['dev'] });
    expect(await source.traverse('disk')).toEqual(['disk.dev.read']);
    expect(await source.describe([pmid(1), 5])).toEqual([CONTENT.metrics[0]!.descriptor, PM_ERR.PMID]);
    expect((await source.instances(DISKS)).instances).toHaveLength(2);
    await expect(source.instances(1)).rejects.toMatchObject({ pmErr: PM_ERR.INDOM });
  });

  it('answers labels of each level', async () => {
    const json = async (target: Parameters<MemorySource['labels']>[0]): Promise<unknown> =>
      (await source.labels(target)).map(({ instance, labels }) => [
        instance,
        ...labels.map((l) => `${l.name}=${l.json}`),
      ]);
    expect(await json({ kind: 'context' })).toEqual([[INSTANCE_NULL, 'hostname="host1"']]);
    expect(await json({ kind: 'domain', domain: 60 })).toEqual([[INSTANCE_NULL, 'agent="linux"']]);
    expect(await json({ kind: 'indom', indom: DISKS })).toEqual([[INSTANCE_NULL, 'device_type="block"']]);
    expect(await json({ kind: 'cluster', pmid: pmid(1) })).toEqual([]);
    expect(await json({ kind: 'item', pmid: pmid(2) })).toEqual([[INSTANCE_NULL, 'unit="io"']]);
    expect(await json({ kind: 'instances', indom: DISKS })).toEqual([[1, 'ssd=true']]);
    expect(await json({ kind: 'instances', indom: 1 })).toEqual([]);
  });

  it('answers help, or nothing', async () => {
    expect(await source.helpText({ kind: 'metric', pmid: pmid(1) }, 'oneline')).toBe('CPUs');
    expect(await source.helpText({ kind: 'metric', pmid: pmid(1) }, 'help')).toBeUndefined();
    expect(await source.helpText({ kind: 'indom', indom: DISKS }, 'help')).toBe('all disks');
    expect(await source.helpText({ kind: 'indom', indom: 1 }, 'help')).toBeUndefined();
  });

  it('moves its generation when the content is replaced', async () => {
    const changing = new MemorySource(CONTENT, clock);
    const before = changing.generation;
    changing.replace({ metrics: [] });
    expect(changing.generation).toBeGreaterThan(before);
    expect(await changing.lookupNames(['hinv.ncpu'])).toEqual([PM_ERR.NAME]);
  });

  it('rejects content whose values do not fit the descriptor', async () => {
    const odd = new MemorySource(
      { metrics: [{ name: 'a', descriptor: describeMetric(1, MetricType.U32, DISKS), values: 1 }] },
      clock,
    );
    await expect(fetchAll(odd, [pmid(1)])).rejects.toThrow('give its values as a map');
    const odder = new MemorySource(
      { metrics: [{ name: 'a', descriptor: describeMetric(1, MetricType.STRING), values: 1 }] },
      clock,
    );
    await expect(fetchAll(odder, [pmid(1)])).rejects.toThrow('a number for a metric');
  });

  it('fails with the reason it was destroyed for, and as closed when closed', async () => {
    const destroyed = new MemorySource(CONTENT, clock);
    destroyed.destroy(new Error('gone'));
    expect(destroyed.isClosed).toBe(true);
    await expect(destroyed.traverse('')).rejects.toThrow('gone');
    const closed = new MemorySource(CONTENT, clock);
    await closed.close();
    await expect(fetchAll(closed, [])).rejects.toMatchObject({ pmErr: PM_ERR.NOCONTEXT });
  });
});
