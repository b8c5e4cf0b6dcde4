import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readlinkSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildMmv, imageOf, MmvType } from '../../support/mmv-builder.js';
import type { BuiltMmv } from '../../support/mmv-builder.js';
import { MmvFixture, nextTurn } from './support/mmv-fixture.js';

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
    await mmv.names();
    expect(ours()).toBe(0);
    for (let i = 0; i < 5; i++) mmv.remove(`a${i}`);
    expect(await mmv.names()).toEqual(GOOD);
    expect(ours()).toBe(1);
    mmv.agent.close();
    expect(ours()).toBe(0);
    await nextTurn();
    expect(mmv.source.generation).toBeGreaterThan(0);
    expect(ours()).toBe(0);
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
    use({ limits: { totalLayoutBytes: 1000 } });
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
      metrics: [
        { name: 'a', value: 1 },
        { name: 'b', value: 2 },
      ],
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
    expect(await mmv.instances(70 << 22)).toEqual([
      [0, 'bad'],
      [1, 'part'],
    ]);
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
