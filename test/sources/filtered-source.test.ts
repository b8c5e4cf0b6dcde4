import { FetchResult, INSTANCE_NULL, makePmid, MetricType, PM_ERR } from '../../src/pmapi/index.js';
import { filterSource, InstanceProfile, metricFilter, metricRule, recordsOf } from '../../src/sources/index.js';
import type { MetricSource } from '../../src/sources/index.js';
import { ArchiveBuilder } from '../support/archive-builder.js';
import { FakeClock } from '../support/fake-clock.js';
import { MemorySource } from '../support/memory-source.js';
import { COLOURS, sampleContent } from '../support/sample-metrics.js';
import { ArchiveBench, disposeOfBenches, at, EVERYTHING, secondsOf, stamp, valuesOf } from './archive/support.js';
import { rows } from '../support/rows.js';

afterEach(disposeOfBenches);

const pmid = (item: number): number => makePmid(250, 0, item);
const LONG = pmid(1);
const COLOUR = pmid(9);
const ALIASED = pmid(16);

function through(...globs: readonly string[]): { source: MetricSource; inner: MemorySource } {
  const inner = new MemorySource(sampleContent, new FakeClock());
  return { inner, source: filterSource(inner, metricFilter([metricRule(globs)])!) };
}

test('names that are not allowed do not exist', async () => {
  const { source } = through('sample.long', 'sample.float.pi');
  expect(await source.lookupNames(['sample.long.one', 'sample.colour', 'sample.float.pi'])).toEqual([
    LONG,
    PM_ERR.NAME,
    pmid(5),
  ]);
  expect(await source.traverse('')).toEqual(['sample.long.one', 'sample.float.pi']);
  await expect(source.traverse('sample.alias')).rejects.toMatchObject({ pmErr: PM_ERR.NAME });
  await expect(source.namesOf(COLOUR)).rejects.toMatchObject({ pmErr: PM_ERR.PMID });
});

test('a node without allowed metrics does not exist', async () => {
  const { source } = through('sample.long');
  expect(await source.lookupNames(['sample.long', 'sample.alias'])).toEqual([PM_ERR.NONLEAF, PM_ERR.NAME]);
  expect(await source.children('')).toEqual({ leaf: [], nonleaf: ['sample'] });
  expect(await source.children('sample')).toEqual({ leaf: [], nonleaf: ['long'] });
  expect(await source.children('sample.long.one')).toEqual({ leaf: [], nonleaf: [] });
  await expect(source.children('sample.alias')).rejects.toMatchObject({ pmErr: PM_ERR.NAME });
  await expect(source.children('sample.colour')).rejects.toMatchObject({ pmErr: PM_ERR.NAME });
});

test('of a PMID with several names only the allowed ones are told, and one is enough', async () => {
  const { source } = through('sample.alias.second');
  expect(await source.namesOf(ALIASED)).toEqual(['sample.alias.second']);
  expect(await source.describe([ALIASED])).toEqual([expect.objectContaining({ pmid: ALIASED })]);
});

test('PMIDs that are nobody’s are not remembered: clients may ask for four billion of them', async () => {
  const { source, inner } = through('sample.long');
  const asked: number[] = [];
  const namesOf = inner.namesOf.bind(inner);
  inner.namesOf = (id) => {
    asked.push(id);
    return namesOf(id);
  };
  const nobodys = makePmid(9, 9, 9);
  for (let i = 0; i < 2; i++) {
    expect(await source.describe([nobodys, COLOUR])).toEqual([PM_ERR.PMID, PM_ERR.PMID]);
  }
  expect(asked.sort()).toEqual([nobodys, nobodys, COLOUR].sort());
});

