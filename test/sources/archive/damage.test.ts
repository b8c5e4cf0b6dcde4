import { recordsOf } from '../../../src/sources/index.js';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc, { tries } from '../../support/properties.js';
import { FetchResult, PM_ERR, PmError } from '../../../src/pmapi/index.js';
import type { ArchiveSource } from '../../../src/sources/archive/index.js';
import { ArchiveBuilder } from '../../support/archive-builder.js';
import { at, ArchiveBench, disposeOfBenches, EVERYTHING, secondsOf, stamp, valuesOf } from './support.js';
import { rows } from '../../support/rows.js';

afterEach(disposeOfBenches);

const PLAIN = 1;
const WIDE = 2;
const TEXT = 3;
const COUNTER = 4;
const INDOM = 9;
const PMIDS = [PLAIN, WIDE, TEXT, COUNTER];

/** How many of a record's bytes fill a segment's share, so that a few records make many segments. */
const MANY_SEGMENTS_TEXT = 300_000;

interface Built {
  readonly builder: ArchiveBuilder;
  /** Where each record begins in volume 0, and its length. */
  readonly records: readonly { readonly offset: number; readonly length: number }[];
}

/** Records at seconds 0 to `count - 1`: a number in place, wide numbers in blocks, a text and a counter with instances. */
function build(version: 2 | 3, count: number, textLength = 5): Built {
  const builder = new ArchiveBuilder({ version, start: stamp(0) })
    .metric({ pmid: PLAIN, names: ['t.plain'], type: 0, semantics: 3 })
    .metric({ pmid: WIDE, names: ['t.wide'], type: 3, semantics: 3, indom: INDOM })
    .metric({ pmid: TEXT, names: ['t.text'], type: 6, semantics: 4 })
    .metric({ pmid: COUNTER, names: ['t.counter'], type: 1, semantics: 1, indom: INDOM })
    .indom(stamp(0), INDOM, rows([0, 'zero'], [1, 'one']));
  const records = [];
  let offset = builder.labelBytes(0).length;
  for (let i = 0; i < count; i++) {
    const bytes = builder.recordBytes(stamp(i), [
      { pmid: PLAIN, values: [[-1, i]] },
      { pmid: WIDE, values: [[0, BigInt(i)], [1, BigInt(i + 1)]] }, // prettier-ignore
      { pmid: COUNTER, values: [[0, 10 * i], [1, 20 * i]] }, // prettier-ignore
      { pmid: TEXT, values: [[-1, `text ${i}`.padEnd(textLength, '.')]] },
    ]);
    builder.raw(bytes);
    records.push({ offset, length: bytes.length });
    offset += bytes.length;
  }
  return { builder, records };
}

function fieldsOf(version: 2 | 3, length: number): Record<string, number> {
  const sets = version === 2 ? 16 : 20;
  return {
    'leading length': 0,
    timestamp: 4,
    ...(version === 3 ? { 'high seconds': 8 } : {}),
    nanoseconds: sets - 8,
    count: sets - 4,
    PMID: sets,
    'number of values': sets + 4,
    'value format': sets + 8,
    instance: sets + 12,
    'value block offset': sets + 20 + 16,
    'trailing length': length - 4,
  };
}

/** What flipping a field leaves of the record that it is in: nothing, or other values. */
const UNDETECTED = new Set(['PMID', 'value format', 'instance']);

function flip(bytes: Buffer, offset: number): void {
  for (let i = 0; i < 4; i++) bytes[offset + i] = 0xff ^ bytes[offset + i]!;
}

function write(bench: ArchiveBench, { builder }: Built, change: (volume: Buffer) => void, name = 'a'): string {
  const base = builder.write(bench.directory, name);
  const volume = Buffer.from(builder.files().get('0')!);
  change(volume);
  writeFileSync(`${base}.0`, volume);
  return base;
}

async function rangeOf(
  source: ArchiveSource,
  pmids: readonly number[],
  from = at(0),
  to = at(100_000),
): Promise<{ readonly seconds: readonly number[]; readonly damage: readonly string[]; readonly marks: number }> {
  const damage = new Set<string>();
  const seconds: number[] = [];
  let marks = 0;
  const onDamage = (error: PmError): void => void damage.add(error.message);
  for await (const { isMark, timestamp } of recordsOf(
    source.batches(source.prepare(pmids), EVERYTHING, from, to, { onDamage }),
  )) {
    if (isMark) marks++;
    else seconds.push(secondsOf(timestamp));
  }
  return { seconds, damage: [...damage], marks };
}

