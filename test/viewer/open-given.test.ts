/** Files that a page is given: what is taken out of them, and what is said of others. */
import { openAsBlob } from 'node:fs';
import path from 'node:path';
import { packTar } from 'modern-tar';
import { UnpackError } from '../../src/sources/archive/index.js';
import { GivenArchives, openGiven, type GivenFile } from '../../src/viewer/index.js';
import { given, GIVEN_CASES, HOST } from './given-cases.js';

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
    const [file] = await openGiven([(await given('sos.tar.gz', HOST))!]);
    expect(Buffer.from(await file!.read(0, 100)).toString()).toBe('metadata');
  });

  it('opens what a recorded archive becomes in a tar', async () => {
    const pieces = ['meta.gz', 'index', '0.xz'].map(async (suffix) => {
      const blob = await openAsBlob(path.resolve(`test/fixtures/archives/packed-v3.${suffix}`));
      return {
        header: { name: `sos/packed.${suffix}`, size: blob.size },
        body: new Uint8Array(await blob.arrayBuffer()),
      };
    });
    const tar = await packTar(await Promise.all(pieces));
    const archives = new GivenArchives(await openGiven([{ path: 'r.tar', blob: new Blob([tar]) }]));
    expect(archives.names).toEqual(['local:r/sos/packed']);
    const source = await archives.open({ kind: 'archive', archive: 'local:r/sos/packed' });
    expect(await source.traverse('kernel.all')).toContain('kernel.all.load');
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
