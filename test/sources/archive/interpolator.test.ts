import { appendFileSync } from 'node:fs';
import fc from '../../support/properties.js';
import { compareTimestamps, FetchResult, PM_ERR } from '../../../src/pmapi/index.js';
import { timeOfRow } from '../../../src/sources/index.js';
import { Interpolator } from '../../../src/sources/archive/interpolator.js';
import { ArchiveBuilder, type BuiltValue } from '../../support/archive-builder.js';
import { at, ArchiveBench, disposeOfBenches, EVERYTHING, fetchAll, stamp, valuesOf } from './support.js';
import { rows } from '../../support/rows.js';

afterEach(disposeOfBenches);

const PMID = 0x0f000001;
const OTHER = 0x0f000002;
const INDOM = 0x0f000001;
const [COUNTER, INSTANT, DISCRETE] = [1, 3, 4];
const [I32, U32, I64, U64, FLOAT, DOUBLE, STRING] = [0, 1, 2, 3, 4, 5, 6];

describe('interpolated values of one metric', () => {
  let bench: ArchiveBench;

  beforeEach(() => (bench = new ArchiveBench()));

  /** A singular metric with values at some moments (`null` is a mark), in an archive from 0 to 10. */
  async function values(
    type: number,
    semantics: number,
    points: readonly (readonly [number, BuiltValue | null])[],
    moments: readonly number[],
    wrap = false,
  ): Promise<unknown[]> {
    const builder = new ArchiveBuilder({ version: 3, start: stamp(0) })
      .metric({ pmid: PMID, names: ['m'], type, semantics })
      .metric({ pmid: OTHER, names: ['o'], type: U32, semantics: INSTANT })
      .record(stamp(0), [{ pmid: OTHER, values: [[-1, 0]] }]);
    for (const [seconds, value] of points) {
      builder.record(stamp(seconds), value === null ? [] : [{ pmid: PMID, values: [[-1, value]] }]);
    }
    builder.record(stamp(10), [{ pmid: OTHER, values: [[-1, 0]] }]);
    const source = await bench.open(builder.write(bench.directory, `a${bench.store.openCount}`));
    const prepared = source.prepare([PMID]);
    const found: unknown[] = [];
    for (const moment of moments) {
      const into = new FetchResult();
      await source.range(prepared, EVERYTHING, { wrap })(at(moment), into);
      const [set] = into.sets.map(valuesOf);
      found.push(typeof set === 'number' ? set : set![-1]);
    }
    return found;
  }

  it('lays counters on the line between their neighbours, rounded half up', async () => {
    const points = rows([2, 100], [4, 103]);
    const moments = [1.9, 2, 2.3, 3, 3.7, 4, 4.1];
    expect(await values(U32, COUNTER, points, moments)).toEqual([undefined, 100, 100, 102, 103, 103, undefined]);
    expect(await values(DOUBLE, COUNTER, points, [3])).toEqual([101.5]);
    expect(await values(FLOAT, COUNTER, points, [2.7])).toEqual([Math.fround(101.05)]);
  });

  it.each([
    ['U32', U32, 2 ** 32 - 10, 22, [2 ** 32 - 2, 6]],
    ['32', I32, 2 ** 31 - 10, -(2 ** 31) + 22, [2 ** 31 - 2, -(2 ** 31) + 6]],
    ['U64', U64, 2n ** 64n - 8192n, 16384n, [2n ** 64n - 2048n, 4096n]],
    ['64', I64, 2n ** 63n - 4096n, -(2n ** 63n) + 8192n, [2n ** 63n - 1024n, -(2n ** 63n) + 2048n]],
    ['DOUBLE', DOUBLE, 40, 0, [30, 20]],
  ])('lets a %s counter wrap between its neighbours when told so', async (_, type, before, after, between) => {
    const points = rows([2, before], [6, after]);
    expect(await values(type, COUNTER, points, [3, 4], true)).toEqual(between);
    const [, middle] = await values(type, COUNTER, points, [3, 4]);
    expect(Number(middle)).toBeCloseTo(Number(before) / 2 + Number(after) / 2, -4);
  });

  it('keeps 64-bit counters beyond 2^53 exact', async () => {
    const [greatest, odd] = [2n ** 64n - 1n, 2n ** 53n + 1n];
    const between = async (type: number, before: bigint, after: bigint): Promise<unknown[]> =>
      values(type, COUNTER, [[2, before], [6, after]], [3, 4]); // prettier-ignore
    expect(await between(U64, greatest, greatest)).toEqual([greatest, greatest]);
    expect(await between(U64, greatest - 8n, greatest)).toEqual([greatest - 6n, greatest - 4n]);
    expect(await between(I64, 2n ** 63n - 1n, 2n ** 63n - 1n)).toEqual([2n ** 63n - 1n, 2n ** 63n - 1n]);
    expect(await between(U64, odd, odd)).toEqual([odd, odd]);
  });

  it('takes no number that is no counter for one that wraps', async () => {
    const points = rows([2, 10], [6, 4]);
    expect(await values(U32, INSTANT, points, [3, 5], true)).toEqual([10, 4]);
  });

  it('takes every value of a singular metric, under whatever instance an old archive holds it', async () => {
    const builder = new ArchiveBuilder({ version: 2, start: stamp(0) });
    builder.metric({ pmid: PMID, names: ['m'], type: U32, semantics: COUNTER });
    [0, 7, -1, 3, 0].forEach((instance, i) =>
      builder.record(stamp(2 * i), [{ pmid: PMID, values: [[instance, 10 * i * i]] }]),
    );
    const source = await bench.open(builder.write(bench.directory, 'odd'));
    const into = new FetchResult();
    const found: unknown[] = [];
    for (const moment of [1, 2, 3, 5, 6, 7]) {
      await source.range(source.prepare([PMID]), EVERYTHING)(at(moment), into);
      found.push(valuesOf(into.sets[0]!));
    }
    expect(found).toEqual([5, 10, 25, 65, 90, 125].map((value) => ({ [-1]: value })));
  });

  it('does not divide by the nothing that doubles leave between two moments', async () => {
    // A machine without a clock of its own: recording began in 1970.
    const builder = new ArchiveBuilder({ version: 3, start: [0, 0] });
    builder.metric({ pmid: PMID, names: ['m'], type: U64, semantics: COUNTER });
    const [sec] = stamp(0);
    for (const nsec of [0, 90]) builder.record([sec, nsec], [{ pmid: PMID, values: [[-1, 7 + nsec]] }]);
    const source = await bench.open(builder.write(bench.directory, 'near'));
    const into = new FetchResult();
    await source.range(source.prepare([PMID]), EVERYTHING)({ sec, nsec: 50 }, into);
    expect(into.sets.map(valuesOf)).toEqual([{ [-1]: 7n }]);
  });

  it('lets counters slope down: a wrap is none without PCP_COUNTER_WRAP', async () => {
    expect(await values(U32, COUNTER, rows([5, 4294967232], [9, 2147483582]), [6])).toEqual([3758096320]);
  });

  it('takes the nearer neighbour of instantaneous and discrete numbers, the earlier at a tie', async () => {
    const points = rows([2, 451], [4, 449]);
    expect(await values(I32, INSTANT, points, [1, 2, 3, 3.001, 4, 5])).toEqual([
      undefined,
      451,
      451,
      449,
      449,
      undefined,
    ]);
    expect(await values(I32, DISCRETE, points, [1, 2, 3, 3.001, 4, 5])).toEqual([undefined, 451, 451, 449, 449, 449]);
  });

  it('takes the earlier neighbour of strings', async () => {
    const points = rows([2, 'green'], [4, 'red']);
    expect(await values(STRING, DISCRETE, points, [1, 3.9, 4, 9])).toEqual([undefined, 'green', 'red', 'red']);
    expect(await values(STRING, INSTANT, points, [3.9, 9])).toEqual(['green', undefined]);
  });

  it('makes nothing up across a mark', async () => {
    const points = rows([2, 10], [3, null], [4, 30], [5, 40]);
    expect(await values(U32, COUNTER, points, [2, 2.5, 3.5, 4, 4.5])).toEqual([10, undefined, undefined, 30, 35]);
    expect(await values(U32, INSTANT, points, [2, 2.5, 3.5, 4, 4.9])).toEqual([10, undefined, undefined, 30, 40]);
    expect(await values(U32, DISCRETE, points, [2, 2.5, 3.5, 4, 4.9])).toEqual([10, 10, undefined, 30, 40]);
  });

  it('fails a counter that is no number, and a metric that is none', async () => {
    expect(await values(STRING, COUNTER, [[2, 'x']], [2])).toEqual([PM_ERR.TYPE]);
    const builder = new ArchiveBuilder({ version: 2, start: stamp(0) })
      .metric({ pmid: PMID, names: ['m'], type: U32, semantics: INSTANT, indom: INDOM })
      .record(stamp(0), [{ pmid: PMID, values: [[1, 1]] }]);
    const source = await bench.open(builder.write(bench.directory, 'x'));
    source.setMode({ mode: 'interp', time: at(0), intervalSec: 1 });
    expect((await fetchAll(source, [PMID, 12], 1)).fetches).toEqual([[0, {}, PM_ERR.PMID_LOG]]);
  });

  it('takes the first of several records of the moment itself, and goes on from the last', async () => {
    const points = rows([2, 3], [2, 30], [4, 40]);
    expect(await values(U32, COUNTER, points, [2, 3])).toEqual([3, 35]);
  });

  it.each([
    ['all records have', 16, () => true],
    ['some records lack', 16, (record: number, id: number) => (record + id) % 5 > 0],
    ['a singular metric has', 0, () => true],
  ])('are there without waiting, once their columns are: of instances that %s', async (_, instances, has) => {
    const RECORDS = 50;
    const ids = instances === 0 ? [-1] : Array.from({ length: instances }, (__, id) => id);
    const indom = instances === 0 ? {} : { indom: INDOM };
    const builder = new ArchiveBuilder({ version: 2, start: stamp(0) });
    if (instances > 0) builder.indom(stamp(0), INDOM, ids.map((id) => [id, `i${id}`] as const)); // prettier-ignore
    builder.metric({ pmid: PMID, names: ['m'], type: DOUBLE, semantics: COUNTER, ...indom });
    for (let record = 0; record < RECORDS; record++) {
      const values = ids.filter((id) => has(record, id)).map((id) => [id, 100 * record + id] as const);
      builder.record(stamp(record), [{ pmid: PMID, values }]);
    }
    const source = await bench.open(builder.write(bench.directory, 'x'));
    const read = source.range(source.prepare([PMID]), EVERYTHING);
    const into = new FetchResult();
    await read(at(5.5), into);
    for (let moment = 6.25; moment < RECORDS - 6; moment += 0.75) {
      // Not a promise.
      expect(read(at(moment), into)).toBeUndefined();
      const wanted = Object.fromEntries(ids.map((id) => [id, 100 * moment + Math.max(id, 0) - (id < 0 ? 1 : 0)]));
      expect(into.sets.map(valuesOf)).toEqual([wanted]);
    }
  });

  it('follows the rule of older libraries when asked to', async () => {
    const builder = new ArchiveBuilder({ version: 2, start: stamp(0) })
      .metric({ pmid: PMID, names: ['m'], type: U32, semantics: INSTANT })
      .record(stamp(0), [{ pmid: PMID, values: [[-1, 1]] }])
      .record(stamp(2), [{ pmid: PMID, values: [[-1, 2]] }]);
    const { opened: archive } = await bench.open(builder.write(bench.directory, 'x'));
    const into = new FetchResult();
    await new Interpolator(archive, { stepRule: 'earlier' }).fetch([PMID], EVERYTHING, at(1.9), at(2), into);
    expect(into.sets.map(valuesOf)).toEqual([{ [-1]: 1 }]);
  });
});