/** Fetch to the end: the moments of what was fetched, and the messages of errors on the way. */
async function fetchedBy(
  source: ArchiveSource,
  mode: 'forward' | 'backward',
  start: number,
): Promise<{ readonly seconds: readonly number[]; readonly errors: readonly string[] }> {
  source.setMode({ mode, time: at(start) });
  const prepared = source.prepare(PMIDS);
  const into = new FetchResult();
  const seconds: number[] = [];
  const errors: string[] = [];
  for (let i = 0; i < 1000; i++) {
    try {
      await source.fetch(prepared, EVERYTHING, into);
      seconds.push(secondsOf(into.timestamp));
    } catch (error) {
      if (!(error instanceof PmError) || error.pmErr === PM_ERR.EOL) return { seconds, errors };
      expect(error.pmErr).toBe(PM_ERR.LOGREC);
      if (errors.at(-1) === error.message) return { seconds, errors };
      errors.push(error.message);
    }
  }
  throw new Error('it does not end');
}

const without = (count: number, ...gone: readonly number[]): number[] =>
  Array.from({ length: count }, (_, i) => i).filter((i) => !gone.includes(i));

const SIZES = rows(['one segment', 5], ['many segments', MANY_SEGMENTS_TEXT]);
const COUNT = 12;

describe.each([2, 3] as const)('four flipped bytes in an archive of version %i', (version) => {
  let bench: ArchiveBench;

  beforeEach(() => (bench = new ArchiveBench()));

  const fields = Object.keys(fieldsOf(version, 0)).filter((field) => !UNDETECTED.has(field));

  describe.each(SIZES)('of %s', (_, textLength) => {
    it.each(fields)('in the %s of a record in the middle leave all others to every reader', async (field) => {
      const built = build(version, COUNT, textLength);
      const { offset, length } = built.records[5]!;
      const base = write(bench, built, (volume) => {
        flip(volume, offset + fieldsOf(version, length)[field]!);
      });
      const place = new RegExp(`^a\\.0 at offset ${offset}: `);
      const source = await bench.open(base);
      const raw = await rangeOf(source, PMIDS);
      expect(raw).toMatchObject({ seconds: without(COUNT, 5), marks: 1 });
      expect(raw.damage).toEqual([expect.stringMatching(place)]);
      const forward = await fetchedBy(source, 'forward', 0);
      expect(forward).toEqual({ seconds: without(COUNT, 5), errors: [expect.stringMatching(place)] });
      const backward = await fetchedBy(source, 'backward', 100);
      expect(backward).toEqual({ seconds: without(COUNT, 5).reverse(), errors: [expect.stringMatching(place)] });
      expect(secondsOf(await source.end())).toBe(COUNT - 1);
    });

    it.each(fields)('in the %s of the first record leave all others', async (field) => {
      const built = build(version, COUNT, textLength);
      const { offset, length } = built.records[0]!;
      const base = write(bench, built, (volume) => {
        flip(volume, offset + fieldsOf(version, length)[field]!);
      });
      const source = await bench.open(base);
      expect(await rangeOf(source, PMIDS)).toMatchObject({ seconds: without(COUNT, 0), damage: [expect.anything()] });
      expect(await fetchedBy(source, 'forward', 0)).toMatchObject({
        seconds: without(COUNT, 0),
        errors: [expect.anything()],
      });
      expect((await fetchedBy(source, 'backward', 100)).seconds).toEqual(without(COUNT, 0).reverse());
    });

    it.each(fields)('in the %s of the last record leave all others', async (field) => {
      const built = build(version, COUNT, textLength);
      const { offset, length } = built.records[COUNT - 1]!;
      const base = write(bench, built, (volume) => {
        flip(volume, offset + fieldsOf(version, length)[field]!);
      });
      const source = await bench.open(base);
      const raw = await rangeOf(source, PMIDS);
      expect(raw.seconds).toEqual(without(COUNT, COUNT - 1));
      expect(raw.damage).toHaveLength(1);
      expect(await fetchedBy(source, 'forward', 0)).toMatchObject({
        seconds: without(COUNT, COUNT - 1),
        errors: [expect.anything()],
      });
      expect((await fetchedBy(source, 'backward', 100)).seconds).toEqual(without(COUNT, COUNT - 1).reverse());
    });

    it('in two records leave all others, also where both are one after the other', async () => {
      for (const [i, second] of [8, 4].entries()) {
        const built = build(version, COUNT, textLength);
        const base = write(
          bench,
          built,
          (volume) => {
            flip(volume, built.records[3]!.offset);
            flip(volume, built.records[second]!.offset + built.records[second]!.length - 4);
          },
          `two${i}`,
        );
        const source = await bench.open(base);
        expect((await rangeOf(source, PMIDS)).seconds).toEqual(without(COUNT, 3, second));
        expect((await fetchedBy(source, 'forward', 0)).seconds).toEqual(without(COUNT, 3, second));
        expect((await fetchedBy(source, 'backward', 100)).seconds).toEqual(without(COUNT, 3, second).reverse());
      }
    });

    it('are not interpolated across, and beside them are the values of the same side, with a warning', async () => {
      const built = build(version, COUNT, textLength);
      const base = write(bench, built, (volume) => {
        flip(volume, built.records[5]!.offset);
      });
      const source = await bench.open(base);
      source.setMode({ mode: 'interp', time: at(3), intervalSec: 0.5 });
      const prepared = source.prepare([PLAIN, COUNTER]);
      const into = new FetchResult();
      const got: unknown[] = [];
      for (let i = 0; i < 10; i++) {
        await source.fetch(prepared, EVERYTHING, into);
        got.push([secondsOf(into.timestamp), ...into.sets.map(valuesOf), into.warning !== undefined]);
      }
      expect(got).toEqual([
        [3, { [-1]: 3 }, { 0: 30, 1: 60 }, false],
        [3.5, { [-1]: 3 }, { 0: 35, 1: 70 }, false],
        [4, { [-1]: 4 }, { 0: 40, 1: 80 }, true],
        [4.5, {}, {}, true],
        [5, {}, {}, true],
        [5.5, {}, {}, true],
        [6, { [-1]: 6 }, { 0: 60, 1: 120 }, false],
        [6.5, { [-1]: 6 }, { 0: 65, 1: 130 }, false],
        [7, { [-1]: 7 }, { 0: 70, 1: 140 }, false],
        [7.5, { [-1]: 7 }, { 0: 75, 1: 150 }, false],
      ]);
    });
  });

  it.each([...UNDETECTED])('in the %s of a set leave the other sets of its record, too', async (field) => {
    const built = build(version, COUNT);
    const { offset, length } = built.records[5]!;
    const base = write(bench, built, (volume) => {
      flip(volume, offset + fieldsOf(version, length)[field]!);
    });
    const source = await bench.open(base);
    expect(await rangeOf(source, [WIDE, TEXT])).toEqual({ seconds: without(COUNT), damage: [], marks: 0 });
    const into = new FetchResult();
    source.setMode({ mode: 'forward', time: at(5) });
    await source.fetch(source.prepare([PLAIN, WIDE, TEXT]), EVERYTHING, into);
    expect(into.sets.map(valuesOf)).toEqual([
      { PMID: {}, 'value format': PM_ERR.LOGREC, instance: { 0: 5 } }[field],
      { 0: 5n, 1: 6n },
      { [-1]: 'text 5' },
    ]);
  });

  it('hide no metric of other records', async () => {
    const builder = new ArchiveBuilder({ version, start: stamp(0) })
      .metric({ pmid: PLAIN, names: ['t.plain'], type: 0, semantics: 3 })
      .metric({ pmid: COUNTER, names: ['t.counter'], type: 0, semantics: 1 });
    for (let i = 0; i < 10; i++) builder.record(stamp(i), [{ pmid: i % 2 === 0 ? PLAIN : COUNTER, values: [[-1, i]] }]);
    const length = builder.recordBytes(stamp(0), [{ pmid: PLAIN, values: [[-1, 0]] }]).length;
    const base = write(bench, { builder, records: [] }, (volume) => {
      flip(volume, builder.labelBytes(0).length + 4 * length);
    });
    const source = await bench.open(base);
    expect((await rangeOf(source, [PLAIN, COUNTER])).seconds).toEqual(without(10, 4));
    expect(await rangeOf(source, [COUNTER])).toMatchObject({ seconds: [1, 3, 5, 7, 9], damage: [expect.anything()] });
    expect(await rangeOf(source, [PLAIN])).toMatchObject({ seconds: [0, 2, 6, 8], damage: [expect.anything()] });
  });

  it('are told to a range that begins or ends beside them, and to no other', async () => {
    const built = build(version, COUNT);
    const source = await bench.open(
      write(bench, built, (volume) => {
        flip(volume, built.records[5]!.offset);
      }),
    );
    const told = async (from: number, to: number): Promise<readonly [number, number, number]> => {
      const { seconds, damage, marks } = await rangeOf(source, PMIDS, at(from), at(to));
      return [seconds.length, damage.length, marks];
    };
    expect(await told(4.5, 8)).toEqual([3, 1, 0]);
    expect(await told(4, 4.5)).toEqual([1, 1, 1]);
    expect(await told(6, 8)).toEqual([3, 0, 0]);
    expect(await told(0, 3.5)).toEqual([4, 0, 0]);
  });

  it('are found again when the table of the segment was dropped', async () => {
    const built = build(version, COUNT);
    const source = await bench.open(
      write(bench, built, (volume) => {
        flip(volume, built.records[5]!.offset);
      }),
    );
    const before = await rangeOf(source, PMIDS);
    bench.store.memory.clear();
    expect(await rangeOf(source, PMIDS)).toEqual(before);
  });
});

