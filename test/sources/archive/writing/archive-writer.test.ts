import { existsSync } from 'node:fs';
import path from 'node:path';
import { FetchResult, makeLabel, makeTimestamp, MetricType, PM_ERR, Semantics } from '../../../../src/pmapi/index.js';
import { ArchiveWriter } from '../../../../src/sources/archive/writing/index.js';
import { ArchiveBuilder, type BuiltStamp } from '../../../support/archive-builder.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { ArchiveBench, disposeOfBenches, at, EVERYTHING, fetchAll, recordsOf, stamp, valuesOf } from '../support.js';
import { descriptor, filesOf, sample, valueSet } from './support.js';
import { rows } from '../../../support/rows.js';

afterEach(disposeOfBenches);

const LABEL = { pid: 4711, hostName: 'builder.example', timezone: 'UTC', zoneinfo: '' };
const INDOM = 0x0f000001;

const count = descriptor(1, MetricType.U32, { semantics: Semantics.COUNTER });
const big = descriptor(2, MetricType.U64);
const text = descriptor(3, MetricType.STRING, { indom: INDOM, semantics: Semantics.DISCRETE });
const ratio = descriptor(4, MetricType.DOUBLE);
const small = descriptor(5, MetricType.FLOAT);
const signed = descriptor(6, MetricType.I64);
const block = descriptor(7, MetricType.AGGREGATE);
const offset = descriptor(8, MetricType.I32);
const METRICS = [count, big, text, ratio, small, signed, block, offset];

