import { recordsOf as eachRecord } from '../../../src/sources/index.js';
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { FetchResult, MetricType, PM_ERR, Semantics } from '../../../src/pmapi/index.js';
import { ArchiveStore } from '../../../src/sources/archive/node/index.js';
import { doWaiting } from '../../../src/sources/waits.js';
import { ArchiveBuilder } from '../../support/archive-builder.js';
import {
  at,
  ArchiveBench,
  disposeOfBenches,
  EVERYTHING,
  fetchAll,
  recordsOf,
  secondsOf,
  stamp,
  valuesOf,
} from './support.js';
import { rows } from '../../support/rows.js';

afterEach(disposeOfBenches);

const COUNTER = 0x0f000001;
const GAUGE = 0x0f000002;
const DISCRETE = 0x0f000003;
const TEXT = 0x0f000004;
const WIDE = 0x0f000005;
const INDOM = 0x0f000001;

/** Five records a second apart, the metrics in records of their own from time to time, and one instance that comes late. */
function smallArchive(version: 2 | 3, startSec = 0, hostName = 'builder.example'): ArchiveBuilder {
  const builder = new ArchiveBuilder({ version, start: stamp(startSec), hostName })
    .metric({ pmid: COUNTER, names: ['t.counter', 't.alias'], type: 1, indom: INDOM, semantics: 1 })
    .metric({ pmid: GAUGE, names: ['t.gauge'], type: 5, semantics: 3 })
    .metric({ pmid: DISCRETE, names: ['t.discrete'], type: 0, semantics: 4 })
    .metric({ pmid: TEXT, names: ['t.text'], type: 6, semantics: 4 })
    .metric({ pmid: WIDE, names: ['t.wide'], type: 3, semantics: 1 })
    .indom(stamp(startSec), INDOM, rows([0, 'zero'], [1, 'one device']))
    .indom(stamp(startSec + 2), INDOM, rows([0, 'zero'], [2, 'two']))
    .labels(stamp(startSec + 1), 1, 0xffffffff, [[-1, { hostname: 'h', n: 3 }]])
    .labels(stamp(startSec), 32, INDOM, rows([0, { device: 'zero' }], [1, { device: 'one' }]))
    .text(5, GAUGE, 'a gauge')
    .text(6, GAUGE, 'a gauge, in more words')
    .text(9, INDOM, 'things');
  builder.indexEntry(stamp(startSec));
  for (let i = 0; i < 5; i++) {
    builder.record(stamp(startSec + i), [
      {
        pmid: COUNTER,
        values: i < 2 ? rows([0, 10 * i], [1, 100 + i]) : rows([0, 10 * i], [2, 200 + i]),
      },
      { pmid: GAUGE, values: [[-1, i + 0.5]] },
    ]);
    if (i % 2 === 0) {
      builder.record(stamp(startSec + i), [
        { pmid: DISCRETE, values: [[-1, -i]] },
        { pmid: TEXT, values: [[-1, `text ${i}`]] },
        { pmid: WIDE, values: [[-1, 2n ** 60n + BigInt(i)]] },
      ]);
    }
  }
  return builder;
}