test('hidden metrics cannot be stored to, and their items have no labels, where the source would do both', async () => {
  const inner = new MemorySource(sampleContent, new FakeClock());
  const labels = [{ instance: INSTANCE_NULL, labels: [] }];
  const stored: number[] = [];
  const store = (id: number): Promise<void> => Promise.resolve(void stored.push(id));
  const all: MetricSource = Object.assign(inner, { labels: () => Promise.resolve(labels), store });
  const source = filterSource(all, metricFilter([metricRule(['sample.long'])])!);
  expect(await source.labels({ kind: 'item', pmid: LONG })).toBe(labels);
  expect(await source.labels({ kind: 'item', pmid: COLOUR })).toEqual([]);
  await source.store!(LONG, new FetchResult());
  await expect(source.store!(COLOUR, new FetchResult())).rejects.toMatchObject({ pmErr: PM_ERR.PMID });
  expect(stored).toEqual([LONG]);
});

test('PMIDs of hidden metrics have no descriptor, no help, no labels and no values', async () => {
  const { source } = through('sample.long');
  expect(await source.describe([LONG, COLOUR])).toEqual([expect.objectContaining({ pmid: LONG }), PM_ERR.PMID]);
  expect(await source.helpText({ kind: 'metric', pmid: COLOUR }, 'oneline')).toBeUndefined();
  expect(await source.helpText({ kind: 'metric', pmid: LONG }, 'oneline')).toBe('one line about sample.long.one');
  expect(await source.labels({ kind: 'item', pmid: COLOUR })).toEqual([]);

  const result = new FetchResult();
  await source.fetch(source.prepare([COLOUR, LONG, ALIASED]), new InstanceProfile(), result);
  expect(result.sets.map(({ pmid: id, status }) => [id, status])).toEqual([
    [COLOUR, PM_ERR.PMID],
    [LONG, 1],
    [ALIASED, PM_ERR.PMID],
  ]);
  expect(valuesOf(result.sets[1]!)).toEqual({ '-1': -1 });
});

test('a result that is used again holds no more than before', async () => {
  const { source } = through('sample.long', 'sample.colour');
  const result = new FetchResult();
  const all = source.prepare([LONG, COLOUR]);
  const mixed = source.prepare([ALIASED, COLOUR, LONG]);
  for (let i = 0; i < 3; i++) {
    await source.fetch(mixed, new InstanceProfile(), result);
    expect(result.sets.map(({ status }) => status)).toEqual([PM_ERR.PMID, 3, 1]);
    await source.fetch(all, new InstanceProfile(), result);
    expect(result.sets.map(({ status }) => status)).toEqual([1, 3]);
  }
});

test('a fetch that is under way when the namespace changes gets its values where they belong', async () => {
  const { source, inner } = through('sample.long', 'sample.new');
  const [first] = sampleContent.metrics;
  const prepared = source.prepare([COLOUR, LONG]);
  const fetch = inner.fetch.bind(inner);
  let meanwhile: Promise<void> | undefined;
  inner.fetch = async (...given) => {
    await fetch(...given);
    if (meanwhile) return;
    const colour = sampleContent.metrics.find(({ descriptor }) => descriptor.pmid === COLOUR)!;
    inner.replace({ ...sampleContent, metrics: [first!, { ...colour, name: 'sample.new' }] });
    meanwhile = source.fetch(prepared, new InstanceProfile(), new FetchResult());
    await meanwhile;
  };
  const result = new FetchResult();
  await source.fetch(prepared, new InstanceProfile(), result);
  expect(result.sets.map(({ pmid: id, status }) => [id, status])).toEqual(rows([COLOUR, PM_ERR.PMID], [LONG, 1]));
});

test('nothing but hidden metrics is no fetch', async () => {
  const { source } = through('sample.long');
  const fetch = source.fetch(source.prepare([COLOUR]), new InstanceProfile(), new FetchResult());
  await expect(fetch).rejects.toMatchObject({ pmErr: PM_ERR.PMID });
});

test('an instance domain is known where an allowed metric has it', async () => {
  const hidden = through('sample.long').source;
  await expect(hidden.instances(COLOURS)).rejects.toMatchObject({ pmErr: PM_ERR.INDOM });
  expect(await hidden.labels({ kind: 'instances', indom: COLOURS })).toEqual([]);
  expect(await hidden.labels({ kind: 'indom', indom: COLOURS })).toEqual([]);
  expect(await hidden.helpText({ kind: 'indom', indom: COLOURS }, 'help')).toBeUndefined();

  const { source } = through('sample.colour');
  expect((await source.instances(COLOURS)).instances).toHaveLength(3);
  expect(await source.labels({ kind: 'indom', indom: COLOURS })).toHaveLength(1);
});

