import path from 'node:path';
import fc, { tries } from '../../../support/properties.js';
import { FetchResult, type MetricDescriptor, MetricType, PM_ERR, PmError } from '../../../../src/pmapi/index.js';
import { ArchiveWriter } from '../../../../src/sources/archive/writing/index.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { ArchiveBench, disposeOfBenches, at, secondsOf, valuesOf } from '../support.js';
import { type WrittenValue, descriptor, sample, valueSet } from './support.js';

afterEach(disposeOfBenches);

const INDOM = 0x0f000001;
const LABEL = { pid: 1, hostName: 'host', timezone: 'UTC', zoneinfo: '' };

const unsigned64 = fc.oneof(
  fc.bigInt(0n, 2n ** 64n - 1n),
  fc.constantFrom(0n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n),
);
const signed64 = fc.oneof(
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
  fc.constantFrom(-1n, -(2n ** 32n), -(2n ** 53n) - 1n, -(2n ** 63n)),
);
const plainText = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'));
const VALUES: readonly (readonly [MetricType, fc.Arbitrary<WrittenValue>])[] = [
  [MetricType.I32, fc.integer()],
  [MetricType.U32, fc.nat(0xffffffff)],
  [MetricType.I64, signed64],
  [MetricType.U64, unsigned64],
  [MetricType.FLOAT, fc.float()],
  [MetricType.DOUBLE, fc.double()],
  [MetricType.STRING, plainText],
  [MetricType.AGGREGATE, fc.uint8Array({ maxLength: 9 })],
  [MetricType.EVENT, fc.uint8Array({ maxLength: 9 })],
  [MetricType.HIGHRES_EVENT, fc.uint8Array({ maxLength: 9 })],
];
const METRICS = VALUES.map(([type], i) => descriptor(i + 1, type, { indom: INDOM }));

type Step =
  | {
      readonly do: 'append';
      readonly sets: readonly (readonly [MetricDescriptor, readonly (readonly [number, WrittenValue])[] | number])[];
    }
  | { readonly do: 'mark' | 'rotate' | 'resume' };

const setOf = (
  i: number,
): fc.Arbitrary<readonly [MetricDescriptor, readonly (readonly [number, WrittenValue])[] | number]> => {
  const values = fc.uniqueArray(fc.tuple(fc.integer({ min: -5, max: 5 }), VALUES[i]![1]), {
    selector: ([instance]) => instance,
    maxLength: 4,
  });
  return fc.tuple(fc.constant(METRICS[i]!), fc.oneof({ weight: 5, arbitrary: values }, fc.constant(PM_ERR.AGAIN)));
};
const append = fc
  .uniqueArray(fc.nat(METRICS.length - 1), { minLength: 1 })
  .chain((chosen) => fc.tuple(...chosen.map(setOf)).map((sets): Step => ({ do: 'append', sets })));
const steps = fc.array(
  fc.oneof({ weight: 6, arbitrary: append }, fc.constantFrom<Step>({ do: 'mark' }, { do: 'rotate' }, { do: 'resume' })),
  { minLength: 1, maxLength: 12 },
);

describe('an archive', () => {
  const directory = temporaryDirectory();
  let number = 0;

  it('gives back what was written, over marks, rotations and restarts', async () => {
    await fc.assert(
      fc.asyncProperty(append, steps, async (first, more) => {
        const base = path.join(directory.path, `p${++number}`);
        const expected = await write(base, [first, ...more]);
        expect(await read(base)).toEqual(expected);
      }),
      { numRuns: tries(40) },
    );
  });
});

async function write(base: string, all: readonly Step[]): Promise<unknown[]> {
  let writer = ArchiveWriter.create(base, LABEL);
  const records: unknown[] = [];
  let isResumed = false;
  for (const [i, step] of all.entries()) {
    if (step.do === 'rotate') await writer.rotate();
    if (step.do === 'resume') {
      await writer.close();
      writer = await ArchiveWriter.resume(base);
      isResumed = records.at(-1) !== undefined && !isMark(records.at(-1));
    }
    if (step.do === 'mark') {
      await writer.mark(at(i));
      records.push([i, 'mark']);
      isResumed = false;
    }
    if (step.do !== 'append') continue;
    for (const metric of METRICS) writer.describe(metric, [`m${metric.pmid}`]);
    const sets = step.sets.map(([metric, values]) => valueSet(metric, values));
    const { timestamp } = sample(i, sets);
    await writer.append({ timestamp, sets });
    if (isResumed) records.push([lastSecond(records) + 0.001, 'mark']);
    isResumed = false;
    records.push([i, ...sets.map((set) => [set.pmid, valuesOf(set)])]);
  }
  await writer.close();
  return records;
}

function isMark(record: unknown): boolean {
  return (record as unknown[])[1] === 'mark';
}

function lastSecond(records: readonly unknown[]): number {
  return (records.at(-1) as [number])[0];
}

async function read(base: string): Promise<unknown[]> {
  const bench = new ArchiveBench();
  const source = await bench.open(base);
  const into = new FetchResult();
  const records: unknown[] = [];
  try {
    for (;;) {
      const { timestamp, isMark: mark } = await source.nextRecord(into);
      const seconds = Math.round(secondsOf(timestamp) * 1e6) / 1e6;
      records.push(mark ? [seconds, 'mark'] : [seconds, ...into.sets.map((set) => [set.pmid, valuesOf(set)])]);
    }
  } catch (error) {
    if (!(error instanceof PmError) || error.pmErr !== PM_ERR.EOL) throw error;
    return records;
  } finally {
    await bench.dispose();
  }
}