describe.each([2, 3] as const)('an archive of version %i', (version) => {
  let bench: ArchiveBench;

  beforeEach(() => (bench = new ArchiveBench()));

  it('knows its metrics by all their names', async () => {
    const source = await bench.open(smallArchive(version).write(bench.directory, 'a'));
    expect(await source.lookupNames(['t.counter', 't.alias', 't', 'u'])).toEqual([
      COUNTER,
      COUNTER,
      PM_ERR.NONLEAF,
      PM_ERR.NAME,
    ]);
    expect(await source.namesOf(COUNTER)).toEqual(['t.counter', 't.alias']);
    expect((await source.children('t')).leaf).toHaveLength(6);
    expect(await source.describe([WIDE, 1])).toEqual([
      expect.objectContaining({ type: MetricType.U64, semantics: Semantics.COUNTER }),
      PM_ERR.PMID_LOG,
    ]);
  });

  it('gives metadata as of a moment, or over all time', async () => {
    const source = await bench.open(smallArchive(version).write(bench.directory, 'a'));
    const names = async (seconds: number): Promise<string[]> =>
      (await source.instances(INDOM, at(seconds))).instances.map(({ name }) => name);
    expect(await names(1.5)).toEqual(['zero', 'one device']);
    expect(await names(2)).toEqual(['zero', 'two']);
    await expect(names(-1)).rejects.toMatchObject({ pmErr: PM_ERR.INDOM_LOG });
    await expect(source.instances(99)).rejects.toMatchObject({ pmErr: PM_ERR.INDOM_LOG });
    expect((await source.instancesEver(INDOM)).instances.map(({ id }) => id)).toEqual([0, 1, 2]);
    expect(await source.labels({ kind: 'context' }, at(0))).toEqual([]);
    expect(await source.labels({ kind: 'context' }, at(1))).toEqual([
      {
        instance: -1,
        labels: rows({ name: 'hostname', json: '"h"' }, { name: 'n', json: '3' }),
      },
    ]);
    expect(await source.labels({ kind: 'instances', indom: INDOM }, at(4))).toHaveLength(2);
    expect(await source.labels({ kind: 'item', pmid: GAUGE })).toEqual([]);
    expect(await source.helpText({ kind: 'metric', pmid: GAUGE }, 'oneline')).toBe('a gauge');
    expect(await source.helpText({ kind: 'metric', pmid: GAUGE }, 'help')).toBe('a gauge, in more words');
    expect(await source.helpText({ kind: 'indom', indom: INDOM }, 'oneline')).toBe('things');
    expect(await source.helpText({ kind: 'indom', indom: INDOM }, 'help')).toBe('things');
    expect(await source.helpText({ kind: 'metric', pmid: WIDE }, 'help')).toBeUndefined();
  });

  it('reads label records by their own type, whatever the version of the archive', async () => {
    const other = new ArchiveBuilder({ version: version === 2 ? 3 : 2, start: stamp(0) });
    const foreign = other
      .labels(stamp(0), 4, INDOM, [[-1, { kind: 'disk' }]])
      .files()
      .get('meta')!;
    const record = foreign.subarray(other.labelBytes(-1).length);
    const builder = smallArchive(version).metaRecord(record.readUInt32BE(4), [record.subarray(8, -4)]);
    const source = await bench.open(builder.write(bench.directory, 'a'));
    expect(await source.labels({ kind: 'indom', indom: INDOM })).toEqual([
      { instance: -1, labels: [{ name: 'kind', json: '"disk"' }] },
    ]);
    expect(await source.labels({ kind: 'instances', indom: INDOM })).toHaveLength(2);
  });

  it('reads forward the records that hold an asked metric, to a clear end', async () => {
    const source = await bench.open(smallArchive(version).write(bench.directory, 'a'));
    const { fetches, error } = await fetchAll(source, [WIDE, TEXT, DISCRETE, 77]);
    expect(fetches).toEqual(
      [0, 2, 4].map((i) => [i, { [-1]: 2n ** 60n + BigInt(i) }, { [-1]: `text ${i}` }, { [-1]: 0 - i }, {}]),
    );
    expect(error).toMatchObject({ pmErr: PM_ERR.EOL });
    expect(source.position.time).toEqual(at(4));
  });

  it('starts forward at or after a moment, backward at or before it', async () => {
    const source = await bench.open(smallArchive(version).write(bench.directory, 'a'));
    source.setMode({ mode: 'forward', time: at(2) });
    expect((await fetchAll(source, [GAUGE])).fetches.map(([t]) => t)).toEqual([2, 3, 4]);
    source.setMode({ mode: 'forward', time: at(2.1) });
    expect((await fetchAll(source, [GAUGE])).fetches.map(([t]) => t)).toEqual([3, 4]);
    source.setMode({ mode: 'backward', time: at(2) });
    expect((await fetchAll(source, [GAUGE])).fetches.map(([t]) => t)).toEqual([2, 1, 0]);
    source.setMode({ mode: 'backward', time: at(1.9) });
    expect((await fetchAll(source, [TEXT])).fetches).toEqual([[0, { [-1]: 'text 0' }]]);
    source.setMode({ mode: 'backward', time: at(-1) });
    expect((await fetchAll(source, [TEXT])).error).toMatchObject({ pmErr: PM_ERR.EOL });
  });

  it('turns round where it stands', async () => {
    const source = await bench.open(smallArchive(version).write(bench.directory, 'a'));
    expect((await fetchAll(source, [GAUGE], 3)).fetches.at(-1)![0]).toBe(2);
    source.setMode({ mode: 'backward' });
    expect((await fetchAll(source, [GAUGE])).fetches.map(([t]) => t)).toEqual([2, 1, 0]);
  });

  it.each([
    ['forward', 1],
    ['backward', -1],
    ['interp', 0.5],
  ] as const)(
    '%s: one that stands like another goes on as the other does, each by itself',
    async (mode, intervalSec) => {
      const base = smallArchive(version).write(bench.directory, 'a');
      const original = await bench.open(base);
      original.setMode({ mode, time: mode === 'backward' ? at(1e6) : at(0), intervalSec });
      await fetchAll(original, [COUNTER], 2);
      const copy = await bench.open(base);
      copy.standLike(original);
      expect(copy.position).toEqual(original.position);
      const { fetches } = await fetchAll(copy, [COUNTER], 2);
      expect(fetches.length).toBeGreaterThan(0);
      expect((await fetchAll(original, [COUNTER], 2)).fetches).toEqual(fetches);
    },
  );

  it('gives whole records with marks', async () => {
    const builder = smallArchive(version)
      .mark(stamp(4.001))
      .record(stamp(6), [{ pmid: GAUGE, values: -12350 }]);
    const source = await bench.open(builder.write(bench.directory, 'a'));
    const { records, error } = await recordsOf(source);
    expect(records.slice(-3)).toEqual(rows([4, 3], [expect.closeTo(4.001, 6), 'mark'], [6, 1]));
    expect(error).toMatchObject({ pmErr: PM_ERR.EOL });
    source.setMode({ mode: 'forward', time: at(5) });
    expect((await fetchAll(source, [GAUGE])).fetches).toEqual([[6, -12350]]);
    source.setMode({ mode: 'interp', time: at(0), intervalSec: 1 });
    await expect(source.nextRecord(new FetchResult())).rejects.toMatchObject({ pmErr: PM_ERR.MODE });
  });

  it('streams a range of records and leaves the position alone', async () => {
    const source = await bench.open(smallArchive(version).mark(stamp(4.5)).write(bench.directory, 'a'));
    const seen: unknown[] = [];
    for await (const { timestamp, isMark, result } of eachRecord(
      source.batches(source.prepare([TEXT]), EVERYTHING, at(1), at(9)),
    )) {
      seen.push([secondsOf(timestamp), isMark, result.sets.map(valuesOf)]);
    }
    expect(seen).toEqual(rows([2, false, [{ [-1]: 'text 2' }]], [4, false, [{ [-1]: 'text 4' }]], [4.5, true, []]));
    expect(source.position).toEqual({ mode: 'forward', time: at(0), intervalSec: 0 });
  });

  it('stops at every record, marks left out, for who asks for no metric', async () => {
    const base = smallArchive(version)
      .mark(stamp(4.5))
      .record(stamp(5), [{ pmid: GAUGE, values: [[-1, 5.5]] }])
      .write(bench.directory, 'a');
    const source = await bench.open(base);
    const { fetches, error } = await fetchAll(source, []);
    expect(fetches).toEqual([0, 0, 1, 2, 2, 3, 4, 4, 5].map((second) => [second]));
    expect(error).toMatchObject({ pmErr: PM_ERR.EOL });
    source.setMode({ mode: 'backward', time: at(3.5) });
    expect((await fetchAll(source, [])).fetches).toEqual([3, 2, 2, 1, 0, 0].map((second) => [second]));
    const seen: unknown[] = [];
    for await (const { timestamp, isMark } of eachRecord(
      source.batches(source.prepare([]), EVERYTHING, at(2), at(5)),
    )) {
      seen.push([secondsOf(timestamp), isMark]);
    }
    expect(seen).toEqual(rows([2, false], [2, false], [3, false], [4, false], [4, false], [4.5, true], [5, false]));
  });

  it.each([
    [3, COUNTER],
    [-2, COUNTER],
    [7, GAUGE],
    [255, GAUGE],
    [3, TEXT],
  ])('has no values in the format %i, which does not exist, of metric %i', async (format, pmid) => {
    const builder = smallArchive(version);
    const value = pmid === TEXT ? 'text' : 7;
    const damaged = builder.recordBytes(stamp(5), [
      { pmid, values: [[-1, value]] },
      { pmid: DISCRETE, values: [[-1, 8]] },
    ]);
    damaged.writeInt32BE(format, version === 2 ? 24 : 28);
    builder.raw(damaged).record(stamp(6), [{ pmid: DISCRETE, values: [[-1, 9]] }]);
    const source = await bench.open(builder.write(bench.directory, 'a'));
    source.setMode({ mode: 'forward', time: at(5) });
    expect((await fetchAll(source, [pmid, DISCRETE])).fetches).toEqual([
      [5, PM_ERR.LOGREC, { [-1]: 8 }],
      [6, {}, { [-1]: 9 }],
    ]);
    source.setMode({ mode: 'forward', time: at(5) });
    await expect(source.nextRecord(new FetchResult())).rejects.toMatchObject({
      pmErr: PM_ERR.LOGREC,
      message: expect.stringContaining(`value format ${format} at offset`) as string,
    });
  });

  it('needs no temporal index, and trusts none that lies', async () => {
    const files = smallArchive(version).files();
    for (const [suffix, bytes] of files)
      if (suffix !== 'index') writeFileSync(path.join(bench.directory, `a.${suffix}`), bytes);
    expect((await fetchAll(await bench.open(path.join(bench.directory, 'a')), [GAUGE])).fetches).toHaveLength(5);
    const lying = smallArchive(version);
    for (const offset of [3, 133, 900, 1e9]) lying.indexEntry([offset, 0]);
    const source = await bench.open(lying.write(bench.directory, 'b'));
    expect((await fetchAll(source, [GAUGE])).fetches).toHaveLength(5);
  });

  it('goes on in later volumes, whatever their numbers', async () => {
    const builder = smallArchive(version).newVolume();
    builder.record(stamp(7), [{ pmid: GAUGE, values: [[-1, 7]] }]);
    builder.newVolume().record(stamp(9), [{ pmid: GAUGE, values: [[-1, 9]] }]);
    const base = builder.write(bench.directory, 'a');
    const source = await bench.open(base);
    expect(await source.end()).toEqual(at(9));
    expect((await fetchAll(source, [GAUGE])).fetches.map(([t]) => t)).toEqual([0, 1, 2, 3, 4, 7, 9]);
    source.setMode({ mode: 'backward', time: at(8) });
    expect((await fetchAll(source, [GAUGE])).fetches.map(([t]) => t)).toEqual([7, 4, 3, 2, 1, 0]);
    source.setMode({ mode: 'forward', time: at(8) });
    expect((await fetchAll(source, [GAUGE])).fetches).toEqual([[9, { [-1]: 9 }]]);
  });

  it('shows what a growing archive gains: records, metadata and volumes', async () => {
    const builder = smallArchive(version);
    const base = builder.write(bench.directory, 'a');
    const source = await bench.open(base);
    expect((await fetchAll(source, [GAUGE])).fetches).toHaveLength(5);
    const { generation } = source;
    const more = builder.recordBytes(stamp(5), [{ pmid: GAUGE, values: [[-1, 5.5]] }]);
    appendFileSync(`${base}.0`, more.subarray(0, 20));
    expect((await fetchAll(source, [GAUGE])).error).toMatchObject({ pmErr: PM_ERR.LOGREC });
    appendFileSync(`${base}.0`, more.subarray(20));
    expect((await fetchAll(source, [GAUGE])).fetches).toEqual([[5, { [-1]: 5.5 }]]);
    expect(await source.end()).toEqual(at(5));
    const meta = new ArchiveBuilder({ version, start: stamp(0) }).metric({
      pmid: 99,
      names: ['t.new'],
      type: 1,
      semantics: 3,
    });
    const label = meta.labelBytes(-1).length;
    appendFileSync(`${base}.meta`, meta.files().get('meta')!.subarray(label));
    expect(await source.lookupNames(['t.new'])).toEqual([99]);
    expect(source.generation).toBeGreaterThan(generation);
    writeFileSync(
      `${base}.1`,
      Buffer.concat([meta.labelBytes(1), meta.recordBytes(stamp(6), [{ pmid: 99, values: [[-1, 6]] }])]),
    );
    expect((await fetchAll(source, [99, GAUGE])).fetches).toEqual([[6, { [-1]: 6 }, {}]]);
  });

  it('has every record once, although it grows while it is read for the first time', async () => {
    const builder = smallArchive(version);
    const text = 'x'.repeat(100_000);
    for (let i = 5; i < 30; i++) builder.record(stamp(i), [{ pmid: TEXT, values: [[-1, text]] }]);
    const base = builder.write(bench.directory, 'a');
    let letRead = (): void => undefined;
    const mayRead = new Promise<void>((resolve) => (letRead = resolve));
    const own = new ArchiveStore({
      clock: bench.clock,
      opener: async (name) => {
        const handle = await open(name);
        const read = handle.read.bind(handle) as (...given: readonly unknown[]) => unknown;
        const slowly = async (...given: readonly unknown[]): Promise<unknown> => {
          if (Number(given[2]) >= 1024 * 1024) await mayRead;
          return read(...given);
        };
        return Object.assign(handle, { read: slowly });
      },
    });
    const source = await own.open([base]);
    const volume = await source.opened.members[0]!.openVolume(0);
    const reading = volume.load(volume.segments[0]!);
    appendFileSync(`${base}.0`, builder.recordBytes(stamp(30), [{ pmid: TEXT, values: [[-1, text]] }]));
    const size = volume.file.size;
    const refreshing = source.opened.refresh();
    while (volume.file.size === size) await new Promise((resolve) => setImmediate(resolve));
    letRead();
    await Promise.all([reading, refreshing]);
    const { records } = await recordsOf(source);
    expect(records.slice(8).map(([seconds]) => seconds)).toEqual(Array.from({ length: 26 }, (_, i) => i + 5));
    await own.close();
  });

  it('forgets that its disk gave up once, for all that it works out and keeps', async () => {
    let isBroken = false;
    const own = new ArchiveStore({
      clock: bench.clock,
      limits: { openFiles: 0 },
      opener: (name) => (isBroken ? Promise.reject(new Error('EIO')) : open(name)),
    });
    const source = await own.open([
      smallArchive(version, 0).write(bench.directory, 'a'),
      smallArchive(version, 20).write(bench.directory, 'b'),
    ]);
    const into = new FetchResult();
    const fetch = async (): Promise<void> => source.range(source.prepare([COUNTER]), EVERYTHING)(at(10), into);
    own.memory.clear();
    isBroken = true;
    await expect(fetch()).rejects.toMatchObject({ pmErr: -5 });
    await expect(source.opened.metadata.lifespans(INDOM)).rejects.toMatchObject({ pmErr: -5 });
    await expect((async () => doWaiting(source.opened.timeline.gapAfter(0)))()).rejects.toMatchObject({ pmErr: -5 });
    isBroken = false;
    await fetch();
    expect((await source.opened.metadata.lifespans(INDOM)).size).toBe(3);
    expect((await recordsOf(source)).records).toHaveLength(17);
    await own.close();
  });

  it('leaves turns of the event loop to others while it goes over long histories of instances', async () => {
    const builder = smallArchive(version);
    const processes = Array.from({ length: 500 }, (_, i) => [i, `00${i} process`] as const);
    for (let i = 0; i < 100; i++) builder.indom(stamp(i), 99, processes);
    const source = await bench.open(builder.write(bench.directory, 'a'));
    let turns = 0;
    const count = (): void => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    expect((await source.instancesEver(99)).instances).toHaveLength(500);
    expect((await source.opened.metadata.lifespans(99)).size).toBe(500);
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(20);
  });

  it('gives what is intact of a damaged volume, and then the error, with file and offset', async () => {
    const bytes = smallArchive(version).files().get('0')!;
    const base = smallArchive(version).write(bench.directory, 'a');
    for (const damaged of [
      bytes.subarray(0, bytes.length - 3),
      Buffer.concat([bytes.subarray(0, bytes.length - 8), Buffer.alloc(400, 0xee)]),
    ]) {
      writeFileSync(`${base}.0`, damaged);
      const own = new ArchiveBench();
      const source = await own.open(base);
      const { records, error } = await recordsOf(source);
      expect(records).toHaveLength(7);
      expect(error).toMatchObject({
        pmErr: PM_ERR.LOGREC,
        message: expect.stringMatching(/a\.0 at offset \d+/) as string,
      });
      expect(secondsOf(await source.end())).toBe(4);
      source.setMode({ mode: 'backward', time: at(100) });
      expect((await recordsOf(source)).records).toHaveLength(7);
      await own.dispose();
    }
  });

  it('reads compressed files, each by its own suffix', async () => {
    const base = smallArchive(version).write(bench.directory, 'a');
    for (const piece of ['meta', '0', 'index']) {
      writeFileSync(path.join(bench.directory, `z.${piece}.gz`), gzipSync(readFileSync(`${base}.${piece}`)));
    }
    const source = await bench.open(path.join(bench.directory, 'z'));
    expect((await fetchAll(source, [GAUGE])).fetches).toHaveLength(5);
  });

  it('refuses what libpcp refuses, with its code', async () => {
    const files = smallArchive(version).files();
    const cases: [string, string, (bytes: Buffer) => Buffer, number][] = [
      ['label magic', '0', (b) => (b.writeUInt32BE(1, 4), b), PM_ERR.LABEL],
      ['other writer', 'meta', (b) => (b.writeInt32BE(1, 8), b), PM_ERR.LABEL],
      ['volume number', '0', (b) => (b.writeInt32BE(7, version === 2 ? 20 : 24), b), PM_ERR.LABEL],
      ['empty volume', '0', () => Buffer.alloc(0), PM_ERR.NODATA],
      ['label-only volume', '0', (b) => b.subarray(0, version === 2 ? 132 : 808), PM_ERR.NODATA],
      ['cut metadata', 'meta', (b) => b.subarray(0, b.length - 2), PM_ERR.LOGREC],
      ['record type', 'meta', (b) => (b.writeUInt32BE(9, (version === 2 ? 132 : 808) + 4), b), PM_ERR.RECTYPE],
      ['no descriptors', 'meta', (b) => b.subarray(0, version === 2 ? 132 : 808), PM_ERR.NODATA],
    ];
    for (const [name, piece, damage, pmErr] of cases) {
      for (const [suffix, bytes] of files) {
        const copy = Buffer.from(bytes);
        writeFileSync(path.join(bench.directory, `bad.${suffix}`), suffix === piece ? damage(copy) : copy);
      }
      await expect(
        bench.open(path.join(bench.directory, 'bad')).catch((e: unknown) => ({ name, e })),
      ).resolves.toMatchObject({ name, e: { pmErr } });
    }
    await expect(bench.open(path.join(bench.directory, 'none'))).rejects.toMatchObject({ pmErr: -2 });
    copyFileSync(path.join(bench.directory, 'bad.0'), path.join(bench.directory, 'half.0'));
    await expect(bench.open(path.join(bench.directory, 'half'))).rejects.toMatchObject({ pmErr: PM_ERR.LOGFILE });
  });

  it('refuses descriptors that contradict one another', async () => {
    const changes = [
      [{ type: 3 }, PM_ERR.LOGCHANGETYPE],
      [{ semantics: 1 }, PM_ERR.LOGCHANGESEM],
      [{ indom: INDOM }, PM_ERR.LOGCHANGEINDOM],
      [{ units: 1 << 20 }, PM_ERR.LOGCHANGEUNITS],
    ] as const;
    for (const [change, pmErr] of changes) {
      const builder = smallArchive(version).metric({
        pmid: GAUGE,
        names: ['t.gauge'],
        type: 5,
        semantics: 3,
        ...change,
      });
      await expect(bench.open(builder.write(bench.directory, 'c'))).rejects.toMatchObject({ pmErr });
    }
  });
});