test('verdicts follow the namespace', async () => {
  const { source, inner } = through('sample.new');
  expect(await source.describe([LONG])).toEqual([PM_ERR.PMID]);
  const [first] = sampleContent.metrics;
  inner.replace({ ...sampleContent, metrics: [{ ...first!, name: 'sample.new' }] });
  expect(await source.describe([LONG])).toEqual([expect.objectContaining({ pmid: LONG })]);
});

/** An event array of two records at some second, each with a U32 for each PMID. */
function eventArray(second: number, ...pmids: readonly number[]): Buffer {
  const record = [second, 0, 1, pmids.length, ...pmids.flatMap((id) => [id, 0x01000008, 7])];
  const words = [2, ...record, ...record];
  const bytes = Buffer.alloc(4 * words.length);
  for (const [i, word] of words.entries()) bytes.writeUInt32BE(word, 4 * i);
  return bytes;
}

describe('parameters of event records', () => {
  const EVENTS = pmid(100);
  const NOBODYS = makePmid(9, 9, 9);

  function eventful(values: Buffer): { source: MetricSource; inner: MemorySource; asked: number[] } {
    const [first] = sampleContent.metrics;
    const descriptor = { ...first!.descriptor, pmid: EVENTS, type: MetricType.EVENT };
    const metrics = [...sampleContent.metrics, { name: 'sample.events', descriptor, values }];
    const inner = new MemorySource({ ...sampleContent, metrics }, new FakeClock());
    const asked: number[] = [];
    const namesOf = inner.namesOf.bind(inner);
    inner.namesOf = (id) => {
      asked.push(id);
      return namesOf(id);
    };
    return { inner, asked, source: filterSource(inner, metricFilter([metricRule(['sample.events', 'sample.long'])])!) };
  }

  async function fetchEvents(source: MetricSource): Promise<unknown> {
    const result = new FetchResult();
    await source.fetch(source.prepare([EVENTS]), new InstanceProfile(), result);
    return valuesOf(result.sets[0]!);
  }

  test('are there when they are allowed metrics, and no others', async () => {
    const { source } = eventful(eventArray(5, COLOUR, LONG, NOBODYS));
    expect(await fetchEvents(source)).toEqual({ '-1': eventArray(5, LONG).toString('hex') });
  });

  test('are looked up once until names may have changed', async () => {
    const { source, inner, asked } = eventful(eventArray(5, COLOUR, LONG, NOBODYS));
    for (let i = 0; i < 3; i++) await fetchEvents(source);
    expect(asked).toEqual([EVENTS, COLOUR, LONG, NOBODYS]);
    inner.generation++;
    await fetchEvents(source);
    expect(asked).toHaveLength(8);
  });

  test('are not looked up without end; those that were not are hidden', async () => {
    const many = Array.from({ length: 1000 }, (_, item) => makePmid(9, 9, item));
    const { source, asked } = eventful(eventArray(5, ...many, LONG));
    expect(await fetchEvents(source)).toEqual({ '-1': eventArray(5).toString('hex') });
    expect(asked.length).toBeLessThan(300);
  });

  test('of damaged arrays are nobody’s to see', async () => {
    const array = eventArray(5, COLOUR, LONG);
    const { source } = eventful(array.subarray(0, array.length - 4));
    expect(await fetchEvents(source)).toEqual({ '-1': '00' });
  });
});

test('what is closed is the source', async () => {
  const { source, inner } = through('sample.long');
  await source.close();
  expect(inner.isClosed).toBe(true);
});

