import { appendFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { PM_ERR } from '../../../src/pmapi/index.js';
import { ArchiveCatalogue, ArchiveStore } from '../../../src/sources/archive/index.js';
import { ArchiveBuilder } from '../../support/archive-builder.js';
import { at, ArchiveBench, stamp } from './support.js';

const small = (startSec: number): ArchiveBuilder =>
  new ArchiveBuilder({ version: 3, start: stamp(startSec) })
    .metric({ pmid: 1, names: ['t.a'], type: 1, semantics: 3 })
    .record(stamp(startSec), [{ pmid: 1, values: [[-1, 1]] }]);

describe('ArchiveCatalogue', () => {
  let bench: ArchiveBench;
  let root: string;
  let store: ArchiveStore;
  let catalogue: ArchiveCatalogue;
  let opened: string[];
  let listed: string[];

  beforeEach(() => {
    bench = new ArchiveBench();
    root = path.join(bench.directory, 'root');
    mkdirSync(path.join(root, 'host'), { recursive: true });
    small(0).write(root, 'a');
    small(10).write(path.join(root, 'host'), 'b');
    opened = [];
    listed = [];
    store = new ArchiveStore({
      clock: bench.clock,
      tempDirectory: bench.directory,
      opener: (name) => {
        opened.push(path.basename(name));
        return open(name);
      },
    });
    catalogue = new ArchiveCatalogue(store, (directory) => {
      listed.push(path.relative(root, directory));
      return readdir(directory, { withFileTypes: true });
    });
  });
  afterEach(async () => {
    await store.close();
    await bench.dispose();
  });

  it('tells host, start, end, version, size and metrics; of broken ones the error', async () => {
    writeFileSync(path.join(root, 'broken.meta'), 'nothing');
    writeFileSync(path.join(root, 'broken.0'), 'nothing');
    const other = path.join(bench.directory, 'other');
    mkdirSync(other);
    small(20).write(other, 'c');
    small(30).write(other, 'a');
    const { archives, broken } = await catalogue.list([root, other, '/nowhere']);
    expect(archives.map(({ name, start }) => [name, start])).toEqual([
      ['a', at(0)],
      ['host/b', at(10)],
      ['c', at(20)],
    ]);
    expect(archives[1]).toEqual({
      name: 'host/b',
      hostName: 'builder.example',
      timezone: 'UTC',
      start: at(10),
      end: at(10),
      version: 3,
      metrics: 1,
      sizeBytes: expect.any(Number) as number,
    });
    expect(broken).toMatchObject([{ name: 'broken', error: { pmErr: PM_ERR.LABEL } }]);
  });

  it('lists each directory once, however many archives it holds', async () => {
    for (let i = 0; i < 50; i++) small(100 + i).write(path.join(root, 'host'), `many${i}`);
    expect((await catalogue.list([root])).archives).toHaveLength(52);
    expect(listed).toEqual(['', 'host']);
  });

  it('reads no archive again whose files are as they were', async () => {
    writeFileSync(path.join(root, 'broken.meta'), 'nothing');
    writeFileSync(path.join(root, 'broken.0'), 'nothing');
    const first = await catalogue.list([root]);
    expect(new Set(opened)).toEqual(new Set(['a.0', 'a.meta', 'a.index', 'b.0', 'b.meta', 'b.index', 'broken.0']));
    opened = [];
    expect(await catalogue.list([root])).toEqual(first);
    expect(opened).toEqual([]);
  });

  it.each([
    ['its size', () => appendFileSync(path.join(root, 'a.index'), Buffer.alloc(32))],
    ['its time', () => utimesSync(path.join(root, 'a.meta'), 1, 1)],
    [
      'its place on disk',
      () => {
        small(500).write(root, 'new');
        small(500).write(root, 'a');
      },
    ],
  ])('reads an archive again when a file has changed %s', async (_, change) => {
    await catalogue.list([root]);
    opened = [];
    change();
    await catalogue.list([root]);
    expect(opened).toEqual(expect.arrayContaining(['a.0', 'a.meta', 'a.index']));
    expect(opened).not.toContain('b.0');
  });

  it('reads no more of one that has grown than its end', async () => {
    const { archives } = await catalogue.list([root]);
    const grown = small(0).recordBytes(stamp(7), [{ pmid: 1, values: [[-1, 8]] }]);
    appendFileSync(path.join(root, 'a.0'), grown);
    const before = store.memory.tables.size;
    const again = await catalogue.list([root]);
    expect(again.archives[0]).toEqual({
      ...archives[0],
      end: at(7),
      sizeBytes: archives[0]!.sizeBytes + grown.length,
    });
    expect(store.memory.tables.size).toBe(before);
  });

  it('looks again at what could not be read for a reason that may pass', async () => {
    let isBroken = true;
    const failing = new ArchiveStore({
      clock: bench.clock,
      opener: (name) =>
        isBroken ? Promise.reject(Object.assign(new Error('EMFILE'), { code: 'EMFILE' })) : open(name),
    });
    const other = new ArchiveCatalogue(failing);
    expect((await other.list([root])).broken).toMatchObject([{ error: { pmErr: -24 } }, { error: { pmErr: -24 } }]);
    isBroken = false;
    expect((await other.list([root])).broken).toEqual([]);
    await failing.close();
  });

  it('stops when the signal says so, and tells no archive as broken for that', async () => {
    const gone = new AbortController();
    const stopping = new ArchiveStore({
      clock: bench.clock,
      opener: (name) => {
        opened.push(path.basename(name));
        gone.abort(new Error('enough'));
        return open(name);
      },
    });
    const other = new ArchiveCatalogue(stopping);
    await expect(other.list([root], gone.signal)).rejects.toThrow('enough');
    expect(opened).toEqual(['a.0']);
    await expect(other.list([root], gone.signal)).rejects.toThrow('enough');
    expect(opened).toHaveLength(1);
    expect(readFileSync(path.join(root, 'a.0')).length).toBeGreaterThan(0);
    await stopping.close();
  });
});