describe('an instance domain that is recorded as changes', () => {
  it('is put together from the last full record and what came since', async () => {
    const bench = new ArchiveBench();
    const builder = new ArchiveBuilder({ version: 3, start: stamp(0) })
      .metric({ pmid: GAUGE, names: ['t.gauge'], type: 5, indom: INDOM, semantics: 3 })
      .indom(stamp(0), INDOM, rows([0, 'zero'], [1, 'one']))
      .indom(stamp(2), INDOM, rows([1, null], [2, 'two']), true)
      .indom(stamp(4), INDOM, [[0, 'nought']], true)
      .indom(stamp(6), INDOM, [[3, 'three']])
      .record(stamp(0), [{ pmid: GAUGE, values: [[0, 1]] }]);
    const base = builder.write(bench.directory, 'a');
    const source = await bench.open(base);
    const names = async (seconds: number): Promise<string[]> =>
      (await source.instances(INDOM, at(seconds))).instances.map(({ name }) => name);
    for (const seconds of [5, 1, 3, 5, 7]) {
      expect(await names(seconds)).toEqual(
        { 1: ['zero', 'one'], 3: ['zero', 'two'], 5: ['nought', 'two'], 7: ['three'] }[seconds],
      );
    }
    expect((await source.instancesEver(INDOM)).instances.map(({ name }) => name)).toEqual([
      'nought',
      'one',
      'two',
      'three',
    ]);
    // A record that is added between others while they are read.
    const late = new ArchiveBuilder({ version: 3, start: stamp(0) }).indom(stamp(1), INDOM, [[7, 'late']], true);
    appendFileSync(`${base}.meta`, late.files().get('meta')!.subarray(late.labelBytes(-1).length));
    const reading = names(5);
    await source.opened.refresh();
    await reading;
    expect(await names(5)).toEqual(['nought', 'late', 'two']);
  });
});

