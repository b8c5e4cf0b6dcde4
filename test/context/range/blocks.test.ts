import fc, { tries } from '../../support/properties.js';
import { GatewayError, type MetricDescriptor, PmError, UTC_ZONE } from '../../../src/pmapi/index.js';
import { collectColumns, parseRange, readRange } from '../../../src/context/range/index.js';
import type {
  RangeColumns,
  RangeMetric,
  RangeParameters,
  RangeSamples,
  RangeSource,
} from '../../../src/context/range/index.js';
import { filterSource, InstanceProfile, metricFilter, metricRule, timeOfRow } from '../../../src/sources/index.js';
import type { BatchColumn, RecordedSource } from '../../../src/sources/index.js';
import { ArchiveBuilder, type BuiltSet } from '../../support/archive-builder.js';
import { ArchiveBench, disposeOfBenches, at, EVERYTHING, stamp } from '../../sources/archive/support.js';

afterEach(disposeOfBenches);

const INDOM = 0x0f000001;
const OTHER_INDOM = 0x0f000002;
const METRICS = [
  { name: 'a.narrow', pmid: 1, type: 1, indom: INDOM },
  { name: 'a.wide', pmid: 2, type: 3, indom: INDOM },
  { name: 'a.real', pmid: 3, type: 5, indom: OTHER_INDOM },
  { name: 'a.single', pmid: 4, type: 0, indom: undefined },
  { name: 'b.text', pmid: 5, type: 6, indom: INDOM },
] as const;
const NAMES = METRICS.map(({ name }) => name);
const MEGABYTES = 0x12020000; // space, not time, and scaled to Mbyte

/** One record: how many seconds after the one before, and of each metric its instances; or a mark, or an error. */
interface Entry {
  readonly after: number;
  readonly kind: 'mark' | 'alike' | 'odd';
  readonly odd: readonly (readonly number[] | undefined | 'error')[];
  readonly seed: number;
}

const entry: fc.Arbitrary<Entry> = fc.record({
  after: fc.constantFrom(1, 1, 1, 5, 0),
  kind: fc.oneof({ weight: 30, arbitrary: fc.constant('alike' as const) }, fc.constantFrom('mark', 'odd')),
  odd: fc.array(
    fc.oneof(
      fc.constant(undefined),
      fc.constant('error' as const),
      fc.uniqueArray(fc.integer({ min: 0, max: 5 }), { maxLength: 4 }),
    ),
    { minLength: METRICS.length, maxLength: METRICS.length },
  ),
  seed: fc.nat(0xffffffff),
});

/**
 * What an archive is: which metrics its ordinary records hold, whether numbers are too wide for a double, whether they are counters that
 * rise as a rule, and the records.
 */
interface Shape {
  readonly held: readonly boolean[];
  readonly wide: boolean;
  readonly counters?: boolean;
  readonly entries: readonly Entry[];
}

const shape: fc.Arbitrary<Shape> = fc.record({
  held: fc.tuple(...METRICS.map(() => fc.boolean())),
  wide: fc.boolean(),
  counters: fc.boolean(),
  entries: fc.array(entry, { minLength: 1, maxLength: 40 }),
});

function write(bench: ArchiveBench, base: string, { held, wide, counters = false, entries }: Shape): string {
  const builder = new ArchiveBuilder({ version: 3, start: stamp(0) });
  for (const { name, pmid, type, indom } of METRICS) {
    builder.metric({
      pmid,
      names: [name],
      type,
      semantics: counters ? 1 : 3,
      units: type === 6 ? 0 : MEGABYTES,
      ...(indom === undefined ? {} : { indom }),
    });
  }
  const instances = [0, 1, 2, 3, 4, 5].map((id) => [id, `${id}`] as const);
  for (const indom of [INDOM, OTHER_INDOM]) builder.indom(stamp(0), indom, instances);
  let seconds = 0;
  let total = 0;
  for (const { after, kind, odd, seed: any } of entries) {
    seconds += after;
    total += any % 7 === 0 ? 2 ** 31 : any % 1000;
    const seed = counters ? total % 2 ** 32 : any;
    if (kind === 'mark') {
      builder.mark(stamp(seconds));
      continue;
    }
    const sets = METRICS.flatMap(({ pmid, type, indom }, m): BuiltSet[] => {
      const instances = kind === 'odd' ? odd[m] : held[m] ? [0, 1, 3] : undefined;
      if (instances === undefined) return [];
      if (instances === 'error') return [{ pmid, values: -12357 }];
      const value = (i: number): number | bigint | string => {
        if (type === 6) return `text ${seed % 3}`;
        if (type === 3) return wide ? BigInt(seed) * 0x100000001n : BigInt(seed + i);
        return type === 5 ? (seed % 5 === 0 ? NaN : seed / 7 + i) : (seed >>> 1) + (i % 2);
      };
      const own: readonly number[] = indom === undefined ? [-1] : instances;
      return [{ pmid, values: own.map((i) => [i, value(i)] as const) }];
    });
    builder.record(stamp(seconds), sets);
  }
  return builder.write(bench.directory, base);
}

