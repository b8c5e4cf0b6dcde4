import { packTar, type TarHeader } from 'modern-tar';
import { UNPACK_LIMITS, type UnpackLimits } from '../../src/sources/archive/index.js';
import type { GivenFile } from '../../src/viewer/index.js';
import { packedBy } from './packed-by.js';

type Member = Partial<TarHeader> & { readonly name: string; readonly body?: string };

/** What a user opens or drops, and the names that come of it, or what is said of it. */
export interface GivenCase {
  readonly what: string;
  /** Undefined where a program that makes them is not installed. */
  readonly files: () => Promise<readonly (GivenFile | undefined)[]>;
  readonly limits?: UnpackLimits;
  readonly expected: readonly string[] | RegExp;
}

/** A file; a tar of members, compressed as its name says, or some text. */
export async function given(path: string, contents: readonly Member[] | string = 'x'): Promise<GivenFile | undefined> {
  if (typeof contents === 'string') return { path, blob: new Blob([contents]) };
  const tar = await packTar(
    contents.map(({ body = '', ...header }) => ({ header: { size: body.length, ...header }, body })),
  );
  const packed = packedBy(PROGRAMS[/\w+$/.exec(path)![0]] ?? 'cat', tar);
  return packed && { path, blob: new Blob([packed]) };
}

const PROGRAMS: Readonly<Record<string, string>> = { tgz: 'gzip', gz: 'gzip', xz: 'xz', bz2: 'bzip2', zst: 'zstd' };

export const HOST: readonly Member[] = [
  { name: 'pcp/h/20261120.meta', body: 'metadata' },
  { name: 'pcp/h/20261120.0.xz', body: 'samples' },
];
const OTHERS: readonly Member[] = [
  { name: 'etc/passwd', body: 'root' },
  { name: 'var/log/messages.1', body: 'a log that is rotated' },
  { name: 'pcp/dir.0/', type: 'directory' },
  { name: 'pcp/latest.meta', type: 'symlink', linkname: '/etc/passwd' },
  { name: 'pcp/other.meta', type: 'link', linkname: 'etc/passwd' },
];
/** Hard links, also to one another; the last two lead to what comes later, and out. */
export const LINKS: readonly Member[] = [
  { name: 'pcp/h/latest.meta', type: 'link', linkname: './pcp/h/20261120.meta' },
  { name: 'pcp/h/latest.0.xz', type: 'link', linkname: 'pcp/h/20261120.0.xz' },
  { name: 'pcp/h/again.meta', type: 'link', linkname: 'pcp/h/latest.meta' },
  { name: 'pcp/h/early.meta', type: 'link', linkname: 'pcp/h/z.meta' },
  { name: 'pcp/h/out.meta', type: 'link', linkname: '../../etc/passwd' },
];
const TAKEN = ['sos/pcp/h/20261120.meta', 'sos/pcp/h/20261120.0.xz'];

function tarCase(
  what: string,
  members: readonly Member[],
  expected: RegExp,
  limits: Partial<UnpackLimits> = {},
): GivenCase {
  const files = async () => [await given('sos.tar', members)];
  return { what: `a tar with ${what}`, files, limits: { ...UNPACK_LIMITS, ...limits }, expected };
}

/** What comes out of `cat a.gz b.gz`, as programs that compress at many cores write it. */
async function inMembers(name: string, members: readonly Member[]): Promise<GivenFile | undefined> {
  const tar = await given('sos.tar', members);
  const { size } = tar!.blob;
  const parts = [tar!.blob.slice(0, size >> 1), new Blob([]), tar!.blob.slice(size >> 1)];
  const packed = await Promise.all(
    parts.map(async (part) => packedBy('gzip', new Uint8Array(await part.arrayBuffer()))),
  );
  return packed.every((part) => part !== undefined) ? { path: name, blob: new Blob(packed) } : undefined;
}

/** A file cut off at its middle. */
async function half(file: Promise<GivenFile | undefined>): Promise<GivenFile | undefined> {
  const whole = await file;
  return whole && { ...whole, blob: whole.blob.slice(0, whole.blob.size >> 1) };
}

