import fc from '../../support/properties.js';
import { type AtomValue, GatewayError, MetricType, timestampToSeconds } from '../../../src/pmapi/index.js';
import { DEFAULT_RANGE_LIMITS, type RangeColumns, collectColumns } from '../../../src/context/range/index.js';
import { columnOfBlock, RowBatch, type Batch } from '../../../src/sources/index.js';
import { DISKS, FakeArchive, type FakeRecord, type FakeValues, fakeMetric } from './support/fake-archive.js';
import { rangeOf } from './support/read-all.js';
import { rows } from './support/rows.js';

const load = fakeMetric('load', 1, { type: MetricType.DOUBLE });
const disks = fakeMetric('disks', 2, { indom: DISKS, type: MetricType.U64 });
const text = fakeMetric('text', 3, { type: MetricType.STRING });
const block = fakeMetric('block', 4, { type: MetricType.AGGREGATE });
const METRICS = [load, disks, text, block];

/** Columns as a table: times, and the values of `metric` or `metric[instance]`, undefined where there is none. */
function table(columns: RangeColumns): Record<string, unknown[]> {
  const seen: Record<string, unknown[]> = {
    time: Array.from({ length: columns.length }, (_, row) => timestampToSeconds(columns.timeAt(row))),
  };
  for (const { metric, instance, values } of columns.series) {
    expect(values.length).toBe(columns.length);
    const { name } = columns.metrics[metric]!;
    const key = instance === -1 ? name : `${name}[${instance}]`;
    seen[key] = Array.from({ length: values.length }, (_, row) => values.at(row));
  }
  return seen;
}

const collect = (records: readonly FakeRecord[], marks = false): Promise<RangeColumns> =>
  collectColumns(rangeOf(new FakeArchive(METRICS, records), METRICS), { marks });