/** The same source, whose batches are single rows without blocks, and whose moments are read one by one. */
function rowByRow(source: RecordedSource): RangeSource {
  return {
    prepare: (pmids) => source.prepare(pmids),
    async *batches(...given) {
      for await (const batch of source.batches(...given)) {
        for (let row = 0; row < batch.length; row++) {
          const { sec, nsec } = timeOfRow(batch, row);
          const columns = batch.columns.map((column): BatchColumn => ({
            block: undefined,
            holds: () => column.holds(row),
            status: () => column.status(row),
            at: () => column.at(row),
          }));
          yield { length: 1, isMark: batch.isMark, secs: Float64Array.of(sec), nsecs: Int32Array.of(nsec), columns };
        }
      }
    },
    range: (...given) => {
      const read = source.range(...given);
      return (time, into) => read(time, into);
    },
    instances: (...given) => source.instances(...given),
  };
}

/** The same source, whose batches have at most so many rows. */
function inPieces(source: RecordedSource, most: number): RangeSource {
  return {
    ...rowByRow(source),
    async *batches(...given) {
      for await (const batch of source.batches(...given)) {
        for (let first = 0; first < batch.length; first += most) {
          const end = Math.min(first + most, batch.length);
          const columns = batch.columns.map((column) => pieceOf(column, first));
          const [secs, nsecs] = [batch.secs.subarray(first, end), batch.nsecs.subarray(first, end)];
          yield { length: end - first, isMark: batch.isMark, secs, nsecs, columns };
        }
      }
    },
  };
}

function pieceOf(column: BatchColumn, first: number): BatchColumn {
  const { block } = column;
  return {
    block: block && { ...block, numbers: block.numbers.subarray(first * block.stride) },
    holds: (row) => column.holds(first + row),
    status: (row) => column.status(first + row),
    at: (row) => column.at(first + row),
  };
}

function tableOf(columns: RangeColumns): unknown {
  return {
    times: Array.from({ length: columns.length }, (_, row) => columns.timeAt(row)),
    metrics: columns.metrics.map(({ descriptor }) => descriptor),
    series: columns.series.map(({ metric, instance, values }) => ({
      metric,
      instance,
      values: Array.from({ length: columns.length }, (_, row) => values.at(row)),
    })),
  };
}

interface Asked {
  readonly names: readonly string[];
  readonly parameters: RangeParameters;
  readonly profile: InstanceProfile;
  readonly values: number;
  readonly wrap?: boolean;
}

const some = new InstanceProfile();
some.delete(INDOM, [0, 5]);
some.delete(OTHER_INDOM, [0]);

const decimated = fc.record({
  points: fc.integer({ min: 1, max: 12 }),
  decimation: fc.constantFrom('min', 'max', 'average', 'last'),
});

const parameters = fc
  .record(
    {
      start: fc.constantFrom('@0', String(at(3).sec)),
      finish: fc.constantFrom(String(at(9).sec), String(at(20).sec)),
      samples: fc.integer({ min: 1, max: 20 }),
      interval: fc.constantFrom('1', '700msec'),
      rate: fc.constant(true),
      units: fc.constant('Kbyte'),
    },
    { requiredKeys: [] },
  )
  .chain((window) => fc.option(decimated, { nil: {} }).map((buckets): RangeParameters => ({ ...window, ...buckets })));

const asked: fc.Arbitrary<Asked> = fc.record({
  names: fc.subarray([...NAMES], { minLength: 1 }),
  parameters,
  profile: fc.constantFrom(EVERYTHING, some),
  values: fc.constantFrom(20_000_000, 20_000_000, 25),
  wrap: fc.boolean(),
});

