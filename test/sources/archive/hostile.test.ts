import { recordsOf as eachRecord } from '../../../src/sources/index.js';
import { readFileSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import fc, { tries } from '../../support/properties.js';
import { FetchResult, GatewayError, PM_ERR, PmError } from '../../../src/pmapi/index.js';
import { ArchiveBuilder, type BuiltSet } from '../../support/archive-builder.js';
import type { BlockFile } from '../../../src/sources/archive/files/block-file.js';
import { readTemporalIndex } from '../../../src/sources/archive/metadata/temporal-index.js';
import { at, ArchiveBench, disposeOfBenches, EVERYTHING, fetchAll, recordsOf, stamp, valuesOf } from './support.js';

afterEach(disposeOfBenches);

const INDOM = 0x0f000001;
const TYPES = [0, 1, 2, 3, 4, 5, 6] as const;
const metricOf = (type: number): number => 0x0f000000 + type;

const valueOfType = (type: number): fc.Arbitrary<number | bigint | string> => {
  switch (type) {
    case 0:
      return fc.integer({ min: -0x80000000, max: 0x7fffffff });
    case 1:
      return fc.integer({ min: 0, max: 0xffffffff });
    case 2:
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    case 3:
      return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    case 4:
      return fc.float({ noNaN: true });
    case 5:
      return fc.double({ noNaN: true });
    default:
      return fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !text.includes('\0'));
  }
};

const setOfType = (type: number): fc.Arbitrary<BuiltSet> =>
  fc
    .oneof(
      { weight: 1, arbitrary: fc.constantFrom(-12350, -11) },
      {
        weight: 6,
        arbitrary: fc
          .uniqueArray(fc.integer({ min: 0, max: 20 }), { maxLength: 5 })
          .chain((ids) => fc.tuple(...ids.map((id) => fc.tuple(fc.constant(id), valueOfType(type))))),
      },
    )
    .map((values) => ({ pmid: metricOf(type), values }));

const records = fc.array(
  fc.subarray([...TYPES]).chain((types) => fc.tuple(...types.map(setOfType))),
  { maxLength: 12 },
);

function build(version: 2 | 3, sets: readonly (readonly BuiltSet[])[]): ArchiveBuilder {
  const builder = new ArchiveBuilder({ version, start: stamp(0) });
  for (const type of TYPES) {
    builder.metric({ pmid: metricOf(type), names: [`t.type${type}`], type, semantics: 3, indom: INDOM });
  }
  builder.indom(
    stamp(0),
    INDOM,
    Array.from({ length: 21 }, (_, i) => [i, `i${i}`] as const),
  );
  builder.labels(stamp(0), 1, 0xffffffff, [[-1, { hostname: 'h' }]]).text(5, metricOf(1), 'text');
  builder.record(stamp(0), [{ pmid: metricOf(1), values: [[0, 1]] }]);
  builder.indexEntry(stamp(1));
  sets.forEach((record, i) => builder.record(stamp(i + 1), record));
  return builder;
}

function expected(set: BuiltSet | undefined): unknown {
  if (!set) return {};
  return typeof set.values === 'number' ? set.values : Object.fromEntries(set.values.map(([id, value]) => [id, value]));
}

describe('a temporal index', () => {
  it('gives no more hints than are of use, whatever it holds', async () => {
    const bench = new ArchiveBench();
    // Each entry is of another volume than the one before, so that none is too near to it.
    const entries = Buffer.alloc(20 * 150_000);
    for (let i = 0; i < 150_000; i++) entries.writeUInt32BE(i % 2, 20 * i + 8);
    const index = path.join(bench.directory, 'a.index');
    writeFileSync(index, Buffer.concat([Buffer.alloc(132), entries]));
    const entriesOf = (file: BlockFile) => readTemporalIndex(file, 2, 1_000_000, 10_000_000);
    expect(await bench.store.look(index, entriesOf)).toHaveLength(100_000);
    await bench.dispose();
  });

  it.each(['', '.gz'])('is refused when it is too large, before it is read (a.index%s)', async (suffix) => {
    const bench = new ArchiveBench();
    const base = build(3, []).write(bench.directory, 'a');
    // Hardly anything on disk, whatever it says of itself.
    truncateSync(`${base}.index`, suffix === '' ? 2 ** 40 : 66 * 2 ** 20);
    if (suffix !== '') {
      writeFileSync(`${base}.index.gz`, gzipSync(readFileSync(`${base}.index`)));
      unlinkSync(`${base}.index`);
    }
    await expect(bench.open(base)).rejects.toMatchObject({
      pmErr: PM_ERR.TOOBIG,
      message: expect.stringMatching(/^a\.index.*67108864/) as string,
    });
    expect(bench.store.files.inflater.totalBytes).toBe(0);
    await bench.dispose();
  });
});

