/** Files that a page is given: what is taken out of them, and what is said of others. */
import { openAsBlob } from 'node:fs';
import path from 'node:path';
import { packTar } from 'modern-tar';
import { UnpackError } from '../../src/sources/archive/index.js';
import { blobFile } from '../../src/viewer/given-files.js';
import { GivenArchives, openGiven, type GivenFile } from '../../src/viewer/index.js';
import { ManualTimers } from '../support/manual-timers.js';
import { packedBy } from './packed-by.js';
import { given, GIVEN_CASES, HOST, LINKS } from './given-cases.js';

describe('openGiven', () => {
  it.each(GIVEN_CASES)('$what', async ({ files, limits, expected }) => {
    const made = await files();
    if (!made.every((file) => file !== undefined)) return;
    const opening = openGiven(made, { limits });
    if (expected instanceof RegExp) {
      await expect(opening).rejects.toThrow(UnpackError);
      await expect(opening).rejects.toThrow(expected);
    } else expect((await opening).map(({ name }) => name)).toEqual(expected);
  });

  it('gives the bytes of the files', async () => {
    const files = await openGiven([(await given('sos.tar.gz', [...HOST, ...LINKS]))!]);
    const texts = await Promise.all(files.map(async (file) => Buffer.from(await file.read(0, 100)).toString()));
    expect(texts).toEqual(['metadata', 'samples', 'metadata', 'samples', 'metadata']);
  });

  it.each(['cat', 'gzip', 'xz'])('opens what a recorded archive becomes in a tar, packed by %s', async (program) => {
    const pieces = ['meta.gz', 'index', '0.xz'].map(async (suffix) => {
      const blob = await openAsBlob(path.resolve(`test/fixtures/archives/packed-v3.${suffix}`));
      return {
        header: { name: `sos/packed.${suffix}`, size: blob.size },
        body: new Uint8Array(await blob.arrayBuffer()),
      };
    });
    // Nobody reads what is behind the end of a tar.
    const tar = Buffer.concat([await packTar(await Promise.all(pieces)), Buffer.alloc(500_000)]);
    const packed = packedBy(program, tar);
    if (!packed) return;
    const suffix = { gzip: '.gz', xz: '.xz' }[program] ?? '';
    const archives = new GivenArchives(await openGiven([{ path: `r.tar${suffix}`, blob: new Blob([packed]) }]));
    expect(archives.names).toEqual(['local:r/sos/packed']);
    const source = await archives.open({ kind: 'archive', archive: 'local:r/sos/packed' });
    expect(await source.traverse('kernel.all')).toContain('kernel.all.load');
  });

  const recorded = async (base: string, directory = '') => {
    const names = ['meta', 'index', '0'].map((suffix) => `${base}.${suffix}`);
    const files = names.map(async (name) => {
      return { path: directory + name, blob: await openAsBlob(path.resolve('test/fixtures/archives', name)) };
    });
    return openGiven(await Promise.all(files));
  };

  it('tells archives apart that have one name, or names that differ in a comma', async () => {
    const archives = new GivenArchives(await recorded('live-v3', 'a,b/'));
    expect(archives.add(await recorded('live-v2', 'a,b/'))).toEqual(['local:a_b/live-v2']);
    expect(archives.add(await recorded('live-v3', 'a_b/'))).toEqual(['local:a_b/live-v3']);
    const shorter = (await recorded('live-v3', 'a_b/')).map((file) =>
      file.name.endsWith('.0') ? { ...file, size: file.size - 4 } : file,
    );
    expect(archives.add(shorter)).toEqual(['local:a_b/live-v3-2']);
    expect(archives.names).toEqual(['local:a_b/live-v3', 'local:a_b/live-v2', 'local:a_b/live-v3-2']);
    for (const archive of archives.names) {
      const source = await archives.open({ kind: 'archive', archive });
      expect(source.label().hostName).toBe('vm');
    }
  });

  it('says which file cannot be inflated', async () => {
    const files = await recorded('live-v3');
    const broken = blobFile('live-v3.0.xz', new Blob(['no xz']));
    const archives = new GivenArchives([...files.filter(({ name }) => !name.endsWith('.0')), broken]);
    const opening = archives.open({ kind: 'archive', archive: 'local:live-v3' });
    await expect(opening).rejects.toThrow('live-v3.0.xz: cannot be inflated beyond 0 bytes');
  });

  it('closes what no context reads any more', async () => {
    let closed = 0;
    const timers = new ManualTimers();
    const files = (await recorded('live-v3')).map((file) => {
      return { ...file, name: file.name, close: () => Promise.resolve(closed++).then(() => undefined) };
    });
    const archives = new GivenArchives(files, { idleMs: 1000 }, timers);
    const spec = { kind: 'archive', archive: 'local:live-v3' } as const;
    const [one, other] = [await archives.open(spec), await archives.open(spec)];
    // That of the temporal index.
    expect(closed).toBe(1);
    await one.close();
    timers.advance(5000);
    expect(closed).toBe(1);
    await other.close();
    timers.advance(999);
    const again = await archives.open(spec);
    timers.advance(5000);
    await again.traverse('kernel');
    expect(closed).toBe(1);
    await again.close();
    timers.advance(1000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toBe(3);
    await (await archives.open(spec)).traverse('kernel');
  });

  it('tells how far it has read', async () => {
    const tars = (await Promise.all([given('a.tar', HOST), given('b.tar', HOST), given('c.meta')])) as GivenFile[];
    const told: unknown[] = [];
    await openGiven(tars, { onProgress: (progress) => told.push(progress) });
    const [size, total] = [tars[0]!.blob.size, tars[0]!.blob.size + tars[1]!.blob.size];
    expect(told).toEqual([{ read: size, total }, { read: total, total }]); // prettier-ignore
  });

  it('reads no further once nobody wants them', async () => {
    const gone = new AbortController();
    const tar = await given('a.tar', [{ name: 'a.meta', body: 'x'.repeat(1e6) }]);
    const reads: number[] = [];
    const opening = openGiven([tar!], {
      signal: gone.signal,
      onProgress: ({ read }) => {
        reads.push(read);
        gone.abort(new Error('gone'));
      },
    });
    await expect(opening).rejects.toThrow('gone');
    expect(reads).toEqual([256 * 1024]);
  });
});