export const GIVEN_CASES: readonly GivenCase[] = [
  ...['sos.tar', 'sos.tgz', 'sos.tar.xz', 'sos.tar.bz2', 'sos.tar.zst'].map((name): GivenCase => ({
    what: `${name}: its archives, and nothing else`,
    files: async () => [await given(name, [...HOST, ...OTHERS])],
    expected: TAKEN,
  })),
  {
    what: 'a tar with a directory of its name',
    files: async () => [await given('web1/sos.tar', [{ name: 'sos/pcp/x.meta' }, { name: 'sos/pcp/x.0' }])],
    expected: ['web1/sos/pcp/x.meta', 'web1/sos/pcp/x.0'],
  },
  {
    what: 'a tar with further names of its files',
    files: async () => [await given('sos.tar', [...HOST, ...LINKS])],
    expected: [...TAKEN, 'sos/pcp/h/latest.meta', 'sos/pcp/h/latest.0.xz', 'sos/pcp/h/again.meta'],
  },
  {
    what: 'a tar in several members of gzip',
    files: async () => [await inMembers('sos.tar.gz', [...HOST, ...OTHERS])],
    expected: TAKEN,
  },
  {
    what: 'a folder with tars of one name: with directories, and apart',
    files: () =>
      Promise.all([
        ...['a/x.meta', 'a/x.0', 'a/pmlogger.log', 'b/x.meta.gz', 'b/x.3', 'messages.1'].map((name) => given(name)),
        given('sos.tar', HOST),
        given('sos.tar.gz', HOST),
      ]),
    expected: [
      ...['a/x.meta', 'a/x.0', 'b/x.meta.gz', 'b/x.3'],
      ...TAKEN,
      ...TAKEN.map((name) => name.replace('sos', 'sos-2')),
    ],
  },
  tarCase(
    'a name that leads out',
    [{ name: '../a.meta' }],
    /^sos\.tar cannot be unpacked: the name "\.\.\/a\.meta" leads/,
  ),
  tarCase('two members of one name', [HOST[0]!, HOST[0]!], /20261120\.meta is there twice/),
  tarCase('two spellings of one name', [{ name: 'a/x.meta' }, { name: './a//x.meta' }], /a\/x\.meta is there twice/),
  tarCase('an endless name', [{ name: `${'d/'.repeat(3000)}a.meta` }], /a name of 6006 characters/),
  tarCase('too many files', HOST, /more than 1 files/, { files: 1 }),
  tarCase('too many bytes', HOST, /exceed 14 bytes/, { bytes: 14 }),
  tarCase('too much else', [...HOST, { name: 'x', body: 'x'.repeat(9e3) }], /more than 9000 b/, { inflatedBytes: 9e3 }),
  tarCase('links alone', OTHERS.slice(3), /^no PCP archive in sos\.tar: expected .*\.tar\.xz.*sos report/),
  tarCase('no metadata', [HOST[1]!], /^sos\/pcp\/h\/20261120\.0\.xz: expected sos\/pcp\/h\/20261120\.meta beside it/),
  ...(
    [
      ['nothing', [], /^no files: expected the files of an archive/],
      ['foreign files', [given('notes.txt'), given('b.png')], /^no PCP archive in notes\.txt and 1 more: expected/],
      ['a volume alone', [given('d/x.0')], /^d\/x\.0: expected d\/x\.meta beside it/],
      ['a file twice', [given('x.meta'), given('x.meta')], /^x\.meta is there twice/],
      ['what is called a tar', [given('x.tar', 'no tar'.repeat(1000))], /^x\.tar cannot be unpacked: /],
      ['what is called gzip', [given('x.tar.gz', 'no gzip')], /^x\.tar\.gz cannot be unpacked: /],
      ['what is called xz', [given('x.tar.xz', 'no xz')], /^x\.tar\.xz cannot be unpacked: /],
      ['what is called xz, and empty', [given('x.tar.xz', '')], /^x\.tar\.xz cannot be unpacked: malformed xz data$/],
      ['what is called zstd', [given('x.tar.zst', 'no zstd')], /^x\.tar\.zst cannot be unpacked: /],
      ['what is called bzip2', [given('x.tar.bz2', 'no bzip2')], /^x\.tar\.bz2 cannot be unpacked: /],
      ...['x.tar', 'x.tar.gz', 'x.tar.xz', 'x.tar.zst', 'x.tar.bz2'].map(
        (name) => [`half of ${name}`, [half(given(name, HOST))], new RegExp(`^${name} cannot be unpacked: `)] as const,
      ),
    ] as const
  ).map(([what, files, expected]): GivenCase => ({ what, files: () => Promise.all(files), expected })),
];