describe('collectColumns', () => {
  it('tells a NaN that was recorded from a value that is missing', async () => {
    const { series } = await collect([
      [1, { load: NaN }],
      [2, { text: '' }],
    ]);
    const [values, texts] = series.map((one) => one.values);
    expect([values!.isMissing(0), values!.isMissing(1)]).toEqual([false, true]);
    expect([values!.at(0), values!.at(1)]).toEqual([NaN, undefined]);
    expect([texts!.at(0), texts!.at(1)]).toEqual([undefined, '']);
  });

  it('leaves marks out, or gives them a row without values', async () => {
    const records: FakeRecord[] = [
      [1, { load: 1 }],
      [2, 'mark'],
      [3, { load: 3 }],
    ];
    expect(table(await collect(records))).toEqual({ time: [1, 3], load: [1, 3] });
    expect(table(await collect(records, true))).toEqual({ time: [1, 2, 3], load: [1, undefined, 3] });
  });

  it('collects a sample that is very wide as any other, and lets others have a turn meanwhile', async () => {
    const many = Array.from({ length: 60 }, (_, i) => fakeMetric(`m${i}`, 100 + i, { indom: DISKS }));
    const values = (sec: number): Record<string, FakeValues> =>
      Object.fromEntries(
        many.map(({ name }, i) => [name, new Map(Array.from({ length: 80 }, (_, k) => [k, sec + i + k]))]),
      );
    const records = [1, 2].map((sec): FakeRecord => [sec, values(sec)]);
    const rest: FakeRecord[] = [[3, 'mark'], [4, { m7: new Map([[2, 44]]) }]]; // prettier-ignore
    let turns = 0;
    const count = setInterval(() => turns++, 0);
    const columns = await collectColumns(rangeOf(new FakeArchive(many, [...records, ...rest]), many), { marks: true });
    clearInterval(count);
    expect(columns.series).toHaveLength(4800);
    const all = table(columns);
    expect(all.time).toEqual([1, 2, 3, 4]);
    expect(all['m0[0]']).toEqual([1, 2, undefined, undefined]);
    expect(all['m7[2]']).toEqual([10, 11, undefined, 44]);
    expect(all['m59[79]']).toEqual([139, 140, undefined, undefined]);
    expect(turns).toBeGreaterThan(0);
  });

  it('takes a block over behind integers that no number holds', async () => {
    const { metrics } = rangeOf(new FakeArchive(METRICS, []), [disks]);
    const wide = new RowBatch(1);
    wide.next.resize(1);
    wide.next.sets[0]!.reset(disks.pmid, MetricType.U64);
    wide.next.sets[0]!.addInteger(0, 2n ** 64n - 1n);
    wide.push();
    const numbers = { type: MetricType.U64, instances: Int32Array.of(0), numbers: Float64Array.of(7, 2 ** 40) };
    const narrow = columnOfBlock(disks.pmid, { ...numbers, stride: 1, places: Int32Array.of(0) });
    const times = { secs: Float64Array.of(1, 2), nsecs: Int32Array.of(0, 0) };
    const batches = async function* (): AsyncGenerator<Batch, void> {
      yield* [wide, { length: 2, isMark: false, ...times, columns: [narrow] }];
      await Promise.resolve();
    };
    const [series] = (await collectColumns({ metrics, batches })).series;
    const { column } = series!.values;
    expect([0, 1, 2].map((row) => column.integerAt(row))).toEqual([2n ** 64n - 1n, 7n, 2n ** 40n]);
  });

  it('makes room at once for rows that follow, unless they would exceed the limit', async () => {
    const { metrics } = rangeOf(new FakeArchive(METRICS, []), [load]);
    const numbers = Float64Array.from({ length: 100 }, (_, i) => i);
    const one = { type: MetricType.DOUBLE, instances: Int32Array.of(-1), numbers, stride: 1, places: Int32Array.of(0) };
    const times = { secs: numbers, nsecs: new Int32Array(100) };
    const batches = async function* (): AsyncGenerator<Batch, void> {
      yield { length: 100, isMark: false, ...times, columns: [columnOfBlock(load.pmid, one)], following: 900 };
      await Promise.resolve();
    };
    const roomOf = async (columnBytes: number): Promise<number> => {
      const limits = { ...DEFAULT_RANGE_LIMITS, columnBytes };
      return (await collectColumns({ metrics, batches }, { limits })).series[0]!.values.column.numbers.length;
    };
    expect([await roomOf(1e6), await roomOf(8000)]).toEqual([1000, 100]);
  });

  it('refuses to grow beyond its limit within a wide sample', async () => {
    const wide = new Map(Array.from({ length: 5000 }, (_, k) => [k, k]));
    const limits = { ...DEFAULT_RANGE_LIMITS, columnBytes: 100_000 };
    const range = collectColumns(rangeOf(new FakeArchive(METRICS, [[1, { disks: wide }]]), METRICS), { limits });
    await expect(range).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  it('refuses to grow beyond its limit, and says what does fit', async () => {
    const source = new FakeArchive(METRICS, [], (sec) => ({ load: sec }));
    const limits = { ...DEFAULT_RANGE_LIMITS, columnBytes: 10_000 };
    const range = (finish: string): Promise<RangeColumns> =>
      collectColumns(rangeOf(source, [load], { finish, interval: '100msec' }), { limits });
    expect((await range('5')).length).toBe(51);
    const error = await range('100').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED', details: { parameter: 'points' } });
    expect((error as Error).message).toContain('samples fit');
  });

  it('agrees with rows, whatever the samples', async () => {
    const number = fc.double();
    const integer = fc.oneof(fc.integer(), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })).map((value): AtomValue =>
      typeof value === 'number' ? Math.abs(value) : value,
    ); // prettier-ignore
    const instances = fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), integer), { maxLength: 5 });
    const sample = fc.record<Record<string, FakeValues>>(
      { load: number, disks: instances.map((pairs) => new Map(pairs)), text: fc.string() },
      { requiredKeys: [] },
    );
    const records = fc.array(
      fc.oneof({ weight: 5, arbitrary: sample }, { weight: 1, arbitrary: fc.constant('mark' as const) }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(records, async (values) => {
        const inOrder = values.map((value, i): FakeRecord => [i, value]);
        const columns = await collect(inOrder);
        let row = 0;
        let count = 0;
        for await (const { timestamp, values: metrics } of rows(rangeOf(new FakeArchive(METRICS, inOrder), METRICS))) {
          expect(columns.timeAt(row)).toEqual(timestamp);
          for (const { metric, instance, values: series } of columns.series) {
            const found = metrics[metric]!.instances.find((one) => one.instance === instance);
            expect(series.at(row)).toEqual(found?.value);
            if (found) count--;
          }
          count += metrics.reduce((sum, metric) => sum + metric.instances.length, 0);
          row++;
        }
        expect(row).toBe(columns.length);
        expect(count).toBe(0); // every value of a row has a series
      }),
    );
  });
});
