import { rmSync } from 'node:fs';
import { FetchResult, PM_ERR, PmError, type Timestamp } from '../../../src/pmapi/index.js';
import { InstanceProfile, recordsOf as recordsIn } from '../../../src/sources/index.js';
import type { NeighbourOfMoment, ObservedValue, RecordedSource } from '../../../src/sources/index.js';
import { type ArchivePart, type LivePart, TimelineSource } from '../../../src/sources/timeline/index.js';
import { ArchiveBuilder, type BuiltMetric } from '../../support/archive-builder.js';
import { ArchiveBench, disposeOfBenches, at, EVERYTHING, secondsOf, stamp, valuesOf } from '../archive/support.js';
import { rows } from '../../support/rows.js';

afterEach(disposeOfBenches);

const INSTANT = 3;
const COUNTER = 1;
const U32 = 1;
const U64 = 3;
const KBYTE = 0x10010000;
const BYTE = 0x10000000;

const LOAD: BuiltMetric = { pmid: 1, names: ['t.load'], type: U32, semantics: INSTANT };
const COUNT: BuiltMetric = { pmid: 2, names: ['t.count'], type: U32, semantics: COUNTER };

describe('TimelineSource', () => {
  let bench: ArchiveBench;
  beforeEach(() => (bench = new ArchiveBench()));

  const archive = async (
    name: string,
    metrics: readonly BuiltMetric[],
    seconds: readonly number[],
    value: (sec: number, pmid: number) => number = (sec) => sec,
  ): Promise<ArchivePart> => {
    const builder = new ArchiveBuilder({ version: 3, start: stamp(seconds[0]!) });
    for (const metric of metrics) builder.metric(metric);
    for (const sec of seconds) {
      const sets = metrics.map(({ pmid }) => ({ pmid, values: [[-1, value(sec, pmid)] as const] }));
      builder.record(stamp(sec), sets);
    }
    return part(name, builder);
  };
  const part = async (name: string, builder: ArchiveBuilder): Promise<ArchivePart> => {
    const source = await bench.open(builder.write(bench.directory, name));
    const { start, end } = await source.info();
    return { name, origin: 'archive', source, start: start!, end: end! };
  };
  /** An archive of a metric with instances, whose instance domain has a label that says of which archive it is. */
  const disks = (
    name: string,
    seconds: readonly number[],
    metric: Pick<BuiltMetric, 'pmid' | 'units'> & { readonly indom: number },
    instances: readonly (readonly [number, string])[],
    value: (sec: number, id: number) => number = (sec) => sec,
  ): Promise<ArchivePart> => {
    const start = stamp(seconds[0]!);
    const builder = new ArchiveBuilder({ version: 3, start })
      .metric({ names: ['t.disk'], type: U32, semantics: INSTANT, ...metric })
      .indom(start, metric.indom, instances)
      .labels(start, 4, metric.indom, [[-1, { of: name }]]);
    for (const sec of seconds) {
      const values = instances.map(([id]) => [id, value(sec, id)] as const);
      builder.record(stamp(sec), [{ pmid: metric.pmid, values }]);
    }
    return part(name, builder);
  };
  /** An archive whose second volume has gone: a record for each of these seconds in either. */
  const halved = async (name: string, first: readonly number[], second: readonly number[]): Promise<ArchivePart> => {
    const builder = new ArchiveBuilder({ version: 3, start: stamp(first[0]!) }).metric(LOAD);
    for (const sec of first) builder.record(stamp(sec), [{ pmid: 1, values: [[-1, sec]] }]);
    builder.newVolume();
    for (const sec of second) builder.record(stamp(sec), [{ pmid: 1, values: [[-1, sec]] }]);
    const source = await bench.open(builder.write(bench.directory, name));
    rmSync(`${bench.directory}/${name}.1`);
    return { name, origin: 'archive', source, start: at(first[0]!), end: at(second.at(-1)!) };
  };
  /** What is remembered of a live source: another archive. */
  const remembered = async ({ source }: ArchivePart, pmids: readonly number[]): Promise<LivePart> => {
    const moments = new Map<number, Timestamp[]>();
    for (const pmid of pmids) moments.set(pmid, await momentsOf(source, pmid));
    return {
      source,
      instances: (indom) => source.instances(indom),
      marks: () => [],
      moments: (pmid) => moments.get(pmid!) ?? [],
      values: () => source,
    };
  };
  const join = (archives: readonly ArchivePart[], live?: LivePart): TimelineSource =>
    new TimelineSource({
      archives,
      live,
      hostName: 'web1',
      timezone: 'UTC',
      start: archives[0]!.start,
      now: () => at(10_000),
    });

  it('reads archives and memory as one, with a mark where there is a gap, and the finer part where two overlap', async () => {
    const coarse = await archive('coarse', [LOAD], [0, 10, 20, 30, 40]);
    const fine = await archive('fine', [LOAD], [22, 24, 26, 28], (sec) => sec + 1000);
    const later = await archive('later', [LOAD], [100, 110], (sec) => sec + 2000);
    const live = await remembered(await archive('live', [LOAD], [110, 111, 112], (sec) => sec + 3000), [1]);
    expect(await recordsOf(join([coarse, fine, later], live), ['t.load'], 0, 200)).toEqual([
      [0, 0],
      [10, 10],
      [20, 20],
      [22, 1022],
      [24, 1024],
      [26, 1026],
      [28, 1028],
      [30, 30],
      [40, 40],
      [40.001, 'mark'],
      [100, 2100],
      [110, 3110],
      [111, 3111],
      [112, 3112],
    ]);
  });

  it('reads each metric from where it is, and records of one moment as one', async () => {
    const one = await archive('one', [LOAD], [0, 10, 20]);
    const other = await archive('other', [COUNT], [0, 5, 10]);
    expect(await recordsOf(join([one, other]), ['t.load', 't.count'], 0, 20)).toEqual([
      [0, 0, 0],
      [5, 'none', 5],
      [10, 10, 10],
      [20, 20, 'none'],
    ]);
  });

  it('interpolates within parts, not across gaps, and gives no counter right behind one', async () => {
    const before = await archive('before', [LOAD, COUNT], [0, 10, 20], (sec) => 1000 + sec);
    const after = await archive('after', [LOAD, COUNT], [140, 150, 160]);
    const source = join([before, after]);
    const read = source.range(source.prepare([1, 2]), EVERYTHING);
    const into = new FetchResult();
    const values: unknown[] = [];
    for (const sec of [5, 15, 25, 145, 155]) {
      await read(at(sec), into);
      values.push([sec, ...into.sets.map(simple)]);
    }
    expect(values).toEqual([
      [5, 1000, 1005],
      [15, 1010, 1015],
      [25, 'none', 'none'],
      [145, 140, 145],
      [155, 150, 155],
    ]);
    // Moments that are read into results of their own stay as they were.
    const [one, other] = [new FetchResult(), new FetchResult()];
    const both = source.range(source.prepare([1, 2]), EVERYTHING);
    await both(at(5), one);
    await both(at(15), other);
    expect([one, other].map(({ sets }) => sets.map(simple))).toEqual(rows([1000, 1005], [1010, 1015]));
    await expect((async () => read(at(161), into))()).rejects.toMatchObject({ pmErr: PM_ERR.EOL });
    const next = source.range(source.prepare([1, 2]), EVERYTHING);
    await next(at(15), into);
    await next(at(145), into);
    expect(into.sets.map(simple)).toEqual([140, 'none']);
    await next(at(150), into);
    expect(into.sets.map(simple)).toEqual([150, 150]);
  });

  it('lets counters go on over a pause that is as long as others, in which there are no values, as in libpcp', async () => {
    const night = [LOAD, COUNT];
    const before = await archive('before', night, [0, 10, 20]);
    const after = await archive('after', night, [30, 40, 50]);
    const source = join([before, after]);
    expect((await recordsOf(source, ['t.count'], 0, 99)).flat()).not.toContain('mark');
    const read = source.range(source.prepare([1, 2]), EVERYTHING);
    const into = new FetchResult();
    const values: unknown[] = [];
    for (const sec of [15, 25, 35]) {
      await read(at(sec), into);
      values.push([sec, ...into.sets.map(simple)]);
    }
    expect(values).toEqual(rows([15, 10, 15], [25, 'none', 'none'], [35, 30, 35]));
  });

  it('reads the rest where a part that overlaps others cannot be read', async () => {
    const fine = await archive('fine', [LOAD], [0, 10, 20, 30, 40]);
    const lost = await halved('lost', [5], [6, 7]);
    expect((await collect(join([fine, lost]), [1], EVERYTHING, 0, 50)).map(([sec]) => sec)).toEqual([
      0, 10, 20, 30, 40,
    ]);
  });

  it('knows metrics and instances by their names, whatever their numbers are', async () => {
    const tenfold = (sec: number, id: number): number => sec * 10 + id;
    const old = await disks('old', [0, 1], { pmid: 77, indom: 5 }, rows([0, 'sdb'], [1, 'sda'], [7, 'sdz']), tenfold);
    const late = await disks('late', [10, 11], { pmid: 78, indom: 6 }, rows([0, 'sda'], [1, 'sdb']), tenfold);
    const source = join([old, late]);
    expect(await source.lookupNames(['t.disk', 't.none'])).toEqual([78, PM_ERR.NAME]);
    const records = await collect(source, [78], EVERYTHING, 0, 20);
    expect(records).toEqual([
      [0, { 0: 1, 1: 0, 7: 7 }],
      [1, { 0: 11, 1: 10, 7: 17 }],
      [1.001, 'mark'],
      [10, { 0: 100, 1: 101 }],
      [11, { 0: 110, 1: 111 }],
    ]);
    expect((await source.instancesEver(6)).instances).toEqual([
      { id: 0, name: 'sda' },
      { id: 1, name: 'sdb' },
      { id: 7, name: 'sdz' },
    ]);
    const onlySdb = new InstanceProfile();
    onlySdb.delete(6);
    onlySdb.add(6, [1]);
    expect(await collect(source, [78], onlySdb, 0, 20)).toEqual([
      [0, { 1: 0 }],
      [1, { 1: 10 }],
      [1.001, 'mark'],
      [10, { 1: 101 }],
      [11, { 1: 111 }],
    ]);
  });

  it('has the instances and labels of a moment, in its own numbers', async () => {
    const old = await disks('old', [0, 1], { pmid: 78, indom: 5 }, [[0, 'sdb']]);
    const late = await disks('late', [10, 11], { pmid: 78, indom: 6 }, rows([0, 'sda'], [1, 'sdb']));
    const source = join([old, late]);
    await source.describe([78]);
    expect((await source.instances(6, at(0))).instances).toEqual([{ id: 1, name: 'sdb' }]);
    expect((await source.instances(6, at(10))).instances).toHaveLength(2);
    expect((await source.instances(6)).instances).toHaveLength(2);
    const labelsAt = async (sec: number): Promise<unknown> =>
      (await source.labels({ kind: 'indom', indom: 6 }, at(sec)))[0]?.labels[0]?.json;
    expect([await labelsAt(0), await labelsAt(10)]).toEqual(['"old"', '"late"']);
  });

  it('gives another number to a metric and an instance whose own is taken', async () => {
    const old = await archive('old', [{ ...COUNT, pmid: 1, names: ['t.gone'] }], [0, 1]);
    const late = await archive('late', [LOAD], [10, 11]);
    const source = join([old, late]);
    const [gone] = await source.lookupNames(['t.gone']);
    expect(gone).not.toBe(1);
    expect(await source.namesOf(gone!)).toEqual(['t.gone']);
    expect(await source.namesOf(1)).toEqual(['t.load']);
    expect(await collect(source, [gone!, 1], EVERYTHING, 0, 20)).toEqual([
      [0, { '-1': 0 }, {}],
      [1, { '-1': 1 }, {}],
      [10, {}, { '-1': 10 }],
      [11, {}, { '-1': 11 }],
    ]);
    expect((await source.traverse('t')).toSorted()).toEqual(['t.gone', 't.load']);
  });

  it('converts values where that is exact, leaves out others, and says so', async () => {
    const is = (over: Partial<BuiltMetric>): BuiltMetric => ({ ...LOAD, ...over });
    const kbytes = await archive('kbytes', [is({ units: KBYTE })], [0, 1]);
    const wide = await archive('wide', [is({ type: U64, units: BYTE })], [10, 11]);
    const counter = await archive('counter', [is({ semantics: COUNTER, units: BYTE })], [20, 21]);
    const now = await archive('now', [is({ units: BYTE })], [30, 31]);
    const source = join([kbytes, wide, counter, now]);
    expect(await recordsOf(source, ['t.load'], 0, 50)).toEqual([
      [0, 0],
      [1, 1024],
      [1.001, 'mark'],
      [30, 30],
      [31, 31],
    ]);
    expect((await source.changesOf([1])).map(({ pmErr, message }) => [pmErr, message])).toEqual([
      [PM_ERR.LOGCHANGESEM, 't.load: in counter it is a counter there; left out'],
      [PM_ERR.LOGCHANGETYPE, 't.load: in wide it is U64 there, U32 later; left out'],
      [PM_ERR.LOGCHANGEUNITS, 't.load: in kbytes it is in Kbyte there; converted to byte'],
    ]);
  });

  it('goes on with the other parts where one cannot be read any more, and names it', async () => {
    const first = await archive('first', [LOAD], [0, 1]);
    const gone = await halved('gone', [10, 11], [12, 13]);
    const third = await archive('third', [LOAD], [20, 21]);
    const damages: PmError[] = [];
    const source = join([first, gone, third]);
    const records = await collect(source, [1], EVERYTHING, 0, 50, (damage) => damages.push(damage));
    expect(records.filter(([, value]) => value !== 'mark').map(([sec]) => sec)).toEqual([0, 1, 10, 11, 20, 21]);
    expect(damages.map(({ message }) => message)).toEqual([expect.stringContaining('gone: ')]);
  });

  it('says which record of which part a moment lies between, in its own numbers and units', async () => {
    const old = await disks('old', [0, 10], { pmid: 77, indom: 5, units: KBYTE }, [[3, 'sda']], (sec, id) => sec + id);
    const late = await disks('late', [100, 110], { pmid: 78, indom: 6, units: BYTE }, [[0, 'sda']]);
    const source = join([{ ...old, name: 'web1/old' }, late]);
    const around = async (sec: number): Promise<unknown> => {
      const [found] = await source.neighbours([78], EVERYTHING, at(sec));
      return found!.map(({ instance, exact, low, high }) => [instance, exact.map(seen), seen(low), seen(high)]);
    };
    expect(await around(4)).toEqual([[0, [], [0, 3 * 1024, 'web1/old'], [10, 13 * 1024, 'web1/old']]]);
    expect(await around(10)).toEqual([[0, [[10, 13 * 1024, 'web1/old']], [10, 13 * 1024, 'web1/old'], 'none']]);
    expect(await around(50)).toEqual([]);
    expect(await around(105)).toEqual([[0, [], [100, 100, 'late'], [110, 110, 'late']]]);
    expect(await around(999)).toEqual([]);
    expect(await source.neighbours([12345], EVERYTHING, at(105))).toEqual([[]]);
  });

  it('stops where its client leaves', async () => {
    const source = join([await archive('a', [LOAD], [0, 1, 2])]);
    const gone = new AbortController();
    const reading = source.batches(source.prepare([1]), EVERYTHING, at(0), at(9), { signal: gone.signal });
    gone.abort(new Error('left'));
    await expect(reading.next()).rejects.toThrow('left');
  });
});