describe('an archive', () => {
  let bench: ArchiveBench;
  beforeEach(() => (bench = new ArchiveBench()));

  const A = makePmid(60, 0, 1);
  const B = makePmid(60, 0, 2);

  function write(): string {
    const builder = new ArchiveBuilder({ version: 3, start: stamp(0) })
      .metric({ pmid: A, names: ['test.a'], type: 1, semantics: 3 })
      .metric({ pmid: B, names: ['test.b'], type: 1, semantics: 3 });
    for (let second = 0; second < 4; second++) {
      builder.record(stamp(second), [
        { pmid: A, values: [[-1, second]] },
        { pmid: B, values: [[-1, 10 * second]] },
      ]);
    }
    builder.write(bench.directory, 'two');
    return `${bench.directory}/two`;
  }

  test('parameters of event records are there when they are allowed metrics, however records are read', async () => {
    const builder = new ArchiveBuilder({ version: 3, start: stamp(0) })
      .metric({ pmid: A, names: ['test.a'], type: 1, semantics: 3 })
      .metric({ pmid: B, names: ['test.events'], type: 9, semantics: 3 });
    for (let second = 0; second < 3; second++) {
      builder.record(stamp(second), [{ pmid: B, values: [[-1, eventArray(second, A, B)]] }]);
    }
    builder.write(bench.directory, 'events');
    const filter = metricFilter([metricRule(['!test.a'])])!;
    const source = filterSource(await bench.open(`${bench.directory}/events`), filter).archive!;
    const shown = (second: number): unknown => ({ '-1': eventArray(second, B).toString('hex') });

    const { result } = await source.nextRecord(new FetchResult());
    expect(result.sets.map(valuesOf)).toEqual([shown(0)]);
    const prepared = source.prepare([B, A]);
    const seen: unknown[] = [];
    for await (const record of recordsOf(source.batches(prepared, EVERYTHING, at(1), at(2)))) {
      seen.push(record.result.sets.map(valuesOf));
    }
    expect(seen).toEqual(rows([shown(1), PM_ERR.PMID], [shown(2), PM_ERR.PMID]));
    const into = new FetchResult();
    await source.range(prepared, EVERYTHING)(at(1), into);
    expect(into.sets.map(valuesOf)).toEqual([shown(1), PM_ERR.PMID]);
    await source.fetch(prepared, EVERYTHING, into);
    expect(into.sets.map(valuesOf)).toEqual([shown(1), PM_ERR.PMID]);
    await source.close();
  });

  async function hideA(): Promise<MetricSource> {
    return filterSource(await bench.open(write()), metricFilter([metricRule(['!test.a'])])!);
  }

  test('whole records hold the allowed metrics', async () => {
    const source = (await hideA()).archive!;
    const record = await source.nextRecord(new FetchResult());
    expect(record.result.sets.map(({ pmid: id }) => id)).toEqual([B]);
    expect(source.label().hostName).toBe('builder.example');
    expect(secondsOf(await source.end())).toBe(3);
    await source.close();
  });

  test('records and interpolated values of hidden metrics are none', async () => {
    const source = (await hideA()).archive!;
    const prepared = source.prepare([A, B]);
    const seen: unknown[] = [];
    for await (const { result } of recordsOf(source.batches(prepared, EVERYTHING, at(1), at(2)))) {
      seen.push(result.sets.map(valuesOf));
    }
    expect(seen).toEqual(rows([PM_ERR.PMID, { '-1': 10 }], [PM_ERR.PMID, { '-1': 20 }]));
    const into = new FetchResult();
    await source.range(prepared, EVERYTHING)(at(1.5), into);
    expect(into.sets.map(valuesOf)).toEqual([PM_ERR.PMID, { '-1': 10 }]);
    await source.close();
  });

  test('counters wrap between records when told so', async () => {
    const builder = new ArchiveBuilder({ version: 3, start: stamp(0) })
      .metric({ pmid: B, names: ['test.b'], type: 1, semantics: 1 })
      .record(stamp(0), [{ pmid: B, values: [[-1, 2 ** 32 - 10]] }])
      .record(stamp(2), [{ pmid: B, values: [[-1, 20]] }]);
    const filter = metricFilter([metricRule(['!test.a'])])!;
    const source = filterSource(await bench.open(builder.write(bench.directory, 'wrap')), filter).archive!;
    const into = new FetchResult();
    await source.range(source.prepare([B]), EVERYTHING, { wrap: true })(at(1), into);
    expect(into.sets.map(valuesOf)).toEqual([{ '-1': 5 }]);
    await source.close();
  });
});
