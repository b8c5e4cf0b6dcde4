import { appendFileSync, chmodSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeIndom, PM_ERR } from '../../../src/pmapi/index.js';
import { InstanceProfile, type MetricSource } from '../../../src/sources/index.js';
import { FakeClock } from '../../support/fake-clock.js';
import { type BuiltMmv, MmvFlag, MmvType, buildMmv, imageOf } from '../../support/mmv-builder.js';
import { MAIN_METRIC, MmvFixture, nextTurn } from './support/mmv-fixture.js';
import { rows } from '../../support/rows.js';

const count = (value: number, more: Partial<BuiltMmv> = {}): BuiltMmv => ({
  metrics: [{ name: 'count', value }],
  ...more,
});
/** Of the same size, with another name. */
const other = (value: number, more: Partial<BuiltMmv> = {}): BuiltMmv => ({
  generation: 2n,
  metrics: [{ name: 'other', value }],
  ...more,
});
const NAME = 'mmv.app.count';

/** The generation of a source once it has looked at its volatile metrics. */
function lookAt(source: MetricSource): number {
  source.volatile?.look();
  return source.generation;
}

describe('MMV files that change', () => {
  let mmv: MmvFixture;
  const alive = new Set<number>();
  beforeEach(() => {
    alive.clear();
    mmv = new MmvFixture({ isAlive: (process) => alive.has(process) });
  });
  afterEach(() => mmv.close());

  const control = async (name: string): Promise<unknown> => ((await mmv.value(`mmv.control.${name}`)) as never)[-1];

  it('have the values that are in them when they are fetched', async () => {
    const { bytes, values } = imageOf({
      metrics: rows({ name: 'count', value: 1 }, { name: 'text', type: MmvType.STRING, value: 'one' }),
    });
    mmv.put('app', bytes);
    const prepared = await mmv.prepare([NAME, 'mmv.app.text']);
    const fetch = () => mmv.fetchPrepared([NAME, 'mmv.app.text'], prepared);
    expect(await fetch()).toEqual({ [NAME]: { [-1]: 1 }, 'mmv.app.text': { [-1]: 'one' } });
    bytes.writeUInt32LE(2, values.get('count')![0]);
    bytes.write('two', Number(bytes.readBigUInt64LE(values.get('text')![0]! + 8)));
    writeFileSync(path.join(mmv.directory, 'app'), bytes);
    expect(await fetch()).toEqual({ [NAME]: { [-1]: 2 }, 'mmv.app.text': { [-1]: 'two' } });
  });

  it('are seen by the next request when they appear, are removed, renamed and replaced', async () => {
    expect(await mmv.names()).toEqual([]);
    mmv.put('app', count(1));
    expect(await mmv.names()).toEqual([NAME]);
    renameSync(path.join(mmv.directory, 'app'), path.join(mmv.directory, 'web'));
    expect(await mmv.names()).toEqual(['mmv.web.count']);
    mmv.put('web', other(3));
    expect(await mmv.names()).toEqual(['mmv.web.other']);
    mmv.put('new', count(4));
    renameSync(path.join(mmv.directory, 'new'), path.join(mmv.directory, 'web'));
    expect(await mmv.fetch(['mmv.web.count'])).toEqual({ 'mmv.web.count': { [-1]: 4 } });
    mmv.remove('web');
    expect(await mmv.names()).toEqual([]);
    expect(await control('files')).toBe(0);
  });

  it('are seen by the next request when a new generation is written in place', async () => {
    mmv.put('app', count(1));
    expect(await mmv.names()).toEqual([NAME]);
    const { generation } = mmv.source;
    writeFileSync(path.join(mmv.directory, 'app'), buildMmv(other(2)), { flag: 'r+' });
    expect(await mmv.names()).toEqual(['mmv.app.other']);
    expect(mmv.source.generation).toBeGreaterThan(generation);
  });

  it('keep their names while they are being written, without values', async () => {
    mmv.put('app', count(1));
    expect(await control('reload')).toBe(0);
    const inPlace = (file: BuiltMmv): void =>
      writeFileSync(path.join(mmv.directory, 'app'), buildMmv(file), { flag: 'r+' });
    inPlace(other(2, { generation2: 0n }));
    expect(await mmv.fetch([NAME])).toEqual({ [NAME]: {} });
    expect(await control('reload')).toBe(1);
    inPlace(other(2));
    expect(await mmv.names()).toEqual(['mmv.app.other']);
    expect(await mmv.value('mmv.app.other')).toEqual({ [-1]: 2 });
    expect(await control('reload')).toBe(0);
    // Another file of the same name is being written.
    mmv.put('app', count(3, { generation2: 0n }));
    expect(await mmv.fetch(['mmv.app.other'])).toEqual({ 'mmv.app.other': {} });
    expect(mmv.logged).toEqual([]);
  });

  it('have no value when a new layout is written between the request and its read', async () => {
    mmv.put('app', count(1));
    const prepared = await mmv.prepare([NAME]);
    writeFileSync(path.join(mmv.directory, 'app'), buildMmv(other(99)), { flag: 'r+' });
    expect(await mmv.fetchPrepared([NAME], prepared)).toEqual({ [NAME]: {} });
  });

  it('have no value, and no error, when they shrink while they are in use', async () => {
    mmv.put('app', count(1));
    mmv.put('good', count(2));
    const prepared = await mmv.prepare([NAME, 'mmv.good.count']);
    for (const size of [205, 200, 180, 100, 40, 39, 0]) {
      truncateSync(path.join(mmv.directory, 'app'), size);
      const found = await mmv.fetchPrepared([NAME, 'mmv.good.count'], prepared);
      expect(found).toEqual({ [NAME]: {}, 'mmv.good.count': { [-1]: 2 } });
    }
    expect(await mmv.names()).toEqual(['mmv.good.count']);
    expect(mmv.logged).toContainEqual({ file: 'app', reason: expect.stringContaining('0 bytes') });
  });

  it('have the names of another layout when they shrink and grow', async () => {
    const bytes = buildMmv(count(1));
    mmv.put('app', bytes);
    expect(await mmv.value(NAME)).toEqual({ [-1]: 1 });
    truncateSync(path.join(mmv.directory, 'app'), 200);
    // The metric is whole, the value is not.
    expect(await mmv.value(NAME)).toBe(PM_ERR.INST);
    appendFileSync(path.join(mmv.directory, 'app'), bytes.subarray(200));
    expect(await mmv.value(NAME)).toEqual({ [-1]: 1 });
  });

  it('are looked at again when they were refused and are written to', async () => {
    mmv.put('app', Buffer.alloc(50));
    expect(await mmv.names()).toEqual([]);
    expect(await control('refused')).toBe(1);
    writeFileSync(path.join(mmv.directory, 'app'), buildMmv(count(1)));
    expect(await mmv.names()).toEqual([NAME]);
    expect(await control('refused')).toBe(0);
  });

  it('end with their process, and come back with it', async () => {
    mmv.put('app', count(1, { flags: MmvFlag.PROCESS, process: 4711 }));
    alive.add(4711);
    expect(await mmv.value(NAME)).toEqual({ [-1]: 1 });
    alive.delete(4711);
    expect(await mmv.names()).toEqual([]);
    alive.add(4711);
    expect(await mmv.names()).toEqual([NAME]);
    expect(mmv.logged).toEqual([]);
  });

  it('are seen through links, whose targets may change', async () => {
    const target = path.join(mmv.directory, '.target');
    writeFileSync(target, buildMmv(count(1)));
    symlinkSync(target, path.join(mmv.directory, 'app'));
    expect(await mmv.value(NAME)).toEqual({ [-1]: 1 });
    rmSync(target);
    expect(await mmv.names()).toEqual([]);
    writeFileSync(target, buildMmv(other(2)));
    expect(await mmv.names()).toEqual(['mmv.app.other']);
  });

  it('count sections under way in elapsed times', async () => {
    const clock = new FakeClock();
    const startMicros = clock.now().sec * 1e6;
    await mmv.close();
    mmv = new MmvFixture({ clock });
    mmv.put('app', {
      metrics: [
        { name: 'running', type: MmvType.ELAPSED, value: 7_000_000, extra: BigInt(-startMicros) },
        { name: 'stopped', type: MmvType.ELAPSED, value: 5, extra: 3n },
      ],
    });
    clock.advance(2500);
    expect(await mmv.fetch(['mmv.app.running', 'mmv.app.stopped'])).toEqual({
      'mmv.app.running': { [-1]: 9_500_000n },
      'mmv.app.stopped': { [-1]: 5n },
    });
  });

  it('may come before their directory, and go with it', async () => {
    const { directory } = mmv;
    rmSync(directory, { recursive: true });
    await nextTurn();
    await expect(mmv.source.traverse('mmv')).rejects.toThrow();
    expect(await mmv.names()).toEqual([]);
    await nextTurn();
    expect(await mmv.source.traverse('')).toEqual([MAIN_METRIC]);
    mmv.makeDirectory('');
    mmv.put('app', count(1));
    expect(await mmv.names()).toEqual([NAME]);
    chmodSync(directory, 0o700);
    expect(await mmv.names()).toEqual([NAME]);
  });

  it('are looked at once for all that one turn of the event loop asks', async () => {
    mmv.put('app', count(1));
    await mmv.names();
    await nextTurn();
    const generation = lookAt(mmv.source);
    mmv.put('web', count(2));
    expect(lookAt(mmv.source)).toBe(generation);
    await nextTurn();
    expect(lookAt(mmv.source)).toBeGreaterThan(generation);
  });

  it('keep the generation when the directory changes and they do not', async () => {
    mmv.put('app', count(1));
    await mmv.names();
    await nextTurn();
    const { generation } = mmv.source;
    mmv.put('.hidden', count(2));
    expect(await mmv.names()).toEqual([NAME]);
    expect(mmv.source.generation).toBe(generation);
  });

  it('give the instances of a profile', async () => {
    const indom = makeIndom(70, 2049);
    mmv.put('app', {
      indoms: [
        {
          serial: 1,
          instances: rows([0, 'a'], [1, 'b']),
        },
      ],
      metrics: [
        {
          name: 'count',
          serial: 1,
          value: rows([0, 10], [1, 11]),
        },
      ],
    });
    await mmv.names();
    const profile = new InstanceProfile();
    profile.add(indom, [1]);
    expect(await mmv.fetch([NAME, MAIN_METRIC], profile)).toEqual({ [NAME]: { 1: 11 }, [MAIN_METRIC]: { [-1]: 1 } });
    profile.delete(indom);
    expect(await mmv.fetch([NAME], profile)).toEqual({ [NAME]: {} });
  });
});
