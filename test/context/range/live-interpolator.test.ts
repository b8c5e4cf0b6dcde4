import fc, { tries } from '../../support/properties.js';
import { FetchResult, INSTANCE_NULL, isWideType, MetricType, Semantics } from '../../../src/pmapi/index.js';
import type { AtomValue } from '../../../src/pmapi/index.js';
import { LiveMemory, LiveRangeSource, type RangeMetric } from '../../../src/context/range/index.js';
import type { ArchiveSource } from '../../../src/sources/archive/index.js';
import { ArchiveBuilder } from '../../support/archive-builder.js';
import { ArchiveBench, disposeOfBenches, at, EVERYTHING, stamp, valuesOf } from '../../sources/archive/support.js';
import { fakeMetric } from './support/fake-archive.js';

afterEach(disposeOfBenches);

const { COUNTER, INSTANT, DISCRETE } = Semantics;
const { I32, U32, I64, U64, FLOAT, DOUBLE, STRING } = MetricType;

const METRICS: readonly RangeMetric[] = [I32, U32, I64, U64, FLOAT, DOUBLE, STRING].flatMap((type, i) =>
  [COUNTER, INSTANT, DISCRETE]
    .filter((semantics) => type !== STRING || semantics !== COUNTER)
    .map((semantics) => fakeMetric(`m${type}_${semantics}`, 1 + 10 * i + semantics, { type, semantics })),
);

/** A value of each metric at a moment so many seconds after the first; a mark comes right before those that are `afterMark`. */
interface Sample {
  readonly seconds: number;
  readonly afterMark: boolean;
  readonly values: readonly AtomValue[];
}

const signed = (bits: number): fc.Arbitrary<bigint> =>
  fc.bigInt({ min: -(2n ** BigInt(bits)), max: 2n ** BigInt(bits) - 1n });
const VALUES: Readonly<Record<number, fc.Arbitrary<AtomValue>>> = {
  [I32]: fc.oneof(fc.integer(), fc.nat(1000)),
  [U32]: fc.oneof(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.nat(1000)),
  [I64]: fc.oneof(signed(63), signed(54), signed(10)),
  [U64]: fc.oneof(fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(0n, 2n ** 54n), fc.bigInt(0n, 1000n)),
  [FLOAT]: fc.float({ noNaN: true, noDefaultInfinity: true }),
  [DOUBLE]: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.nat(1000),
    fc.double({ min: 0, max: 10, noNaN: true }),
  ),
  [STRING]: fc.constantFrom('a', 'b', 'c'),
};

/** Seconds of which every digit counts, or few do. */
const SECONDS = fc.oneof(
  fc.nat(60),
  fc.nat(60_000).map((ms) => ms / 1000),
  fc.nat(6e10).map((ns) => ns / 1e9),
);

const SAMPLES: fc.Arbitrary<readonly Sample[]> = fc
  .uniqueArray(
    fc.record({
      seconds: SECONDS,
      afterMark: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
      values: fc.tuple(...METRICS.map(({ descriptor }) => VALUES[descriptor.type]!)),
    }),
    { minLength: 2, maxLength: 5, selector: ({ seconds }) => seconds },
  )
  .map((samples) => samples.sort((a, b) => a.seconds - b.seconds));

let archives = 0;

type Reader = (seconds: number) => Promise<readonly unknown[]>;

const PMIDS = METRICS.map(({ pmid }) => pmid);

function readerOf(range: (time: ReturnType<typeof at>, into: FetchResult) => void | Promise<void>): Reader {
  const into = new FetchResult();
  return async (seconds) => {
    await range(at(seconds), into);
    return into.sets.map(valuesOf);
  };
}

async function archiveOf(bench: ArchiveBench, samples: readonly Sample[]): Promise<ArchiveSource> {
  const builder = new ArchiveBuilder({ version: 3, start: stamp(samples[0]!.seconds) });
  for (const { name, descriptor } of METRICS) builder.metric({ ...descriptor, units: 0, names: [name] });
  for (const [i, { seconds, afterMark, values }] of samples.entries()) {
    if (afterMark && i > 0) builder.record(stamp(seconds), []);
    const sets = METRICS.map(({ pmid, descriptor: { type } }, k) => {
      const value = values[k] as string | number | bigint;
      return { pmid, values: [[-1, isWideType(type) ? BigInt(value) : value] as const] };
    });
    builder.record(stamp(seconds), sets);
  }
  return bench.open(builder.write(bench.directory, `a${archives++}`));
}

