import path from 'node:path';
import {
  FetchResult,
  MetricType,
  PM_ERR,
  PmError,
  Semantics,
  timestampToSeconds,
  UTC_ZONE,
} from '../../../src/pmapi/index.js';
import type { MetricDescriptor, Timestamp } from '../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../src/sources/index.js';
import { ArchiveStore } from '../../../src/sources/archive/node/index.js';
import type { ArchiveSource } from '../../../src/sources/archive/index.js';
import { collectColumns, parseRange, readRange } from '../../../src/context/range/index.js';
import type { RangeColumns, RangeMetric, RangeParameters, RangeRequest } from '../../../src/context/range/index.js';
import { ArchiveBuilder } from '../../support/archive-builder.js';
import { FakeClock } from '../../support/fake-clock.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const ARCHIVES = path.resolve('test/fixtures/archives');
const ALL = new InstanceProfile();
const directory = temporaryDirectory();

describe('ranges over recorded archives', () => {
  let store: ArchiveStore;
  let source: ArchiveSource;

  beforeEach(async () => {
    store = new ArchiveStore({ clock: new FakeClock() });
    source = await store.open([path.join(ARCHIVES, 'live-v3')]);
  });

  afterEach(async () => {
    await source.close();
    await store.close();
  });

  async function metricsOf(names: readonly string[]): Promise<RangeMetric[]> {
    const pmids = await source.lookupNames(names);
    const descriptors = (await source.describe(pmids)) as MetricDescriptor[];
    return names.map((name, i) => ({ name, pmid: pmids[i]!, descriptor: descriptors[i]! }));
  }

  async function request(parameters: RangeParameters): Promise<RangeRequest> {
    const { start, end } = await source.info();
    return parseRange(parameters, { start: start!, end: end!, now: end!, zone: UTC_ZONE });
  }

  async function columns(names: readonly string[], parameters: RangeParameters): Promise<RangeColumns> {
    const metrics = await metricsOf(names);
    return collectColumns(readRange({ source, profile: ALL, metrics, request: await request(parameters) }));
  }

  async function fetchForward(name: string): Promise<[Timestamp, Map<number, number>][]> {
    const prepared = source.prepare(await source.lookupNames([name]));
    const result = new FetchResult();
    const seen: [Timestamp, Map<number, number>][] = [];
    for (;;) {
      try {
        await source.fetch(prepared, ALL, result);
      } catch (error) {
        if (error instanceof PmError && error.pmErr === PM_ERR.EOL) return seen;
        throw error;
      }
      const { column, instances, status } = result.sets[0]!;
      const values = Array.from({ length: status }, (_, i) => [instances[i]!, column.numbers[i]!] as const);
      seen.push([result.timestamp, new Map(values)]);
    }
  }

  it('make no rate over a record that holds the counter with no values, and one over a record without it', async () => {
    const builder = new ArchiveBuilder({ version: 3, start: [100, 0] })
      .metric({ pmid: 1, names: ['reads'], type: MetricType.U32, semantics: Semantics.COUNTER })
      .metric({ pmid: 2, names: ['load'], type: MetricType.U32, semantics: Semantics.INSTANT });
    for (const [sec, reads] of [
      [100, 10],
      [101, 20],
      [102, undefined],
      [103, 60],
      [104, null],
      [105, 90],
      [106, 95],
    ] as const) {
      const load = { pmid: 2, values: [[-1, sec]] as const };
      const values = reads === null ? [] : [[-1, reads ?? 0] as const];
      builder.record([sec, 0], reads === undefined ? [load] : [{ pmid: 1, values }, load]);
    }
    source = await store.open([builder.write(directory.path, 'gaps')]);
    const { series } = await columns(['reads', 'load'], { rate: true });
    const rates = series.find(({ metric }) => metric === 0)!.values;
    expect(Array.from({ length: 7 }, (_, row) => rates.at(row))).toEqual([
      undefined,
      10,
      undefined,
      20,
      undefined,
      undefined,
      5,
    ]);
  });

  it('make the same rates of a counter that wraps at an interval as between records, when told so', async () => {
    const builder = new ArchiveBuilder({ version: 3, start: [100, 0] }).metric({
      pmid: 1,
      names: ['reads'],
      type: MetricType.U32,
      semantics: Semantics.COUNTER,
    });
    for (const [sec, reads] of [[100, 2 ** 32 - 60], [110, 40], [120, 140]] as const) builder.record([sec, 0], [{ pmid: 1, values: [[-1, reads]] }]); // prettier-ignore
    source = await store.open([builder.write(directory.path, 'wrap')]);
    const metrics = await metricsOf(['reads']);
    const parameters = { interval: '4', rate: true };
    const samples = readRange({ source, profile: ALL, metrics, request: await request(parameters), wrap: true });
    const { series, length } = await collectColumns(samples);
    const rates = Array.from({ length }, (_, row) => series[0]!.values.at(row));
    expect(rates).toEqual([undefined, 10, 10, 10, 10, 10]);
  });

  it('give every recorded sample, as plain fetches do, and leave the position alone', async () => {
    const name = 'network.interface.in.bytes';
    const { position } = source;
    const seen = await columns([name], {});
    expect(source.position).toEqual(position);
    const fetched = await fetchForward(name);
    expect(fetched.length).toBeGreaterThan(4);
    expect(seen.length).toBe(fetched.length);
    for (const [row, [timestamp, values]] of fetched.entries()) {
      expect(seen.timeAt(row)).toEqual(timestamp);
      expect(new Map(seen.series.map((one) => [one.instance, one.values.at(row)]))).toEqual(values);
    }
  });

  it('interpolate at every step, and decimate what was interpolated', async () => {
    const names = ['kernel.all.cpu.user', 'kernel.all.load'];
    const all = await columns(names, { interval: '100msec' });
    const steps = Array.from({ length: all.length }, (_, row) => timestampToSeconds(all.timeAt(row)));
    expect(all.length).toBeGreaterThan(30);
    for (let row = 1; row < steps.length; row++) expect(steps[row]! - steps[row - 1]!).toBeCloseTo(0.1, 5);
    const [{ values }] = all.series as [RangeColumns['series'][number]];
    const known = Array.from({ length: all.length }, (_, row) => values.at(row)).filter((value) => value !== undefined);
    expect([...known].sort((a, b) => Number(a) - Number(b))).toEqual(known); // a counter only grows
    const decimated = await columns(names, { interval: '100msec', points: 4, decimation: 'last' });
    expect(decimated.length).toBe(4);
    expect(decimated.series[0]!.values.at(3)).toBe(known.at(-1));
  });
});