describe('moments that are read in blocks', () => {
  const TYPES = [U32, I64, U64, FLOAT, DOUBLE];
  const SINGULAR = TYPES.length;
  const pmids = [...TYPES, SINGULAR].map((_, i) => PMID + i);
  const INSTANCES = 16;
  const names = (ids: readonly number[]): (readonly [number, string])[] => ids.map((id) => [id, `i${id}`] as const);
  const all = [...Array(INSTANCES).keys()];

  interface Recorded {
    readonly semantics: number;
    /** Tenths of a second from each record to the next. */
    readonly steps: readonly number[];
    readonly seed: number;
    readonly mark?: number | undefined;
    /** When an instance goes, and another comes, which the records have all the time. */
    readonly change?: number | undefined;
    readonly moments: readonly number[];
  }

  async function readBoth(
    bench: ArchiveBench,
    recorded: Recorded,
  ): Promise<{ slow: unknown; quick: unknown; blocks: number }> {
    const { semantics, steps, seed, mark, change, moments } = recorded;
    const builder = new ArchiveBuilder({ version: 3, start: stamp(0) });
    // The last one has no value in any record.
    const present = (from: number, end: number): readonly number[] => [...all.slice(from, end), INSTANCES];
    builder.indom(stamp(0), INDOM, names(present(change === undefined ? 0 : 1, INSTANCES)));
    if (change !== undefined) builder.indom(stamp(change / 10), INDOM, names(present(0, -1)));
    TYPES.forEach((type, i) => builder.metric({ pmid: pmids[i]!, names: [`m${i}`], type, semantics, indom: INDOM }));
    builder.metric({ pmid: pmids[SINGULAR]!, names: ['s'], type: DOUBLE, semantics });
    let tenths = 0;
    for (const [record, step] of steps.entries()) {
      tenths += step;
      if (record === mark) builder.mark(stamp(tenths / 10));
      const value = (i: number): number => ((seed * (record + 3) + 7919 * i) % 10_007) + record * i;
      const sets = TYPES.map((type, m) => ({
        pmid: pmids[m]!,
        values: all.map(
          (i) => [i, type === U64 || type === I64 ? BigInt(value(i)) : value(i) / (type === U32 ? 1 : 8)] as const,
        ),
      }));
      const singular = { pmid: pmids[SINGULAR]!, values: [[-1, value(1) / 3] as const] };
      // Not every record has every metric.
      builder.record(stamp(tenths / 10), record % 3 === 1 ? [...sets, singular] : sets);
    }
    const source = await bench.open(builder.write(bench.directory, `a${bench.store.openCount}`));
    const { end } = await source.info();
    const times = moments.map((moment) => at(moment / 10)).filter((time) => compareTimestamps(time, end!) <= 0);
    const answers = async (inBlocks: boolean): Promise<{ answered: unknown[]; blocks: number }> => {
      const read = source.range(source.prepare(pmids), EVERYTHING);
      const answered: unknown[] = [];
      let blocks = 0;
      for (let next = 0; next < times.length;) {
        const block = inBlocks ? read.block?.(times.slice(next)) : undefined;
        if (block) blocks++;
        for (let row = 0; row < (block?.length ?? 1); row++, next++) {
          const into = new FetchResult();
          if (block) into.sets.push(...block.columns.map((column) => column.at(row)));
          else await read(times[next]!, into);
          const { sec, nsec } = block ? timeOfRow(block, row) : into.timestamp;
          answered.push([sec, nsec, ...into.sets.map((set) => [set.pmid, set.type, valuesOf(set)])]);
        }
      }
      return { answered, blocks };
    };
    const slow = await answers(false);
    const quick = await answers(true);
    await source.close();
    return { slow: slow.answered, quick: quick.answered, blocks: quick.blocks };
  }

  const ascending = fc.array(fc.constantFrom(0, 1, 3, 7, 25), { minLength: 1, maxLength: 60 });
  const recorded: fc.Arbitrary<Recorded> = fc.record({
    semantics: fc.constantFrom(COUNTER, INSTANT, DISCRETE),
    steps: fc.array(fc.constantFrom(10, 10, 10, 4, 0), { minLength: 4, maxLength: 40 }),
    seed: fc.nat(1_000_000),
    mark: fc.option(fc.nat(20), { nil: undefined, freq: 4 }),
    change: fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
    moments: ascending.map((steps) => {
      let sum = 0;
      return steps.map((step) => (sum += step));
    }),
  });

  it('are what they are one by one', async () => {
    const bench = new ArchiveBench();
    let blocks = 0;
    await fc.assert(
      fc.asyncProperty(recorded, async (given) => {
        const read = await readBoth(bench, given);
        expect(read.quick).toEqual(read.slow);
        blocks += read.blocks;
      }),
      { numRuns: 60 },
    );
    expect(blocks).toBeGreaterThan(0);
  });

  it('end where an instance comes or goes', async () => {
    const steps = Array.from({ length: 20 }, () => 10);
    const moments = Array.from({ length: 150 }, (_, i) => 20 + i);
    const given = { semantics: COUNTER, steps, seed: 4, moments };
    const alike = await readBoth(new ArchiveBench(), given);
    expect(alike.blocks).toBe(1);
    const changed = await readBoth(new ArchiveBench(), { ...given, change: 100 });
    expect(changed.quick).toEqual(changed.slow);
    expect(changed.blocks).toBeGreaterThan(1);
  });
});