function liveReader(samples: readonly Sample[], wrap: boolean): Reader {
  const history = new LiveMemory({ monotonicMs: () => 0 }).history();
  let reconnects = 0;
  for (const { seconds, afterMark, values } of samples) {
    const result = new FetchResult();
    result.timestamp = at(seconds);
    result.resize(METRICS.length);
    METRICS.forEach(({ pmid, descriptor: { type } }, i) => {
      const set = result.sets[i]!;
      set.reset(pmid, type);
      set.add(INSTANCE_NULL, values[i]!);
    });
    if (afterMark) reconnects++;
    history.record(METRICS, result, EVERYTHING, reconnects);
  }
  const descriptors = METRICS.map(({ descriptor }) => descriptor);
  const source = new LiveRangeSource(history, descriptors, (indom) => Promise.resolve({ indom, instances: [] }));
  return readerOf(source.range(source.prepare(PMIDS), EVERYTHING, { wrap }));
}

describe('values between samples', () => {
  let bench: ArchiveBench;

  beforeEach(() => (bench = new ArchiveBench()));

  it('are the same, to the last digit, of a live source and of an archive', async () => {
    const moments = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(SAMPLES, moments, fc.boolean(), async (samples, shares, wrap) => {
        const [first, last] = [samples[0]!.seconds, samples.at(-1)!.seconds];
        const between = shares.map((share) => first + share * (last - first));
        const all = [...between, ...samples.map(({ seconds }) => seconds)].sort((a, b) => a - b);
        const archive = await archiveOf(bench, samples);
        const recorded = readerOf(archive.range(archive.prepare(PMIDS), EVERYTHING, { wrap }));
        const live = liveReader(samples, wrap);
        try {
          for (const seconds of all) expect([seconds, await live(seconds)]).toEqual([seconds, await recorded(seconds)]);
        } finally {
          await archive.close();
        }
      }),
      { numRuns: tries(150) },
    );
  });

  /** Instances with their numbers; an error, or nothing of the metric. A mark comes right before the sample if it is `afterMark`. */
  interface Seen {
    readonly afterMark: boolean;
    readonly values: readonly (number | undefined)[] | 'error' | 'nothing';
  }

  const seen = (instances: number): fc.Arbitrary<Seen> =>
    fc.record({
      afterMark: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
      values: fc.oneof(
        {
          weight: 8,
          arbitrary: fc.array(fc.option(fc.nat(1000), { nil: undefined }), {
            minLength: instances,
            maxLength: instances,
          }),
        },
        fc.constantFrom('error' as const, 'nothing' as const),
      ),
    });

  const INDOM = 0x0f000001;
  const ONES = [COUNTER, INSTANT, DISCRETE].map((semantics) =>
    fakeMetric(`of${semantics}`, 900 + semantics, { type: U32, semantics, indom: INDOM }),
  );

  it('are made from the neighbours of each instance, as those of archives are', async () => {
    const moments = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(seen(4), { minLength: 2, maxLength: 10 }), moments, async (samples, halves) => {
        const builder = new ArchiveBuilder({ version: 3, start: stamp(0) });
        for (const { name, descriptor } of ONES) builder.metric({ ...descriptor, units: 0, names: [name] });
        builder.indom(stamp(0), INDOM, [0, 1, 2, 3].map((id) => [id, `i${id}`] as const)); // prettier-ignore
        const history = new LiveMemory({ monotonicMs: () => 0 }).history();
        let reconnects = 0;
        for (const [second, { afterMark, values }] of samples.entries()) {
          const result = new FetchResult();
          result.timestamp = at(second);
          const present = values === 'nothing' ? [] : ONES;
          result.resize(present.length);
          if (afterMark && second > 0) {
            reconnects++;
            builder.record(stamp(second), []);
          }
          const held =
            typeof values === 'string'
              ? []
              : values.flatMap((value, id) => (value === undefined ? [] : [[id, value] as const]));
          present.forEach(({ pmid }, i) => {
            const set = result.sets[i]!;
            set.reset(pmid, U32);
            for (const [id, value] of held) set.addNumber(id, value);
            if (values === 'error') set.fail(-12357);
          });
          if (present.length > 0) {
            builder.record(stamp(second), present.map(({ pmid }) => ({ pmid, values: values === 'error' ? -12357 : held }))); // prettier-ignore
          }
          history.record(present, result, EVERYTHING, reconnects);
        }
        builder.record(stamp(samples.length), [{ pmid: 1, values: -12357 }]);
        const pmids = ONES.map(({ pmid }) => pmid);
        const archive = await bench.open(builder.write(bench.directory, `a${archives++}`));
        const recorded = readerOf(archive.range(archive.prepare(pmids), EVERYTHING));
        const source = new LiveRangeSource(history, ONES.map(({ descriptor }) => descriptor), () => Promise.reject(new Error())); // prettier-ignore
        const live = readerOf(source.range(source.prepare(pmids), EVERYTHING));
        try {
          for (const half of halves.sort((a, b) => a - b)) {
            const second = Math.min(half / 2, samples.length);
            expect([second, await live(second)]).toEqual([second, await recorded(second)]);
          }
        } finally {
          await archive.close();
        }
      }),
      { numRuns: tries(60) },
    );
  });
});