describe('ArchiveWriter', () => {
  const directory = temporaryDirectory();
  let number = 0;
  const newBase = (): string => path.join(directory.path, `a${++number}`);
  const describeAll = (writer: ArchiveWriter): void => {
    for (const metric of METRICS) writer.describe(metric, [`test.m${metric.pmid}`]);
  };

  it('writes the bytes of LOGARCHIVE(5): every type, errors and no values', async () => {
    const writer = ArchiveWriter.create(newBase(), LABEL);
    describeAll(writer);
    writer.instances(INDOM, rows({ id: 7, name: 'seven' }, { id: 3, name: 'three of them' }));
    const values = [
      [count, [[-1, 0xfffffffe]]],
      [big, [[-1, 0xfffffffffffffffen]]],
      [text, rows([3, 'a'], [7, 'äöü and more'])],
      [ratio, [[-1, -0.1]]],
      [small, [[-1, 1.5]]],
      [signed, [[-1, -2]]],
      [block, [[-1, Buffer.from('12345')]]],
      [offset, [[-1, -3]]],
    ] as const;
    await writer.append(
      sample(
        0,
        values.map(([metric, set]) => valueSet(metric, set)),
      ),
    );
    await writer.append(sample(1.5, [valueSet(count, 0), valueSet(big, PM_ERR.AGAIN)]));
    await writer.close();

    const builder = new ArchiveBuilder({ version: 3, start: stamp(0) });
    for (const { pmid, type, indom, semantics } of METRICS) {
      builder.metric({ pmid, names: [`test.m${pmid}`], type, indom, semantics });
    }
    builder.indom(stamp(0), INDOM, rows([3, 'three of them'], [7, 'seven']));
    builder.record(
      stamp(0),
      values.map(([{ pmid }, set]) => ({ pmid, values: set.map(([id, v]) => [id, v] as const) })),
    );
    builder.record(stamp(1.5), rows({ pmid: 1, values: [] }, { pmid: 2, values: PM_ERR.AGAIN }));
    const [written, built] = [filesOf(writer.base), builder.files()];
    expect([...written.keys()].sort()).toEqual(['0', 'index', 'meta']);
    expect(written.get('meta')).toEqual(built.get('meta'));
    expect(written.get('0')).toEqual(built.get('0'));
  });

  it('writes labels and help texts that the builder writes alike', async () => {
    const writer = ArchiveWriter.create(newBase(), LABEL);
    writer.describe(count, ['test.count', 'test.alias']);
    const labels = [makeLabel('hostname', 'builder.example'), makeLabel('n', 3)];
    writer.labels({ kind: 'context' }, [{ instance: -1, labels }]);
    writer.labels({ kind: 'instances', indom: INDOM }, [
      { instance: 3, labels: [makeLabel('disk', 'sda')] },
      { instance: 7, labels: [] },
    ]);
    writer.help({ kind: 'metric', pmid: 1 }, 'oneline', 'how many');
    writer.help({ kind: 'indom', indom: INDOM }, 'help', 'all of them');
    await writer.append(sample(0, [valueSet(count, [[-1, 1]])]));
    await writer.close();

    const builder = new ArchiveBuilder({ version: 3, start: stamp(0) })
      .metric({ pmid: 1, names: ['test.count', 'test.alias'], type: 1, semantics: 1 })
      .text(5, 1, 'how many')
      .text(10, INDOM, 'all of them')
      .labels(stamp(0), 1, 0xffffffff, [[-1, { hostname: 'builder.example', n: 3 }]])
      .labels(stamp(0), 32, INDOM, rows([3, { disk: 'sda' }], [7, {}]));
    expect(filesOf(writer.base).get('meta')).toEqual(builder.files().get('meta'));
  });

  it('writes metadata again only when it has changed, instance domains as deltas where those only add', async () => {
    const writer = ArchiveWriter.create(newBase(), LABEL);
    const metric = descriptor(1, MetricType.U32, { indom: INDOM });
    const names = ['a', 'b', 'c', 'd'].map((name, id) => ({ id, name }));
    const record = async (seconds: number, instances: typeof names): Promise<void> => {
      writer.describe(metric, ['test.m']);
      writer.instances(INDOM, instances);
      writer.labels({ kind: 'item', pmid: 1 }, [{ instance: -1, labels: [makeLabel('x', 1)] }]);
      writer.help({ kind: 'metric', pmid: 1 }, 'oneline', 'text');
      await writer.append(sample(seconds, [valueSet(metric, [[0, 1]])]));
    };
    await record(0, names);
    await record(1, names);
    await record(2, [...names, { id: 9, name: 'j' }]);
    await record(3, names.slice(0, 1));
    await record(4, [{ id: 0, name: 'renamed' }]);
    await record(5, []);
    await record(6, []);
    await writer.close();

    const builder = new ArchiveBuilder({ version: 3, start: stamp(0) })
      .metric({ pmid: 1, names: ['test.m'], type: 1, indom: INDOM, semantics: 3 })
      .text(5, 1, 'text')
      .indom(stamp(0), INDOM, rows([0, 'a'], [1, 'b'], [2, 'c'], [3, 'd']))
      .labels(stamp(0), 16, 1, [[-1, { x: 1 }]])
      .indom(stamp(2), INDOM, [[9, 'j']], true)
      .indom(stamp(3), INDOM, [[0, 'a']])
      .indom(stamp(4), INDOM, [[0, 'renamed']])
      .indom(stamp(5), INDOM, [[0, null]], true);
    expect(filesOf(writer.base).get('meta')).toEqual(builder.files().get('meta'));
  });

  it('has one record of an instance domain and of the labels of a target for each stamp', async () => {
    const metric = descriptor(1, MetricType.U32, { indom: INDOM });
    const item = { kind: 'item', pmid: 1 } as const;
    const declare = (writer: ArchiveWriter, ids: readonly number[], x: number): void => {
      writer.instances(
        INDOM,
        ids.map((id) => ({ id, name: `n${id}` })),
      );
      writer.labels(item, [{ instance: -1, labels: [makeLabel('x', x)] }]);
    };
    const append = (writer: ArchiveWriter, id: number): Promise<void> =>
      writer.append(sample(1, [valueSet(metric, [[id, id]])]));
    let writer = ArchiveWriter.create(newBase(), LABEL);
    writer.describe(metric, ['test.m']);
    declare(writer, [0, 1, 2, 3, 4], 1);
    declare(writer, [0, 1, 2, 3, 4, 5], 2);
    await append(writer, 0);
    await append(writer, 1);
    // Another domain at the moment of the last record: a nanosecond later.
    declare(writer, [1, 2, 3, 4, 5], 3);
    await append(writer, 2);
    await append(writer, 3);
    expect(writer.end).toEqual(at(1));
    await writer.close();
    writer = await ArchiveWriter.resume(writer.base);
    declare(writer, [2, 3, 4, 5], 4);
    await writer.append({ timestamp: writer.end!, sets: [valueSet(metric, [[4, 4]])] });
    await writer.close();

    const later = (nsec: number): BuiltStamp => [stamp(1)[0], stamp(1)[1] + nsec];
    const named = (ids: readonly number[]) => ids.map((id): [number, string] => [id, `n${id}`]);
    const builder = new ArchiveBuilder({ version: 3, start: stamp(1) })
      .metric({ pmid: 1, names: ['test.m'], type: 1, indom: INDOM, semantics: 3 })
      .indom(stamp(1), INDOM, named([0, 1, 2, 3, 4, 5]))
      .labels(stamp(1), 16, 1, [[-1, { x: 2 }]])
      .indom(later(1), INDOM, named([1, 2, 3, 4, 5]))
      .labels(later(1), 16, 1, [[-1, { x: 3 }]])
      .indom(later(2), INDOM, named([2, 3, 4, 5]))
      .labels(later(2), 16, 1, [[-1, { x: 4 }]]);
    for (const [nsec, id] of [0, 0, 1, 1].map((nsec, id) => [nsec, id] as const)) {
      builder.record(later(nsec), [{ pmid: 1, values: [[id, id]] }]);
    }
    builder.mark(later(1)).record(later(2), [{ pmid: 1, values: [[4, 4]] }]);
    expect(filesOf(writer.base).get('meta')).toEqual(builder.files().get('meta'));
    expect(filesOf(writer.base).get('0')).toEqual(builder.files().get('0'));
  });

  it('writes a metric with a value that is too long for a value block as PM_ERR_TOOBIG, and the others', async () => {
    const writer = ArchiveWriter.create(newBase(), LABEL);
    describeAll(writer);
    const long = valueSet(block, [[-1, Buffer.alloc(0xffffff - 3)]]);
    await writer.append(sample(0, [long, valueSet(count, [[-1, 5]])]));
    await writer.close();
    const bench = new ArchiveBench();
    const source = await bench.open(writer.base);
    const { fetches } = await fetchAll(source, [7, 1]);
    expect(fetches).toEqual([[0, PM_ERR.TOOBIG, { [-1]: 5 }]]);
  });

  it('rotates volumes, marks gaps, and is read back whole', async () => {
    const writer = ArchiveWriter.create(newBase(), LABEL);
    describeAll(writer);
    for (let i = 0; i < 6; i++) {
      if (i % 2 === 0) await writer.rotate();
      await writer.append(sample(i, [valueSet(count, [[-1, i]])]));
      if (i === 3) await writer.mark(at(3.001));
    }
    await writer.close();
    const files = filesOf(writer.base);
    expect([...files.keys()].sort()).toEqual(['0', '1', '2', 'index', 'meta']);
    // libpcp takes the stamp of whichever label for the archive's start.
    const starts = [...files.values()].map((bytes) => bytes.readUInt32BE(12));
    expect(new Set(starts)).toEqual(new Set([at(0).sec]));
    const bench = new ArchiveBench();
    const source = await bench.open(writer.base);
    expect((await recordsOf(source)).records).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
      [3, 1],
      [3.001, 'mark'],
      [4, 1],
      [5, 1],
    ]);
  });

  it('refuses a moment before the last record, metrics that were not described and records without metrics', async () => {
    const writer = ArchiveWriter.create(newBase(), LABEL);
    writer.describe(count, ['test.count']);
    await expect(writer.append(sample(0, [valueSet(big, [[-1, 1]])]))).rejects.toThrow('0.0.2 was not described');
    await expect(writer.append(sample(0, []))).rejects.toThrow('without metrics');
    await writer.append(sample(5, [valueSet(count, [[-1, 1]])]));
    await writer.append(sample(5, [valueSet(count, [[-1, 2]])]));
    await expect(writer.append(sample(4, [valueSet(count, [[-1, 1]])]))).rejects.toThrow(RangeError);
    await expect(writer.mark(at(4))).rejects.toThrow(RangeError);
    await writer.close();
  });

  it('refuses descriptors and names that contradict the archive', () => {
    const writer = ArchiveWriter.create(newBase(), LABEL);
    writer.describe(count, ['test.count']);
    const codeOf = (work: () => void): unknown => {
      try {
        work();
      } catch (error) {
        return (error as { pmErr?: unknown }).pmErr;
      }
      return undefined;
    };
    expect(codeOf(() => writer.describe({ ...count, type: MetricType.U64 }, ['test.count']))).toBe(
      PM_ERR.LOGCHANGETYPE,
    );
    expect(codeOf(() => writer.describe({ ...count, pmid: 9 }, ['test.count']))).toBe(PM_ERR.PMID);
    expect(codeOf(() => writer.describe(count, ['test.count']))).toBeUndefined();
  });

  it('writes nothing before the first record', async () => {
    const writer = ArchiveWriter.create(newBase(), LABEL);
    writer.describe(count, ['test.count']);
    await writer.mark(at(0));
    await writer.close();
    expect(existsSync(`${writer.base}.meta`)).toBe(false);
    expect(filesOf(writer.base).size).toBe(0);
  });

  it('cuts host names that the label has no room for between characters', async () => {
    const writer = ArchiveWriter.create(newBase(), { ...LABEL, hostName: `a${'ä'.repeat(200)}` });
    writer.describe(count, ['test.count']);
    await writer.append(sample(0, [valueSet(count, [[-1, 1]])]));
    await writer.close();
    const bench = new ArchiveBench();
    const source = await bench.open(writer.base);
    expect((await source.info()).hostName).toBe(`a${'ä'.repeat(127)}`);
  });

  it('leaves out labels that a set has no room for', async () => {
    const writer = ArchiveWriter.create(newBase(), LABEL);
    writer.describe(count, ['test.count']);
    const long = makeLabel('long', 'x'.repeat(70_000));
    const labels = [makeLabel('n'.repeat(256), 1), long, makeLabel('a', 1)];
    writer.labels({ kind: 'domain', domain: 0 }, [{ instance: -1, labels }]);
    await writer.append(sample(0, [valueSet(count, [[-1, 1]])]));
    await writer.close();
    const bench = new ArchiveBench();
    const source = await bench.open(writer.base);
    expect(await source.labels({ kind: 'domain', domain: 0 }, at(1))).toEqual([
      { instance: -1, labels: [{ name: 'a', json: '1' }] },
    ]);
  });

  it('writes entries of the temporal index about every 100,000 bytes, and for the last record', async () => {
    const writer = ArchiveWriter.create(newBase(), LABEL);
    writer.describe(block, ['test.block']);
    for (let i = 0; i < 10; i++) await writer.append(sample(i, [valueSet(block, [[-1, Buffer.alloc(30_000)]])]));
    await writer.close();
    const index = filesOf(writer.base).get('index')!;
    const entries = Array.from({ length: (index.length - 808) / 32 }, (_, i) => {
      const entry = index.subarray(808 + 32 * i);
      const time = makeTimestamp(entry.readUInt32BE(0), entry.readInt32BE(8));
      return [time.sec - at(0).sec, entry.readInt32BE(12), Number(entry.readBigInt64BE(24))];
    });
    const recordBytes = 4 + 12 + 4 + 20 + 4 + 30_000 + 4;
    expect(entries).toEqual([0, 4, 8, 9].map((i) => [i, 0, 808 + i * recordBytes]));
  });

  it('keeps seconds beyond 32 bits', async () => {
    const writer = ArchiveWriter.create(newBase(), LABEL);
    writer.describe(count, ['test.count']);
    const far = { sec: 0x1_2345_6789, nsec: 999_999_999 };
    await writer.append({ timestamp: far, sets: [valueSet(count, [[-1, 1]])] });
    await writer.close();
    const bench = new ArchiveBench();
    const source = await bench.open(writer.base);
    const into = new FetchResult();
    await source.fetch(source.prepare([1]), EVERYTHING, into);
    expect([into.timestamp, into.sets.map(valuesOf)]).toEqual([far, [{ [-1]: 1 }]]);
  });
});