describe('a context that interpolates', () => {
  let bench: ArchiveBench;

  beforeEach(() => (bench = new ArchiveBench()));

  it('goes on by its interval, also past errors, and has a millisecond of slack at both ends', async () => {
    const builder = new ArchiveBuilder({ version: 3, start: stamp(0) })
      .metric({ pmid: PMID, names: ['m'], type: DOUBLE, semantics: COUNTER })
      .record(stamp(0), [{ pmid: PMID, values: [[-1, 0]] }])
      .record(stamp(3), [{ pmid: PMID, values: [[-1, 30]] }]);
    const source = await bench.open(builder.write(bench.directory, 'a'));
    source.setMode({ mode: 'interp', time: at(0), intervalSec: 1.25 });
    const { fetches, error } = await fetchAll(source, [PMID]);
    expect(fetches).toEqual(rows([0, { [-1]: 0 }], [1.25, { [-1]: 12.5 }], [2.5, { [-1]: 25 }]));
    expect(error).toMatchObject({ pmErr: PM_ERR.EOL });
    expect(source.position.time).toEqual(at(5));
    source.setMode({ mode: 'interp', time: at(2.5), intervalSec: -1.25 });
    expect((await fetchAll(source, [PMID])).fetches.map(([t]) => t)).toEqual([2.5, 1.25, 0]);
    for (const [moment, isWithin] of [
      [-0.0009, true],
      [-0.0011, false],
      [3.0009, true],
      [3.0011, false],
    ] as const) {
      source.setMode({ mode: 'interp', time: at(moment) });
      expect((await fetchAll(source, [PMID], 1)).fetches).toHaveLength(isWithin ? 1 : 0);
    }
  });

  it('finds the first value of an instance that had none when it was looked for before', async () => {
    const builder = new ArchiveBuilder({ version: 3, start: stamp(0) });
    builder.indom(stamp(0), INDOM, rows([0, 'old'], [1, 'late']));
    builder.metric({ pmid: PMID, names: ['m'], type: U32, semantics: INSTANT, indom: INDOM });
    for (let record = 0; record < 4; record++) builder.record(stamp(record), [{ pmid: PMID, values: [[0, record]] }]);
    const base = builder.write(bench.directory, 'a');
    const source = await bench.open(base);
    const valuesAt = async (moment: number): Promise<unknown> => {
      const into = new FetchResult();
      await source.range(source.prepare([PMID]), EVERYTHING)(at(moment), into);
      return valuesOf(into.sets[0]!);
    };
    expect(await valuesAt(1)).toEqual({ 0: 1 });
    expect(source.opened.withoutValues.get(PMID)).toEqual(new Set([1]));
    for (const [moment, value] of rows([4, 40], [5, 50])) {
      appendFileSync(`${base}.0`, builder.recordBytes(stamp(moment), [{ pmid: PMID, values: [[0, 4], [1, value]] }])); // prettier-ignore
    }
    expect(await valuesAt(5)).toEqual({ 0: 4, 1: 50 });
    expect(await valuesAt(4.2)).toEqual({ 0: 4, 1: 40 });
    expect(source.opened.withoutValues.size).toBe(0);
  });

  it('gives no counter once when a mark was crossed since the fetch before, in either direction', async () => {
    const builder = new ArchiveBuilder({ version: 3, start: stamp(0) }).metric({
      pmid: PMID,
      names: ['m'],
      type: U32,
      semantics: COUNTER,
    });
    for (let i = 0; i <= 8; i++) {
      if (i === 4) builder.mark(stamp(3.5));
      builder.record(stamp(i), [{ pmid: PMID, values: [[-1, i * 10]] }]);
    }
    const source = await bench.open(builder.write(bench.directory, 'a'));
    source.setMode({ mode: 'interp', time: at(2.5), intervalSec: 2 });
    expect((await fetchAll(source, [PMID])).fetches.map(([, v]) => v)).toEqual([{ [-1]: 25 }, {}, { [-1]: 65 }]);
    source.setMode({ mode: 'interp', time: at(4.5), intervalSec: -2 });
    expect((await fetchAll(source, [PMID], 2)).fetches.map(([, v]) => v)).toEqual([{ [-1]: 45 }, {}]);
    source.setMode({ mode: 'interp', time: at(4.5), intervalSec: 1 });
    expect((await fetchAll(source, [PMID], 1)).fetches.map(([, v]) => v)).toEqual([{ [-1]: 45 }]);
  });

  it('ignores records without the instance, and forgets those that are gone', async () => {
    const builder = new ArchiveBuilder({ version: 3, start: stamp(0) })
      .metric({ pmid: PMID, names: ['m'], type: U32, semantics: INSTANT, indom: INDOM })
      .indom(stamp(0), INDOM, rows([1, 'one'], [2, 'two']))
      .record(stamp(0), [
        {
          pmid: PMID,
          values: rows([1, 10], [2, 20]),
        },
      ]) // prettier-ignore
      .record(stamp(1), [{ pmid: PMID, values: [[2, 21]] }])
      .record(stamp(2), [{ pmid: PMID, values: -12350 }])
      .record(stamp(3), [
        {
          pmid: PMID,
          values: rows([1, 13], [9, 99]),
        },
      ]) // prettier-ignore
      .record(stamp(4), [{ pmid: PMID, values: [] }]);
    const source = await bench.open(builder.write(bench.directory, 'a'));
    source.setMode({ mode: 'interp', time: at(0.5), intervalSec: 1 });
    expect((await fetchAll(source, [PMID])).fetches).toEqual([
      [0.5, { 1: 10, 2: 20 }],
      [1.5, { 1: 10 }],
      [2.5, { 1: 13 }],
      [3.5, {}],
    ]);
  });
});
