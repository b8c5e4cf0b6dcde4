import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { PM_ERR, PmError, type Timestamp } from '../../../../src/pmapi/index.js';
import { ArchiveCatalogue, ArchiveStore } from '../../../../src/sources/archive/node/index.js';
import type { ArchiveSummary, BrokenArchive, LabelledArchive } from '../../../../src/sources/archive/node/index.js';
import { ArchiveBuilder } from '../../../support/archive-builder.js';
import { at, ArchiveBench, disposeOfBenches, stamp } from '../support.js';

afterEach(disposeOfBenches);

const small = (startSec: number): ArchiveBuilder =>
  new ArchiveBuilder({ version: 3, start: stamp(startSec) })
    .metric({ pmid: 1, names: ['t.a'], type: 1, semantics: 3 })
    .record(stamp(startSec), [{ pmid: 1, values: [[-1, 1]] }]);

async function listAll(
  catalogue: ArchiveCatalogue,
  roots: readonly string[],
  signal?: AbortSignal,
): Promise<{ archives: (LabelledArchive & ArchiveSummary)[]; broken: BrokenArchive[] }> {
  const { archives, broken } = await catalogue.list(roots, signal);
  const all = { archives: [] as (LabelledArchive & ArchiveSummary)[], broken: [...broken] };
  for (const archive of archives) {
    try {
      all.archives.push({ ...archive, ...(await catalogue.summarize(archive, signal)) });
    } catch (error) {
      if (!(error instanceof PmError)) throw error;
      all.broken.push({ name: archive.name, error });
    }
  }
  return all;
}

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
  });

  it('tells host, start, end, version, size and metrics; of broken ones the error', async () => {
    writeFileSync(path.join(root, 'broken.meta'), 'nothing');
    writeFileSync(path.join(root, 'broken.0'), 'nothing');
    const other = path.join(bench.directory, 'other');
    mkdirSync(other);
    small(20).write(other, 'c');
    small(30).write(other, 'a');
    const { archives, broken } = await listAll(catalogue, [root, other, '/nowhere']);
    expect(archives.map(({ name, start }) => [name, start])).toEqual([
      ['a', at(0)],
      ['host/b', at(10)],
      ['c', at(20)],
    ]);
    expect(archives[1]).toMatchObject({
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
    expect((await listAll(catalogue, [root])).archives).toHaveLength(52);
    expect(listed).toEqual(['', 'host']);
  });

  it('reads no archive again whose files are as they were', async () => {
    writeFileSync(path.join(root, 'broken.meta'), 'nothing');
    writeFileSync(path.join(root, 'broken.0'), 'nothing');
    const first = await listAll(catalogue, [root]);
    expect(new Set(opened)).toEqual(new Set(['a.0', 'a.meta', 'b.0', 'b.meta', 'broken.meta']));
    opened = [];
    expect(await listAll(catalogue, [root])).toEqual(first);
    expect(opened).toEqual([]);
  });

  it.each([
    ['its size', () => appendFileSync(path.join(root, 'a.0'), Buffer.alloc(32))],
    ['its time', () => utimesSync(path.join(root, 'a.0'), 1, 1)],
    [
      'its place on disk',
      () => {
        small(500).write(root, 'new');
        small(500).write(root, 'a');
      },
    ],
  ])('reads an archive again when a file has changed %s', async (_, change) => {
    await listAll(catalogue, [root]);
    opened = [];
    change();
    await listAll(catalogue, [root]);
    expect(opened).toContain('a.0');
    expect(opened).not.toContain('b.0');
  });

  it('has the start of an archive that was written over another', async () => {
    const startOf = async (): Promise<Timestamp> => (await listAll(catalogue, [root])).archives.at(-1)!.start;
    expect(await startOf()).toEqual(at(10));
    const files = ['meta', '0', 'index'].map((suffix) => path.join(root, 'a.' + suffix));
    const inode = statSync(files[0]!).ino;
    small(500).write(root, 'a');
    for (const file of files) utimesSync(file, 2000, 2000);
    expect([statSync(files[0]!).ino, await startOf()]).toEqual([inode, at(500)]);
  });

  it('reads no more of one that has grown than its end', async () => {
    const { archives } = await listAll(catalogue, [root]);
    const grown = small(0).recordBytes(stamp(7), [{ pmid: 1, values: [[-1, 8]] }]);
    appendFileSync(path.join(root, 'a.0'), grown);
    const before = store.memory.tables.size;
    const again = await listAll(catalogue, [root]);
    expect(again.archives[0]).toMatchObject({
      metrics: 1,
      end: at(7),
      sizeBytes: archives[0]!.sizeBytes + grown.length,
    });
    expect(store.memory.tables.size).toBe(before);
  });

  it.each(['gz', 'xz'])('knows the end of a volume in %s from the index, if that points to its end', async (suffix) => {
    const plain = readFileSync(path.join(root, 'a.0'));
    const index = Buffer.concat([readFileSync(path.join(root, 'a.index')), Buffer.alloc(32)]);
    const entry = index.length - 32;
    index.writeUInt32BE(77, entry);
    index.writeInt32BE(0, entry + 12);
    index.writeBigInt64BE(BigInt(plain.length), entry + 24);
    writeFileSync(path.join(root, 'a.index'), index);
    const packed = suffix === 'gz' ? gzipSync(plain) : spawnSync('xz', ['-c'], { input: plain }).stdout;
    writeFileSync(path.join(root, `a.0.${suffix}`), packed);
    rmSync(path.join(root, 'a.0'));
    const endOf = async (): Promise<Timestamp> => (await listAll(catalogue, [root])).archives[0]!.end;
    expect(await endOf()).toMatchObject({ sec: 77 });
    index.writeBigInt64BE(BigInt(plain.length - 1), entry + 24);
    writeFileSync(path.join(root, 'a.index'), index);
    writeFileSync(path.join(root, `a.0.${suffix}`), packed);
    catalogue = new ArchiveCatalogue(store);
    expect(await endOf()).toEqual(at(0));
  });

  it.each([
    ['cut metadata', 'a.meta', (bytes: Buffer) => bytes.subarray(0, -3), PM_ERR.LOGREC],
    [
      'metadata with a record of no length',
      'a.meta',
      (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(12)]),
      PM_ERR.LOGREC,
    ],
    ['metadata without metrics', 'a.meta', (bytes: Buffer) => bytes.subarray(0, 808), PM_ERR.NODATA],
    ['a volume without records', 'a.0', (bytes: Buffer) => bytes.subarray(0, 808), PM_ERR.NODATA],
  ])('lists an archive with %s as broken', async (_, file, damage, pmErr) => {
    writeFileSync(path.join(root, file), damage(readFileSync(path.join(root, file))));
    const { archives, broken } = await listAll(catalogue, [root]);
    expect(archives.map(({ name }) => name)).toEqual(['host/b']);
    expect(broken).toMatchObject([{ name: 'a', error: { pmErr } }]);
  });

  it('looks again at what could not be read for a reason that may pass', async () => {
    let isBroken = true;
    const failing = new ArchiveStore({
      clock: bench.clock,
      opener: (name) =>
        isBroken ? Promise.reject(Object.assign(new Error('EMFILE'), { code: 'EMFILE' })) : open(name),
    });
    const other = new ArchiveCatalogue(failing);
    expect((await listAll(other, [root])).broken).toMatchObject([{ error: { pmErr: -24 } }, { error: { pmErr: -24 } }]);
    isBroken = false;
    expect((await listAll(other, [root])).broken).toEqual([]);
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
    await expect(listAll(other, [root], gone.signal)).rejects.toThrow('enough');
    const many = opened.length;
    await expect(listAll(other, [root], gone.signal)).rejects.toThrow('enough');
    expect(opened).toHaveLength(many);
    expect(readFileSync(path.join(root, 'a.0')).length).toBeGreaterThan(0);
    await stopping.close();
  });
});
