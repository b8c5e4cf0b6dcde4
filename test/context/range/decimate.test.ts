import fc, { tries } from '../../support/properties.js';
import { MetricType, PM_ERR } from '../../../src/pmapi/index.js';
import type { DecimationKind } from '../../../src/context/range/index.js';
import { DISKS, FakeArchive, type FakeRecord, fakeMetric } from './support/fake-archive.js';
import { type Seen, rangeOf, readAll } from './support/read-all.js';
import { rows } from '../../support/rows.js';

const load = fakeMetric('load', 1, { type: MetricType.DOUBLE });
const text = fakeMetric('text', 2, { type: MetricType.STRING });
const disks = fakeMetric('disks', 3, { indom: DISKS });
const large = fakeMetric('large', 4, { type: MetricType.U64 });
const METRICS = [load, text, disks, large];

function decimated(
  records: readonly FakeRecord[],
  points: number,
  decimation: DecimationKind,
  metrics = [load],
  window: { start?: string; finish?: string } = {},
): Promise<Seen[]> {
  return readAll(rangeOf(new FakeArchive(METRICS, records), metrics, { points, decimation, ...window }));
}

const RAMP: readonly FakeRecord[] = Array.from({ length: 11 }, (_, i): FakeRecord => [i * 10, { load: i }]);

describe('decimate', () => {
  it.each<[DecimationKind, number[]]>([
    ['min', [0, 5]],
    ['max', [4, 10]],
    ['average', [2, 7.5]],
    ['last', [4, 10]],
  ])('keeps the %s of every bucket, the finish being in the last', async (kind, kept) => {
    expect(await decimated(RAMP, 2, kind)).toEqual(rows([0, kept[0]], [50, kept[1]]));
  });

  it('leaves out buckets without samples, but shows the mark in one', async () => {
    const records: FakeRecord[] = rows([5, { load: 1 }], [33, 'mark'], [66, { load: 2 }], [67, 'mark']);
    expect(await decimated(records, 10, 'average')).toEqual(rows([0, 1], [30, 'mark'], [60, 2]));
  });

  it('shows the mark behind samples where the next bucket is empty', async () => {
    const records: FakeRecord[] = [
      [5, { load: 1 }],
      [6, 'mark'],
      [66, { load: 2 }],
      [67, 'mark'],
      [68, { load: 3 }],
      [95, { load: 4 }],
    ];
    expect(await decimated(records, 10, 'average')).toEqual(rows([0, 1], [10, 'mark'], [60, 2.5], [90, 4]));
  });

  it('keeps instances apart, and those that a bucket lacks have no value in it', async () => {
    const records: FakeRecord[] = [
      [1, { disks: new Map([[0, 1], [1, 10]]) }],
      [2, { disks: new Map([[1, 30], [0, 2]]) }],
      [60, { disks: new Map([[1, 50]]) }],
    ]; // prettier-ignore
    expect(await decimated(records, 2, 'max', [disks])).toEqual(rows([0, { 0: 2, 1: 30 }], [50, { 1: 50 }]));
  });

  it('keeps the last of texts, and 64-bit integers exactly when the last is asked for', async () => {
    const records: FakeRecord[] = [
      [1, { text: 'red', large: 2n ** 63n }],
      [2, { text: 'green', large: 2n ** 63n + 1n }],
    ];
    expect(await decimated(records, 1, 'last', [text, large])).toEqual([[0, 'green', 2n ** 63n + 1n]]);
    expect(await decimated(records, 1, 'min', [text, large])).toEqual([[0, 'green', 2 ** 63]]);
  });

  it('does not count NaN, and tells of an error where there is nothing else', async () => {
    const records: FakeRecord[] = [
      [1, { load: NaN }],
      [2, { load: 4 }],
      [3, { load: { error: PM_ERR.AGAIN } }],
      [60, { load: { error: PM_ERR.AGAIN } }],
      [61, { load: NaN }],
    ];
    expect(await decimated(records, 2, 'average')).toEqual(rows([0, 4], [50, { error: PM_ERR.AGAIN }]));
  });

  it('puts everything of a window without length in one bucket', async () => {
    expect(await decimated(RAMP, 5, 'last', [load], { start: '20', finish: '20' })).toEqual([[20, 2]]);
  });

  it('counts samples that go back in time for the open bucket', async () => {
    const records: FakeRecord[] = rows([10, { load: 1 }], [60, { load: 2 }], [20, { load: 3 }], [99, { load: 4 }]);
    expect(await decimated(records, 2, 'average')).toEqual(rows([0, 1], [50, 3]));
  });

  it('says that numbers are DOUBLE, but for the last', () => {
    const archive = new FakeArchive(METRICS, []);
    const types = (decimation: string): number[] =>
      rangeOf(archive, [large, text], { points: 2, decimation }).metrics.map(({ descriptor }) => descriptor.type);
    expect(types('min')).toEqual([MetricType.DOUBLE, MetricType.STRING]);
    expect(types('last')).toEqual([MetricType.U64, MetricType.STRING]);
  });

  it('answers floats as floats: a mean has no digits that they do not have', async () => {
    const warmth = fakeMetric('warmth', 5, { type: MetricType.FLOAT });
    const [a, b] = [16.72, 16.74].map(Math.fround) as [number, number];
    const archive = new FakeArchive([warmth], rows([0, { warmth: a }], [1, { warmth: b }]));
    const range = rangeOf(archive, [warmth], { points: 1, decimation: 'average' });
    expect(range.metrics[0]!.descriptor.type).toBe(MetricType.FLOAT);
    expect(await readAll(range)).toEqual([[0, Math.fround((a + b) / 2)]]);
  });

  it('keeps min <= average <= max and last among the values, whatever values and window', async () => {
    const samples = fc.uniqueArray(
      fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.double({ noNaN: true, noDefaultInfinity: true })),
      { selector: ([decisec]) => decisec, minLength: 1, maxLength: 40 },
    );
    const window = fc.tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 100 }));
    await fc.assert(
      fc.asyncProperty(samples, window, fc.integer({ min: 1, max: 30 }), async (unordered, [a, b], points) => {
        const inOrder = unordered.sort(([x], [y]) => x - y);
        const records = inOrder.map(([decisec, value]): FakeRecord => [decisec / 10, { load: value }]);
        const [start, finish] = [Math.min(a, b), Math.max(a, b)];
        const limits = { start: String(start), finish: String(finish) };
        const [min, max, average, last] = await Promise.all(
          (['min', 'max', 'average', 'last'] as const).map((kind) => decimated(records, points, kind, [load], limits)),
        );
        const inside = records
          .filter(([sec]) => sec >= start && sec <= finish)
          .map(([, v]) => (v as { load: number }).load);
        expect(min!.length).toBeLessThanOrEqual(points);
        for (const [i, [sec, least]] of min!.entries()) {
          const [most, mean, latest] = [max, average, last].map((seen) => seen![i]![1] as number) as [
            number,
            number,
            number,
          ];
          expect(sec).toBeGreaterThanOrEqual(start);
          expect(sec).toBeLessThanOrEqual(finish);
          expect(least as number).toBeLessThanOrEqual(mean);
          expect(mean).toBeLessThanOrEqual(most);
          expect(inside).toContain(latest);
        }
        if (inside.length === 0) expect(min).toEqual([]);
        else {
          expect(Math.min(...min!.map(([, value]) => value as number))).toBe(Math.min(...inside));
          expect(Math.max(...max!.map(([, value]) => value as number))).toBe(Math.max(...inside));
        }
      }),
      { numRuns: tries(100) },
    );
  });
});