describe('damage', () => {
  let bench: ArchiveBench;

  beforeEach(() => (bench = new ArchiveBench()));

  it('by bytes that are missing or too many leaves what lies behind', async () => {
    const built = build(3, COUNT);
    for (const [name, cut, extra] of rows(['fewer', 7, 0], ['more', 0, 5])) {
      const base = write(bench, built, () => undefined, name);
      const volume = built.builder.files().get('0')!;
      const middle = built.records[5]!.offset + 40;
      writeFileSync(
        `${base}.0`,
        Buffer.concat([volume.subarray(0, middle), Buffer.alloc(extra, 0xee), volume.subarray(middle + cut)]),
      );
      expect(await rangeOf(await bench.open(base), PMIDS)).toMatchObject({
        seconds: without(COUNT, 5),
        damage: [expect.anything()],
      });
    }
  });

  it('behind the last record of a volume is told once, and reading goes on in the next volume', async () => {
    const builder = build(3, 4).builder;
    builder.raw(Buffer.alloc(400, 0xee)).newVolume();
    builder.record(stamp(6), [{ pmid: PLAIN, values: [[-1, 6]] }]);
    const source = await bench.open(builder.write(bench.directory, 'a'));
    expect(await rangeOf(source, [PLAIN])).toMatchObject({ seconds: [0, 1, 2, 3, 6], damage: [expect.anything()] });
    expect(await fetchedBy(source, 'forward', 0)).toEqual({ seconds: [0, 1, 2, 3, 6], errors: [expect.anything()] });
    expect(await fetchedBy(source, 'backward', 9)).toEqual({ seconds: [6, 3, 2, 1, 0], errors: [expect.anything()] });
    const into = new FetchResult();
    source.setMode({ mode: 'interp', time: at(4) });
    await source.fetch(source.prepare([PLAIN]), EVERYTHING, into);
    expect([into.sets.map(valuesOf), into.warning?.pmErr]).toEqual([[{}], PM_ERR.LOGREC]);
  });

  it('is not what a record is that is still being written', async () => {
    const built = build(3, COUNT);
    const base = write(bench, built, () => undefined);
    const whole = built.builder.files().get('0')!;
    writeFileSync(`${base}.0`, whole.subarray(0, whole.length - 9));
    const source = await bench.open(base);
    const range = { seconds: without(COUNT, COUNT - 1), damage: [], marks: 0 };
    expect(await rangeOf(source, PMIDS)).toEqual(range);
    const forward = await fetchedBy(source, 'forward', 0);
    expect(forward).toEqual({ seconds: range.seconds, errors: [expect.stringContaining('are left')] });
    writeFileSync(`${base}.0`, whole);
    await source.fetch(source.prepare(PMIDS), EVERYTHING, new FetchResult());
    expect(secondsOf(source.position.time)).toBe(COUNT - 1);
  });

  it('of a time stamp is not what a pause is, or a clock that was set', async () => {
    const seconds = [0, 1, 2, 100_000, 100_001, 50_000, 50_001];
    const builder = new ArchiveBuilder({ version: 3, start: stamp(0) });
    builder.metric({ pmid: PLAIN, names: ['t.plain'], type: 0, semantics: 3 });
    for (const second of seconds) builder.record(stamp(second), [{ pmid: PLAIN, values: [[-1, second]] }]);
    const source = await bench.open(builder.write(bench.directory, 'a'));
    expect(await rangeOf(source, [PLAIN], at(0), at(1e6))).toEqual({ seconds, damage: [], marks: 0 });
  });

  it('is searched for records in linear time, whatever the bytes pretend to be', async () => {
    const MIB = 1024 * 1024;
    const own = new ArchiveBench({ recordBytes: 2 * MIB, blockCacheBytes: 0 });
    // Every 24 bytes what looks like a record of one and a half mebibytes, down to its trailing length.
    const builder = build(3, 1).builder;
    const pretence = Buffer.alloc(24 * 131_072);
    const length = 24 * 65_536;
    for (let i = 0; i < pretence.length; i += 24) {
      pretence.writeUInt32BE(length, i);
      pretence.writeUInt32BE(at(1).sec, i + 4);
      pretence.writeInt32BE(1, i + 16);
      pretence.writeUInt32BE(length, i + 20);
    }
    pretence.writeUInt32BE(0, 0);
    builder.raw(pretence).record(stamp(2), [{ pmid: PLAIN, values: [[-1, 2]] }]);
    const source = await own.open(builder.write(own.directory, 'a'));
    const { file } = await source.opened.members[0]!.openVolume(0);
    expect((await rangeOf(source, [PLAIN])).seconds).toEqual([0, 2]);
    expect(file.readCount).toBeLessThan(1000);
    expect(file.bytesRead).toBeLessThan(20 * file.size);
    await own.dispose();
  });

  it('is searched no further once its client has left', async () => {
    const MIB = 1024 * 1024;
    const builder = build(3, 1).builder;
    builder.raw(Buffer.alloc(40 * MIB, 0xee)).record(stamp(2), [{ pmid: PLAIN, values: [[-1, 2]] }]);
    const source = await bench.open(builder.write(bench.directory, 'a'));
    const { file } = await source.opened.members[0]!.openVolume(0);
    const gone = new AbortController();
    const reading = recordsOf(
      source.batches(source.prepare([PLAIN]), EVERYTHING, at(0), at(9), { signal: gone.signal }),
    ).next();
    while (file.bytesRead < 4 * MIB) await setImmediate();
    gone.abort(new Error('gone'));
    await expect(reading).rejects.toThrow('gone');
    // In that time it would be read to its end.
    for (let i = 0; i < 1000; i++) await file.readExact(0, 4);
    expect(file.bytesRead).toBeLessThan(20 * MIB);
    // Another client is served all the same.
    expect((await rangeOf(source, [PLAIN])).seconds).toEqual([0, 2]);
  });

  it('anywhere leaves every record that it does not touch', async () => {
    const built = build(3, 30);
    const volume = built.builder.files().get('0')!;
    const begin = built.records[0]!.offset;
    const flips = fc.uniqueArray(fc.integer({ min: begin, max: volume.length - 1 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(flips, fc.integer({ min: 1, max: 255 }), async (offsets, mask) => {
        // Two records side by side whose stamps were changed alike confirm each other, as after a step of the clock.
        const touched = new Set(offsets.map((at) => built.records.findLastIndex(({ offset }) => offset <= at)));
        fc.pre(![...touched].some((i) => touched.has(i + 1)));
        const own = new ArchiveBench();
        try {
          const base = write(own, built, (bytes) => {
            for (const offset of offsets) bytes[offset] = bytes[offset]! ^ mask;
          });
          const isTouched = ({ offset, length }: { readonly offset: number; readonly length: number }): boolean =>
            offsets.some((at) => at >= offset && at < offset + length);
          const source = await own.open(path.resolve(base));
          const { file } = await source.opened.members[0]!.openVolume(0);
          // Time stamps may be changed to anything: all of time is asked for.
          const all = rows({ sec: -1e12, nsec: 0 }, { sec: 1e12, nsec: 0 });
          const { seconds } = await rangeOf(source, [PLAIN, WIDE, TEXT, COUNTER], ...all);
          for (const i of built.records.keys()) {
            const isNear = [i - 1, i, i + 1].some((k) => built.records[k] && isTouched(built.records[k]));
            if (!isNear) expect(seconds).toContain(i);
          }
          expect(file.readCount).toBeLessThan(200);
        } finally {
          await own.dispose();
        }
      }),
      { numRuns: tries(200) },
    );
  });
});