async function momentsOf(source: RecordedSource, pmid: number): Promise<Timestamp[]> {
  const moments: Timestamp[] = [];
  for await (const { timestamp, isMark } of recordsIn(
    source.batches(source.prepare([pmid]), EVERYTHING, at(0), at(9999)),
  )) {
    if (!isMark) moments.push(timestamp);
  }
  return moments;
}

async function recordsOf(source: TimelineSource, names: string[], from: number, to: number): Promise<unknown[]> {
  const pmids = await source.lookupNames(names);
  const records = await collect(source, pmids, EVERYTHING, from, to);
  return records.map(([sec, ...values]) => [
    sec,
    ...values.map((value) => (isSet(value) ? (value['-1'] ?? 'none') : value)),
  ]);
}

async function collect(
  source: TimelineSource,
  pmids: readonly number[],
  profile: InstanceProfile,
  from: number,
  to: number,
  onDamage?: (damage: PmError) => void,
): Promise<(readonly [number, ...unknown[]])[]> {
  const records: (readonly [number, ...unknown[]])[] = [];
  for await (const record of recordsIn(
    source.batches(source.prepare(pmids), profile, at(from), at(to), { onDamage }),
  )) {
    const values = record.isMark ? ['mark'] : record.result.sets.map(valuesOf);
    records.push([Number(secondsOf(record.timestamp).toFixed(6)), ...values]);
  }
  return records;
}

/** An observation in short: when, what, and the archive that has it. */
function seen(one: NeighbourOfMoment | ObservedValue): unknown {
  return 'value' in one ? [secondsOf(one.timestamp), one.value, one.record?.archive] : one.kind;
}

function isSet(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function simple(set: FetchResult['sets'][number]): unknown {
  const values = valuesOf(set);
  return typeof values === 'number' ? values : (values[-1] ?? 'none');
}