describe('archives of any contents', () => {
  it('are read back as they were written, whole and metric by metric, forward and backward', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(2 as const, 3 as const), records, async (version, sets) => {
        const bench = new ArchiveBench();
        try {
          const source = await bench.open(build(version, sets).write(bench.directory, 'a'));
          const into = new FetchResult();
          await source.nextRecord(into);
          for (const record of sets) {
            await source.nextRecord(into);
            expect(into.sets.map(({ pmid }) => pmid)).toEqual(record.map(({ pmid }) => pmid));
            expect(into.sets.map(valuesOf)).toEqual(record.map(expected));
          }
          const wanted = [metricOf(6), metricOf(3), metricOf(5)];
          const holding = sets
            .map((record, i) => [i + 1, record] as const)
            .filter(([, record]) => record.some(({ pmid }) => wanted.includes(pmid)))
            .map(([t, record]) => [t, ...wanted.map((pmid) => expected(record.find((set) => set.pmid === pmid)))]);
          source.setMode({ mode: 'forward', time: at(0) });
          const forward = await fetchAll(source, wanted);
          expect(forward.error).toMatchObject({ pmErr: PM_ERR.EOL });
          expect(forward.fetches).toEqual(holding);
          source.setMode({ mode: 'backward', time: at(1000) });
          expect((await fetchAll(source, wanted)).fetches).toEqual(holding.reverse());
        } finally {
          await bench.dispose();
        }
      }),
      { numRuns: tries(40) },
    );
  });

  it('do not crash, hang or blow up when their bytes are changed, cut or lengthened', async () => {
    const files = build(3, [
      [{ pmid: metricOf(6), values: [[1, 'abc']] }],
      [{ pmid: metricOf(3), values: [[1, 2n], [2, 3n]] }], // prettier-ignore
      [],
      [{ pmid: metricOf(5), values: [[1, 2.5]] }, { pmid: metricOf(0), values: [[1, -1]] }], // prettier-ignore
    ]).files();
    const mutation = fc.record({
      piece: fc.constantFrom('meta', '0', 'index'),
      flips: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 255 })), {
        maxLength: 4,
      }),
      cut: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 4 }),
      tail: fc.uint8Array({ maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(mutation, async ({ piece, flips, cut, tail }) => {
        const bench = new ArchiveBench();
        try {
          for (const [suffix, original] of files) {
            let bytes = Buffer.from(original);
            if (suffix === piece) {
              for (const [where, value] of flips) bytes[Math.floor(where * (bytes.length - 1))] = value;
              if (cut !== null) bytes = bytes.subarray(0, Math.floor(cut * bytes.length));
              bytes = Buffer.concat([bytes, tail]);
            }
            writeFileSync(path.join(bench.directory, `a.${suffix}`), bytes);
          }
          await exercise(bench);
        } catch (error) {
          if (!(error instanceof PmError || error instanceof GatewayError)) throw error;
        } finally {
          await bench.dispose();
        }
      }),
      { numRuns: tries(150) },
    );
  });

  it('cannot make a small record unfold into a huge one', async () => {
    const builder = build(3, []);
    const block = Buffer.alloc(60_000, 0x41);
    block.writeUInt32BE(((6 << 24) | block.length) >>> 0, 0);
    const count = 5000;
    const body = Buffer.alloc(20 + 12 + 8 * count);
    body.writeUInt32BE(at(1).sec, 4);
    body.writeInt32BE(1, 16);
    body.writeUInt32BE(metricOf(6), 20);
    body.writeInt32BE(count, 24);
    body.writeInt32BE(1, 28);
    for (let i = 0; i < count; i++) {
      body.writeInt32BE(i, 32 + 8 * i);
      body.writeUInt32BE(body.length / 4 + 2, 36 + 8 * i);
    }
    const record = Buffer.concat([body, block, Buffer.alloc(4)]);
    record.writeUInt32BE(record.length, 0);
    record.writeUInt32BE(record.length, record.length - 4);
    const bench = new ArchiveBench();
    const source = await bench.open(builder.raw(record).write(bench.directory, 'a'));
    expect((await fetchAll(source, [metricOf(6)])).fetches).toEqual([[1, -12373]]);
    source.setMode({ mode: 'forward', time: at(0.5) });
    await expect(source.nextRecord(new FetchResult())).rejects.toMatchObject({ pmErr: -12373 });
    await bench.dispose();
  });
});

async function exercise(bench: ArchiveBench): Promise<void> {
  const source = await bench.open(path.join(bench.directory, 'a'));
  const pmids = TYPES.map(metricOf);
  await source.info();
  await source.traverse('');
  for (const pmid of pmids) await source.helpText({ kind: 'metric', pmid }, 'oneline');
  const metadata = [source.instances(INDOM), source.instancesEver(INDOM), source.labels({ kind: 'context' }, at(9))];
  for (const outcome of await Promise.allSettled(metadata)) {
    if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(PmError);
  }
  expect((await recordsOf(source)).error).toBeInstanceOf(PmError);
  source.setMode({ mode: 'backward', time: at(100) });
  expect((await fetchAll(source, pmids)).error).toBeInstanceOf(PmError);
  source.setMode({ mode: 'interp', time: at(0), intervalSec: 0.7 });
  const { fetches, error } = await fetchAll(source, pmids, 20);
  if (error === undefined) expect(fetches).toHaveLength(20);
  else expect(error).toBeInstanceOf(PmError);
  for await (const record of eachRecord(source.batches(source.prepare(pmids), EVERYTHING, at(0), at(100))))
    expect(record.result.sets.length).toBeLessThanOrEqual(pmids.length);
}
