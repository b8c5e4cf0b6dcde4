import { openRange } from '../../../src/context/open-range.js';
import type { FetchPlan } from '../../../src/context/plans/fetch-plan.js';
import { DEFAULT_RANGE_LIMITS } from '../../../src/context/range/index.js';
import type { SeriesDirectory } from '../../../src/context/selection/index.js';
import { FetchResult, type MetricDescriptor } from '../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../src/sources/index.js';
import type { ArchiveSource } from '../../../src/sources/archive/index.js';
import { SEGMENT_BYTES } from '../../../src/sources/archive/records/volume.js';
import { ArchiveBuilder } from '../../support/archive-builder.js';
import { at, ArchiveBench, disposeOfBenches, EVERYTHING, stamp, valuesOf } from './support.js';

afterEach(disposeOfBenches);

const INDOM = 0x0f000001;
const [U32, U64] = [1, 3];
const [COUNTER, INSTANT] = [1, 3];
const METRICS = 60;
const INSTANCES = 8;
const RECORDS = 1000;
/** Metrics from this one on are recorded in the first and the last record only. */
const RARE_FROM = METRICS - 10;

const pmids = Array.from({ length: METRICS }, (_, i) => 0x0f000400 + i);
const isRecorded = (metric: number, record: number): boolean =>
  metric < RARE_FROM || record === 0 || record === RECORDS - 1;

/**
 * Many metrics of 8 instances over several segments. Instance 7 of each is never recorded, some metrics hardly ever, and the last
 * one never: what interpolates has to look for their neighbours in the whole archive.
 */
function buildWide(isIndexed = false): ArchiveBuilder {
  const builder = new ArchiveBuilder({ version: 3, start: stamp(0) });
  builder.indom(
    stamp(0),
    INDOM,
    Array.from({ length: INSTANCES }, (_, i) => [i, `i${i}`] as const),
  );
  pmids.forEach((pmid, i) => {
    const [type, semantics] = i % 2 === 0 ? [U32, INSTANT] : [U64, COUNTER];
    builder.metric({ pmid, names: [`wide.m${i}`], type, indom: INDOM, semantics });
  });
  for (let record = 0; record < RECORDS; record++) {
    const sets = pmids.flatMap((pmid, i) => {
      if (i === METRICS - 1 || !isRecorded(i, record)) return [];
      return [{ pmid, values: Array.from({ length: INSTANCES - 1 }, (_, id) => [id, 1000 * record + id] as const) }];
    });
    if (isIndexed && record % 50 === 0) builder.indexEntry(stamp(record));
    builder.record(stamp(record), sets);
  }
  return builder;
}

