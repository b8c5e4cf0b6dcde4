import { jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readlinkSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FakeClock } from '../../support/fake-clock.js';
import { type BuiltMmv, MmvType, buildMmv, imageOf } from '../../support/mmv-builder.js';
import { MmvFixture, nextTurn } from './support/mmv-fixture.js';
import { rows } from '../../support/rows.js';

const good: BuiltMmv = { metrics: [{ name: 'count', value: 7 }] };
const GOOD = ['mmv.good.count'];

/** Whoever may write to the directory decides what lies there: that must neither stop the gateway, nor make it read what it should not. */
describe('what lies in a directory of MMV files', () => {
  let mmv: MmvFixture;
  const use = (options: ConstructorParameters<typeof MmvFixture>[0] = {}): MmvFixture => {
    mmv = new MmvFixture(options);
    mmv.put('good', good);
    return mmv;
  };
  const place = (name: string): string => path.join(mmv.directory, name);
  const allocate = jest.spyOn(Buffer, 'allocUnsafe');
  afterAll(() => allocate.mockRestore());
  const problemOf = (file: string): string | undefined =>
    mmv.agent.problems.find((problem) => problem.file === file)?.reason;
  afterEach(() => mmv.close());

  /** Names of files that this process has open. */
  const openFiles = (): readonly string[] =>
    readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/self/fd/${fd}`)];
      } catch {
        return [];
      }
    });

  it('is opened only when it is a regular file: a FIFO would wait for a writer', async () => {
    use();
    execFileSync('mkfifo', [place('fifo')]);
    mkdirSync(place('folder'));
    symlinkSync('/dev/zero', place('device'));
    symlinkSync('nowhere', place('dangling'));
    symlinkSync('loop', place('loop'));
    expect(await mmv.names()).toEqual(GOOD);
    expect(mmv.logged).toEqual([]);
  });

  it('is refused when it is larger than a file may be, without being read', async () => {
    use({ limits: { fileBytes: 4096 } });
    writeFileSync(place('big'), buildMmv(good));
    truncateSync(place('big'), 4097);
    expect(await mmv.names()).toEqual(GOOD);
    expect(problemOf('big')).toBe('it has 4097 bytes, more than 4096');
  });

  it('is refused when all files together are larger than they may be', async () => {
    const size = buildMmv(good).length;
    use({ limits: { totalBytes: 2 * size } });
    for (const name of ['a', 'b']) mmv.put(name, good);
    expect(await mmv.names()).toEqual(['mmv.a.count', 'mmv.b.count']);
    expect(problemOf('good')).toContain('all files together');
    mmv.remove('a');
    expect(await mmv.names()).toEqual(['mmv.b.count', 'mmv.good.count']);
  });

  it('is refused beyond a number of files, and each open file is closed when it is no longer served', async () => {
    use({ limits: { files: 3 } });
    for (let i = 0; i < 5; i++) mmv.put(`a${i}`, good);
    expect(await mmv.names()).toEqual(['mmv.a0.count', 'mmv.a1.count', 'mmv.a2.count']);
    expect(problemOf('a3')).toBe('there are more than 3 files');
    const ours = (): number => openFiles().filter((file) => file.startsWith(mmv.directory)).length;
    expect(ours()).toBe(3);
    for (let i = 0; i < 3; i++) mmv.put(`a${i}`, Buffer.alloc(10));
    // Those that are refused take no places.
    expect(await mmv.names()).toEqual(['mmv.a3.count', 'mmv.a4.count', ...GOOD]);
    expect(ours()).toBe(3);
    for (let i = 0; i < 5; i++) mmv.remove(`a${i}`);
    expect(await mmv.names()).toEqual(GOOD);
    expect(ours()).toBe(1);
    mmv.agent.close();
    expect(ours()).toBe(0);
    await nextTurn();
    expect(mmv.source.generation).toBeGreaterThan(0);
    expect(ours()).toBe(0);
  });

  /** Bytes that checks read since the last call. */
  const bytesRead = (): number => {
    const bytes = allocate.mock.calls.reduce((sum, [length]) => sum + length, 0);
    allocate.mockClear();
    return bytes;
  };

  it('is not read where there is no room for it, nor again before it changes', async () => {
    const size = 64 * 1024;
    bytesRead();
    use({ limits: { totalBytes: 2 * size, totalLayoutBytes: 13_000 } });
    const big = Buffer.concat([buildMmv(good), Buffer.alloc(size)]).subarray(0, size);
    for (let i = 0; i < 9; i++) mmv.put(`a${i}`, big);
    mmv.put('b', { metrics: Array.from({ length: 9 }, (_, i) => ({ name: `m${i}`, value: 1 })) });
    await mmv.names();
    expect(bytesRead()).toBeLessThan(4 * size);
    for (let turn = 0; turn < 5; turn++) {
      mmv.put('other', Buffer.alloc(10 + turn));
      expect(await mmv.names()).toHaveLength(2);
    }
    expect(bytesRead()).toBeLessThan(size);
    expect(problemOf('a2')).toContain('all files together');
    // As soon as there is room.
    mmv.remove('a0');
    expect(await mmv.names()).toEqual(['mmv.a1.count', 'mmv.a2.count']);
    for (let i = 1; i < 9; i++) mmv.remove(`a${i}`);
    expect(await mmv.names()).toEqual(expect.arrayContaining(['mmv.b.m0', ...GOOD]));
  });

  it('is read in parts when there is much of it; what has changed has no values until then', async () => {
    use({ limits: { checkBytes: 1 } });
    const look = async (): Promise<readonly string[]> => {
      await nextTurn();
      return mmv.agent
        .names()
        .traverse('mmv')
        .filter((name) => !name.includes('control'));
    };
    for (const name of ['a', 'b']) mmv.put(name, good);
    expect(await look()).toEqual(['mmv.a.count']);
    expect(await look()).toEqual(['mmv.a.count', 'mmv.b.count']);
    expect(await look()).toEqual(['mmv.a.count', 'mmv.b.count', ...GOOD]);
    const [pmid] = await mmv.source.lookupNames(['mmv.b.count']);
    for (const name of ['a', 'b']) mmv.put(name, { generation: 2n, metrics: [{ name: 'count', value: 8 }] });
    expect(await look()).toEqual(['mmv.a.count', 'mmv.b.count', ...GOOD]);
    const prepared = mmv.source.prepare([pmid!]);
    expect(await mmv.fetchPrepared(['mmv.b.count'], prepared)).toEqual({ 'mmv.b.count': {} });
    await look();
    expect(await mmv.fetch(['mmv.b.count'])).toEqual({ 'mmv.b.count': { [-1]: 8 } });
  });

  it('takes a tenth of the time at most', async () => {
    const clock = new FakeClock();
    let usedMs = 0;
    use({ clock, usedMs: () => (usedMs += 40) });
    expect(await mmv.names()).toEqual(GOOD);
    for (let checks = 1; checks < 3; checks++) await mmv.names();
    mmv.put('later', good);
    expect(await mmv.names()).toEqual(GOOD);
    // What is there has its values still.
    expect(await mmv.fetch(GOOD)).toEqual({ 'mmv.good.count': { [-1]: 7 } });
    clock.advance(1000);
    expect(await mmv.names()).toEqual([...GOOD, 'mmv.later.count']);
  });

  it('is looked at up to a number of entries', async () => {
    use({ limits: { entries: 4 } });
    for (let i = 0; i < 10; i++) mmv.put(`a${i}`, good);
    expect(await mmv.names()).toHaveLength(4);
  });

  it('is refused when it says more than it is long: instance domains that share their instances', async () => {
    use({ limits: { layoutBytes: 1024 * 1024 } });
    const instances = Array.from({ length: 100 }, (_, i) => [i, `instance ${i}`] as const);
    const { bytes, sections } = imageOf({
      indoms: Array.from({ length: 1000 }, (_, i) => ({ serial: i + 1, instances: i === 0 ? instances : [] })),
      metrics: [{ name: 'v', serial: 1, value: [[0, 1]] }],
    });
    const { offset } = sections.get(1)!;
    for (let i = 1; i < 1000; i++) bytes.copyWithin(offset + 32 * i + 4, offset + 4, offset + 16);
    mmv.put('bomb', bytes);
    expect(await mmv.names()).toEqual(GOOD);
    expect(problemOf('bomb')).toContain('too much memory');
  });

  it('is refused when all files together say more than they may', async () => {
    use({ limits: { totalLayoutBytes: 2000 } });
    mmv.put('a', good);
    expect(await mmv.names()).toEqual(['mmv.a.count']);
    expect(problemOf('good')).toContain('of all files');
  });

  it('is read with counts that no file can have', async () => {
    use();
    for (const kind of [1, 3, 4]) {
      const { bytes, sections } = imageOf({
        indoms: [{ serial: 1, instances: [[0, 'a']] }],
        metrics: [{ name: 'v', serial: 1, value: [[0, 1]] }],
      });
      bytes.writeUInt32LE(0xffffffff, sections.get(kind)!.entry + 4);
      mmv.put(`bad${kind}`, bytes);
    }
    expect(await mmv.names()).toEqual(['mmv.bad1.v', 'mmv.bad4.v', ...GOOD]);
    expect(problemOf('bad1')).toContain('4294967295 instance domains');
    expect(problemOf('bad3')).toContain('4294967295 metrics');
    expect(problemOf('bad4')).toContain('4294967295 values');
  });

  it('has strings that point out of the file after it was read first', async () => {
    use();
    const { bytes, values } = imageOf({ metrics: [{ name: 't', type: MmvType.STRING, value: 'text' }] });
    mmv.put('app', bytes);
    expect(await mmv.value('mmv.app.t')).toEqual({ [-1]: 'text' });
    for (const offset of [0xffffffffffffffffn, 2n ** 53n, BigInt(bytes.length)]) {
      bytes.writeBigUInt64LE(offset, values.get('t')![0]! + 8);
      writeFileSync(place('app'), bytes);
      expect(await mmv.value('mmv.app.t')).toBe(-12345);
    }
  });

  it('does not show values of one metric as those of another when it points elsewhere', async () => {
    use();
    const { bytes, values, metrics } = imageOf({
      metrics: rows({ name: 'a', value: 1 }, { name: 'b', value: 2 }),
    });
    mmv.put('app', bytes);
    expect(await mmv.fetch(['mmv.app.a'])).toEqual({ 'mmv.app.a': { [-1]: 1 } });
    bytes.writeBigUInt64LE(BigInt(metrics.get('b')!), values.get('a')![0]! + 16);
    writeFileSync(place('app'), bytes);
    expect(await mmv.fetch(['mmv.app.a'])).toEqual({ 'mmv.app.a': {} });
  });

  it('is named with what is wrong with it, and logged once', async () => {
    use();
    mmv.put('bad', Buffer.from('no MMV file at all, but long enough to hold a header'));
    mmv.put('part', { metrics: ['ok', 'a b', 'ok.below'].map((name) => ({ name, value: 1 })) });
    await mmv.names();
    const expected = [
      { file: 'bad', reason: 'it does not begin with MMV' },
      { file: 'part', reason: 'left out "mmv.part.a b": it is not a metric name' },
      { file: 'part', reason: 'left out "mmv.part.ok.below": mmv.part.ok is a metric' },
    ];
    expect(mmv.agent.problems).toEqual(expected);
    mmv.put('more', good);
    await mmv.names();
    expect(mmv.logged).toEqual(expected);
    expect(await mmv.fetch(['mmv.control.refused', 'mmv.control.problem'])).toEqual({
      'mmv.control.refused': { [-1]: 1 },
      'mmv.control.problem': {
        0: 'it does not begin with MMV',
        1: 'left out "mmv.part.a b": it is not a metric name (and 1 more)',
      },
    });
    expect(await mmv.instances(70 << 22)).toEqual(rows([0, 'bad'], [1, 'part']));
  });

  it('is logged no more than a thousand times', async () => {
    use();
    for (let round = 0; round < 4; round++) {
      for (let i = 0; i < 300; i++) mmv.put(`bad${i}`, Buffer.alloc(50 + round, `${round}`));
      for (let i = 0; i < 300; i++) mmv.put(`bad${i}`, Buffer.alloc(10 + round));
      await mmv.names();
    }
    expect(mmv.logged).toHaveLength(1000);
  });
});
