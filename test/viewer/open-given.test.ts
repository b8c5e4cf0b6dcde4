/** Files that a page is given: what is taken out of them, and what is said of others. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar, type TarHeader } from 'modern-tar';
import { UNPACK_LIMITS, UnpackError } from '../../src/sources/archive/index.js';
import { GivenArchives, openGiven } from '../../src/viewer/index.js';
import { packedBy } from './packed-by.js';

type Member = Partial<TarHeader> & { readonly name: string; readonly body?: string };
type Bytes = Uint8Array<ArrayBuffer>;

const given = (name: string, bytes: Bytes | string = 'x') => ({ path: name, blob: new Blob([bytes]) });
const tarOf = (members: readonly Member[]): Promise<Bytes> =>
  packTar(members.map(({ body = '', ...header }) => ({ header: { size: body.length, ...header }, body })));
const HOST: readonly Member[] = [
  { name: 'pcp/h/20261120.meta', body: 'metadata' },
  { name: 'pcp/h/20261120.0.xz', body: 'samples' },
];
const OTHERS: readonly Member[] = [
  { name: 'etc/passwd', body: 'root' },
  { name: 'var/log/messages.1', body: 'a log that is rotated' },
  { name: 'pcp/dir.0/', type: 'directory' },
  { name: 'pcp/latest.meta', type: 'symlink', linkname: '/etc/passwd' },
];
const TAKEN = ['sos/pcp/h/20261120.meta', 'sos/pcp/h/20261120.0.xz'];

describe('openGiven', () => {
  it.each([
    ['sos.tar', 'cat'],
    ['sos.tgz', 'gzip'],
    ['sos.tar.xz', 'xz'],
    ['sos.tar.bz2', 'bzip2'],
    ['sos.tar.zst', 'zstd'],
  ])('takes the archives out of %s, and nothing else', async (name, program) => {
    const packed = packedBy(program, await tarOf([...HOST, ...OTHERS]));
    if (!packed) return;
    const files = await openGiven([given(name, packed)]);
    expect(files.map((file) => file.name)).toEqual(TAKEN);
    expect(Buffer.from(await files[0]!.read(0, 100)).toString()).toBe('metadata');
  });

  it('takes the files of a folder with their directories, and leaves those of tars apart', async () => {
    const tar = await tarOf(HOST);
    const names = ['a/x.meta', 'a/x.0', 'a/pmlogger.log', 'b/x.meta.gz', 'b/x.3', 'messages.1'];
    const files = await openGiven([
      ...names.map((name) => given(name)),
      given('sos.tar', tar),
      given('sos.tar.gz', Uint8Array.from(gzipSync(tar))),
    ]);
    expect(files.map(({ name }) => name)).toEqual([
      ...['a/x.meta', 'a/x.0', 'b/x.meta.gz', 'b/x.3'],
      ...TAKEN,
      ...TAKEN.map((name) => name.replace('sos', 'sos-2')),
    ]);
  });

  it('opens what a recorded archive becomes in a tar', async () => {
    const pieces = ['meta.gz', 'index', '0.xz'].map((suffix) => {
      const bytes = Uint8Array.from(readFileSync(path.resolve(`test/fixtures/archives/packed-v3.${suffix}`)));
      return { header: { name: `sos/packed.${suffix}`, size: bytes.length }, body: bytes };
    });
    const archives = new GivenArchives(await openGiven([given('r.tar', await packTar(pieces))]));
    expect(archives.names).toEqual(['r/sos/packed']);
    const source = await archives.open({ kind: 'archive', archive: 'r/sos/packed' });
    expect(await source.traverse('kernel.all')).toContain('kernel.all.load');
  });

  it('tells how far it has read', async () => {
    const tars = [given('a.tar', await tarOf(HOST)), given('b.tar', await tarOf(HOST)), given('c.meta')];
    const told: unknown[] = [];
    await openGiven(tars, { onProgress: (progress) => told.push(progress) });
    const [size, total] = [tars[0]!.blob.size, tars[0]!.blob.size + tars[1]!.blob.size];
    expect(told).toEqual([{ read: size, total }, { read: total, total }]); // prettier-ignore
  });

  it('reads no further once nobody wants them', async () => {
    const gone = new AbortController();
    const files = [given('a.tar', await tarOf([{ name: 'a.meta', body: 'x'.repeat(1e6) }]))];
    const reads: number[] = [];
    const opening = openGiven(files, {
      signal: gone.signal,
      onProgress: ({ read }) => {
        reads.push(read);
        gone.abort(new Error('gone'));
      },
    });
    await expect(opening).rejects.toThrow('gone');
    expect(reads).toEqual([256 * 1024]);
  });

  it.each<[string, readonly Member[], Partial<typeof UNPACK_LIMITS>, RegExp]>([
    [
      'a name that leads out',
      [{ name: '../out.meta' }],
      {},
      /sos\.tar cannot be unpacked: the name "\.\.\/out\.meta" leads out/,
    ],
    ['two members of one name', [HOST[0]!, HOST[0]!], {}, /20261120\.meta is there twice/],
    ['two spellings of one name', [{ name: 'a/x.meta' }, { name: './a//x.meta' }], {}, /a\/x\.meta is there twice/],
    ['an endless name', [{ name: `${'d/'.repeat(3000)}a.meta` }], {}, /a name of 6006 characters/],
    ['too many files', HOST, { files: 1 }, /more than 1 files/],
    ['too many bytes', HOST, { bytes: 14 }, /exceed 14 bytes/],
    [
      'too much that is skipped',
      [...HOST, { name: 'x', body: 'x'.repeat(9000) }],
      { inflatedBytes: 9000 },
      /more than 9000 bytes/,
    ],
    ['links alone', [OTHERS[3]!], {}, /no PCP archive in sos\.tar: expected .*\.tar\.xz.*sos report/],
    ['no metadata', [HOST[1]!], {}, /sos\/pcp\/h\/20261120\.0\.xz: expected sos\/pcp\/h\/20261120\.meta beside it/],
  ])('refuses a tar with %s', async (_what, members, limits, message) => {
    const opening = openGiven([given('sos.tar', await tarOf(members))], { limits: { ...UNPACK_LIMITS, ...limits } });
    await expect(opening).rejects.toThrow(UnpackError);
    await expect(opening).rejects.toThrow(message);
  });

  it.each<[string, readonly ReturnType<typeof given>[], RegExp]>([
    ['nothing', [], /^no files: expected the files of an archive/],
    ['a foreign file', [given('notes.txt'), given('b.png')], /^no PCP archive in notes\.txt and 1 more: expected/],
    ['a volume alone', [given('d/x.0')], /^d\/x\.0: expected d\/x\.meta beside it/],
    ['a file twice', [given('x.meta'), given('x.meta')], /^x\.meta is there twice/],
    ['what is called a tar', [given('x.tar', 'no tar'.repeat(1000))], /^x\.tar cannot be unpacked: /],
    ['what is called compressed', [given('x.tar.gz', 'no gzip')], /^x\.tar\.gz cannot be unpacked: /],
    ['what is called bzip2', [given('x.tar.bz2', 'no bzip2')], /^x\.tar\.bz2 cannot be unpacked: /],
    [
      'half a tar',
      [given('x.tar.gz', Uint8Array.from(gzipSync(Buffer.alloc(9000, 1))).slice(0, 30))],
      /^x\.tar\.gz cannot/,
    ],
  ])('says what is wrong with %s', async (_what, files, message) => {
    const opening = openGiven(files);
    await expect(opening).rejects.toThrow(UnpackError);
    await expect(opening).rejects.toThrow(message);
  });
});