describe('samples in batches', () => {
  let bench: ArchiveBench;
  let count = 0;
  beforeEach(() => (bench = new ArchiveBench()));

  async function range(
    source: RecordedSource,
    through: RangeSource,
    { names, parameters, profile, values, wrap }: Asked,
  ): Promise<() => RangeSamples> {
    const pmids = await source.lookupNames(names);
    const descriptors = (await source.describe(pmids)) as MetricDescriptor[];
    const metrics: RangeMetric[] = names.map((name, i) => ({ name, pmid: pmids[i]!, descriptor: descriptors[i]! }));
    const { start, end } = await source.info();
    const request = parseRange(parameters, { start: start!, end: end!, now: end!, zone: UTC_ZONE });
    const limits = { values, points: 1000, columnBytes: 1e6 };
    return () => readRange({ source: through, profile, metrics, request, wrap, limits });
  }

  async function answer(read: () => RangeSamples): Promise<unknown> {
    try {
      return tableOf(await collectColumns(read(), { marks: true }));
    } catch (error) {
      if (error instanceof GatewayError) return { code: error.code, message: error.message };
      if (error instanceof PmError) return error.pmErr;
      throw error;
    }
  }

  test('are what they are row by row', async () => {
    await fc.assert(
      fc.asyncProperty(shape, asked, async (archive, what) => {
        const source = await bench.open(write(bench, `archive${count++}`, archive));
        const slow = await answer(await range(source, rowByRow(source), what));
        expect(await answer(await range(source, source, what))).toEqual(slow);
        expect(await answer(await range(source, inPieces(source, 3), what))).toEqual(slow);
        await source.close();
      }),
      { numRuns: tries(100) },
    );
  });

  test('of rates are what they are row by row', async () => {
    const often = entry.map((one): Entry => ({ ...one, kind: one.seed % 8 === 0 ? one.kind : 'alike' }));
    const counters = fc.record({
      held: fc.constant(METRICS.map(() => true)),
      wide: fc.boolean(),
      counters: fc.constant(true),
      entries: fc.array(often, { minLength: 9, maxLength: 40 }),
    });
    const what = fc.record({ profile: fc.constantFrom(EVERYTHING, some), wrap: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(counters, what, async (archive, how) => {
        const source = await bench.open(write(bench, `archive${count++}`, archive));
        const rates = { names: NAMES, parameters: { rate: true }, values: 1e6, ...how };
        const slow = await answer(await range(source, rowByRow(source), rates));
        expect(await answer(await range(source, inPieces(source, 2), rates))).toEqual(slow);
        await source.close();
      }),
      { numRuns: tries(50) },
    );
  });

  test('are the same through a filter', async () => {
    const filter = metricFilter([metricRule(['a'])])!;
    await fc.assert(
      fc.asyncProperty(shape, asked, async (archive, what) => {
        const source = await bench.open(write(bench, `archive${count++}`, archive));
        const filtered = filterSource(source, filter) as RecordedSource;
        // Asked for by who knew the metrics before they were hidden.
        const fast = await range(source, filtered, what);
        const slow = await range(source, rowByRow(filtered), what);
        expect(await answer(fast)).toEqual(await answer(slow));
        await source.close();
      }),
      { numRuns: tries(50) },
    );
  });

  test('go as far as no mark lies between, with blocks of what is alike', async () => {
    const alike = (after: number): Entry => ({ after, kind: 'alike', odd: [], seed: after });
    const mark: Entry = { after: 1, kind: 'mark', odd: [], seed: 0 };
    const held = [true, false, true, true, false];
    const entries = [...Array<Entry>(10).fill(alike(1)), mark, ...Array<Entry>(5).fill(alike(2))];
    const source = await bench.open(write(bench, 'alike', { held, wide: false, entries }));
    const what = { names: NAMES, parameters: { samples: 13 }, profile: EVERYTHING, values: 1000 };
    for (const through of [source, filterSource(source, metricFilter([metricRule(['a'])])!) as RecordedSource]) {
      const seen: (number | string | boolean[])[] = [];
      for await (const batch of (await range(source, through, what))().batches()) {
        seen.push(
          batch.isMark ? 'mark' : batch.length,
          batch.columns.map(({ block }) => block !== undefined),
        );
      }
      const inBlocks = held.map((isHeld, m) => isHeld && (through === source || !NAMES[m]!.startsWith('b')));
      expect(seen).toEqual([10, inBlocks, 'mark', [], 3, inBlocks]);
    }
    await source.close();
  });

  test('are blocks of rates, but where a sample has no rate', async () => {
    const entries = [1, 2, 3, 4, 5, 6, 7, -50, 9].map((seed): Entry => ({ after: 1, kind: 'alike', odd: [], seed }));
    const shape = { held: [true, true], wide: false, counters: true, entries };
    const source = await bench.open(write(bench, 'rising', shape));
    const what = { names: ['a.narrow', 'a.wide'], parameters: { rate: true }, profile: EVERYTHING, values: 1000 };
    const seen: unknown[] = [];
    for await (const { columns, length } of (await range(source, inPieces(source, 3), what))().batches()) {
      const [narrow, wide] = columns.map(({ block }) => block && [...block.numbers]);
      // The units make a rate of 1 one of 1e-18.
      seen.push([narrow !== undefined, wide?.map((rate) => Math.round(rate * 1e18))]);
      for (let row = 0; row < length; row++) {
        const rates = columns.map((column) => column.at(row).column.numbers.slice(0, column.status(row)));
        if (wide) expect([...rates[1]!]).toEqual(wide.slice(3 * row, 3 * row + 3));
      }
    }
    expect(seen).toEqual([[false, undefined], [true, [4, 4, 4, 5, 5, 5, 6, 6, 6]], [false, undefined]]); // prettier-ignore
    await source.close();
  });
});