describe('several archives as one', () => {
  let bench: ArchiveBench;

  beforeEach(() => (bench = new ArchiveBench()));

  it('puts them in order, with a mark between two', async () => {
    const later = smallArchive(3, 100).write(bench.directory, 'a-later');
    const earlier = smallArchive(2, 0).write(bench.directory, 'b-earlier');
    const source = await bench.open(later, earlier, later);
    expect(source.label().start).toEqual(at(0));
    expect(await source.end()).toEqual(at(104));
    const forward = (await recordsOf(source)).records;
    expect(forward.filter(([, what]) => what === 'mark')).toEqual([[expect.closeTo(4.001, 6), 'mark']]);
    expect(forward).toHaveLength(17);
    source.setMode({ mode: 'backward', time: at(1000) });
    const backward = (await recordsOf(source)).records;
    expect(backward.filter(([, what]) => what === 'mark')).toEqual([[expect.closeTo(99.999, 6), 'mark']]);
    expect(backward).toHaveLength(17);
    expect((await bench.open(bench.directory)).opened === source.opened).toBe(true);
  });

  it('interpolates nothing across the gap, and no counter at the first moment behind it', async () => {
    smallArchive(3, 0).write(bench.directory, 'a');
    smallArchive(3, 20).write(bench.directory, 'b');
    const source = await bench.open(bench.directory);
    source.setMode({ mode: 'interp', time: at(3.5), intervalSec: 9 });
    expect((await fetchAll(source, [GAUGE, COUNTER, DISCRETE], 3)).fetches).toEqual([
      [3.5, { [-1]: 3.5 }, { 0: 35, 2: 204 }, { [-1]: -4 }],
      [12.5, {}, {}, {}],
      [21.5, { [-1]: 1.5 }, { 0: 15 }, { [-1]: -2 }],
    ]);
    source.setMode({ mode: 'interp', time: at(3.5), intervalSec: 18 });
    expect((await fetchAll(source, [COUNTER], 3)).fetches.map(([, values]) => values)).toEqual([{ 0: 35, 2: 204 }, {}]);
  });

  it('refuses other hosts and equal starts', async () => {
    const a = smallArchive(2, 0).write(bench.directory, 'a');
    await expect(bench.open(a, smallArchive(2, 50, 'other').write(bench.directory, 'b'))).rejects.toMatchObject({
      pmErr: PM_ERR.LOGHOST,
    });
    await expect(bench.open(a, smallArchive(3, 0).write(bench.directory, 'c'))).rejects.toMatchObject({
      pmErr: PM_ERR.LOGOVERLAP,
    });
  });

  it('goes on behind a damaged member', async () => {
    const a = smallArchive(3, 0).write(bench.directory, 'a');
    const b = smallArchive(3, 50).write(bench.directory, 'b');
    const bytes = readFileSync(`${a}.0`);
    writeFileSync(`${a}.0`, bytes.subarray(0, bytes.length - 5));
    const { records, error } = await recordsOf(await bench.open(a, b));
    expect(records).toHaveLength(15);
    expect(error).toMatchObject({ pmErr: PM_ERR.EOL });
  });
});