describe('interpolated values of many metrics', () => {
  const builder = buildWide();
  const dataBytes = builder.files().get('0')!.length;
  let bench: ArchiveBench;
  let source: ArchiveSource;

  beforeEach(async () => {
    // Far less than the archive: what is dropped and wanted again has to be read again.
    bench = new ArchiveBench({ blockCacheBytes: 2 ** 21, columnCacheBytes: 2 ** 18 });
    source = await bench.open(builder.write(bench.directory, 'wide'));
  });

  const bytesRead = (): number => source.opened.members[0]!.peekVolume(0)!.file.bytesRead;

  async function readAll(moments: readonly number[], signal?: AbortSignal): Promise<unknown[][]> {
    const read = source.range(source.prepare(pmids), EVERYTHING, { signal });
    const into = new FetchResult();
    const found: unknown[][] = [];
    for (const moment of moments) {
      await read(at(moment), into);
      found.push(into.sets.map(valuesOf));
    }
    return found;
  }

  it('takes one pass over the records for all metrics, in each direction', async () => {
    expect(dataBytes).toBeGreaterThan(4 * 2 ** 20);
    const [values] = await readAll([RECORDS / 2 + 0.5]);
    expect(values![0]).toEqual(Object.fromEntries([0, 1, 2, 3, 4, 5, 6].map((id) => [id, 500_000 + id])));
    expect(values![1]).toEqual(Object.fromEntries([0, 1, 2, 3, 4, 5, 6].map((id) => [id, BigInt(500_500 + id)])));
    expect(values![METRICS - 1]).toEqual({});
    // Half of it also to find where the moment lies, as there is no index, and some blocks were read ahead and dropped.
    expect(bytesRead() / dataBytes).toBeLessThan(3);
  });

  it('does not read again what it went over, as long as moments come in order', async () => {
    const moments = Array.from({ length: RECORDS - 1 }, (_, i) => i + 0.5);
    const found = await readAll(moments);
    expect(found.map((values) => (values[1] as Record<number, unknown>)[3])).toEqual(
      moments.map((moment) => BigInt(1000 * moment + 3)),
    );
    expect(found.map((values) => (values[METRICS - 3] as Record<number, unknown>)[3])).toEqual(
      moments.map((moment) => BigInt(1000 * moment + 3)),
    );
    // Once to look for what is hardly ever recorded, and once more along with the moments.
    expect(bytesRead() / dataBytes).toBeLessThan(3);
  });

  it('keeps no columns of what it looked through for an instance without values, and looks once', async () => {
    bench = new ArchiveBench({ blockCacheBytes: 2 ** 21 });
    source = await bench.open(builder.write(bench.directory, 'wide'));
    const found = await readAll([RECORDS / 2 + 0.5]);
    // Those at the moment, and at both ends of metrics that are hardly ever recorded, with what is read along: not those of all segments.
    expect(dataBytes / SEGMENT_BYTES).toBeGreaterThan(4);
    expect(source.opened.memory.columns.size).toBeLessThan(2 * METRICS);
    const before = bytesRead();
    expect(await readAll([RECORDS / 2 + 0.5])).toEqual(found);
    expect(bytesRead()).toBe(before);
  });

  it('stops within a turn of the event loop when nobody waits any more', async () => {
    const leaving = new AbortController();
    const read = readAll([RECORDS / 2 + 0.5], leaving.signal);
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    while (bytesRead() < 2 ** 21) await turn();
    leaving.abort(new Error('the client left'));
    // What the system had been asked for still comes.
    await expect(read).rejects.toThrow('the client left');
    const before = bytesRead();
    for (let i = 0; i < 50; i++) await turn();
    expect(bytesRead() - before).toBeLessThanOrEqual(3 * 2 ** 20);
    expect(bytesRead()).toBeLessThan(dataBytes);
  });

  it('is estimated from the segments at both ends, without reading what lies between', async () => {
    const estimate = await source.estimate(
      source.prepare([pmids[0]!, pmids[METRICS - 1]!]),
      EVERYTHING,
      at(0),
      at(499),
    );
    expect(estimate.records / 500).toBeCloseTo(1, 1);
    expect(estimate.values / (500 * (INSTANCES - 1))).toBeCloseTo(1, 1);
    const one = new InstanceProfile();
    one.delete(INDOM);
    one.add(INDOM, [1]);
    const narrowed = await source.estimate(source.prepare([pmids[0]!]), one, at(0), at(499));
    expect(narrowed.values / 500).toBeCloseTo(1, 1);
  });

  it('is refused before it is read when it is far too large', async () => {
    const indexed = await bench.open(buildWide(true).write(bench.directory, 'indexed'));
    const [descriptor] = await indexed.describe([pmids[0]!]);
    const plan = {
      entries: [{ name: 'wide.m0', pmid: pmids[0]!, descriptor: descriptor as MetricDescriptor }],
    } as unknown as FetchPlan;
    const info = await indexed.info();
    const origin = {
      source: indexed,
      info,
      instancesEver: (indom: number) => indexed.instancesEver(indom),
      isRecorded: true,
      profile: EVERYTHING,
      directory: {} as SeriesDirectory,
      clock: bench.clock,
    };
    const refused = { code: 'LIMIT_EXCEEDED' };
    await expect(
      openRange(origin, plan, {}, { limits: { ...DEFAULT_RANGE_LIMITS, values: 3000 } }),
    ).rejects.toMatchObject(refused);
    const columns = { columns: true, limits: { ...DEFAULT_RANGE_LIMITS, columnBytes: 20_000 } };
    await expect(openRange(origin, plan, {}, columns)).rejects.toMatchObject(refused);
    await expect(openRange(origin, plan, { interval: '1' }, columns)).rejects.toMatchObject(refused);
    await expect(openRange(origin, plan, { points: 10 }, columns)).resolves.toBeDefined();
    const { bytesRead } = indexed.opened.members[0]!.peekVolume(0)!.file;
    expect(bytesRead / dataBytes).toBeLessThan(0.75);
  });
});
