/** `pmgate TAR`: what is taken out of a tar, and what is refused. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { type TarHeader, packTar } from 'modern-tar';
import { temporaryDirectory, unpackArchives } from '../../src/cli/unpack.js';
import { isTar, UNPACK_LIMITS } from '../../src/sources/archive/index.js';

type Member = Partial<TarHeader> & { readonly name: string; readonly body?: string };

describe('unpackArchives', () => {
  let directory: string;
  let target: string;
  beforeEach(() => {
    directory = mkdtempSync(path.join(os.tmpdir(), 'unpack-test-'));
    target = path.join(directory, 'target');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const tarOf = async (members: readonly Member[], name = 'a.tar', pack = (bytes: Uint8Array) => bytes) => {
    const entries = members.map(({ body = '', ...header }) => ({ header: { size: body.length, ...header }, body }));
    const file = path.join(directory, name);
    writeFileSync(file, pack(await packTar(entries)));
    return file;
  };
  const GOOD: readonly Member[] = [
    { name: 'sos/pcp/h/20261120.meta', body: 'metadata' },
    { name: 'sos/pcp/h/20261120.0.xz', body: 'samples' },
  ];
  const written = (): readonly string[] =>
    readdirSync(target, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [] : [path.relative(target, path.join(entry.parentPath, entry.name))],
    );

  it.each([
    ['a.tar', (bytes: Uint8Array) => bytes],
    ['a.tgz', (bytes: Uint8Array) => gzipSync(bytes)],
    ['a.tar.xz', (bytes: Uint8Array) => execFileSync('xz', { input: bytes })],
  ])('takes the archives out of %s, and nothing else', async (name, pack) => {
    const others = [
      { name: 'sos/etc/passwd', body: 'root' },
      { name: 'sos/var/log/messages.1', body: 'a log that is rotated' },
      { name: 'sos/pcp/dir.0/', type: 'directory' as const },
    ];
    const tar = await tarOf([...GOOD, ...others], name, pack);
    expect(await unpackArchives(tar, target)).toMatchObject({ files: 2, bytes: 15, refused: 0 });
    expect([...written()].sort()).toEqual(['sos/pcp/h/20261120.0.xz', 'sos/pcp/h/20261120.meta']);
    expect(readFileSync(path.join(target, 'sos/pcp/h/20261120.meta'), 'utf8')).toBe('metadata');
  });

  it('leaves links out, and counts them', async () => {
    const links = ['symlink', 'link'].map((type, i) => ({
      name: `sos/${i}.meta`,
      type: type as 'symlink' | 'link',
      linkname: '/etc/passwd',
    }));
    expect(await unpackArchives(await tarOf([...links, ...GOOD]), target)).toMatchObject({ files: 2, refused: 2 });
    expect(written()).toHaveLength(2);
  });

  it('makes further names of files that it took', async () => {
    const link = (name: string, linkname: string) => ({ name, type: 'link' as const, linkname });
    const links = [link('b.meta', './sos/pcp/h/20261120.meta'), link('b.0.xz', 'sos/pcp/h/20261120.0.xz')];
    const others = [link('c.meta', 'b.1'), link('d.meta', '../outside')];
    writeFileSync(path.join(directory, 'outside'), 'secret');
    const tar = await tarOf([...GOOD, ...links, ...others]);
    expect(await unpackArchives(tar, target)).toMatchObject({ files: 4, bytes: 15, refused: 2 });
    expect([...written()].sort()).toEqual(['b.0.xz', 'b.meta', 'sos/pcp/h/20261120.0.xz', 'sos/pcp/h/20261120.meta']);
    expect(readFileSync(path.join(target, 'b.meta'), 'utf8')).toBe('metadata');
  });

  it.each(['../out.meta', '/abs.meta', 'a/../../out.meta'])('refuses the name %s', async (name) => {
    const tar = await tarOf([{ name, body: 'x' }]);
    await expect(unpackArchives(tar, target)).rejects.toThrow(/leads out of it/);
    expect(existsSync(path.join(directory, 'out.meta'))).toBe(false);
  });

  it('does not write through a name that is there twice', async () => {
    await expect(unpackArchives(await tarOf([GOOD[0]!, GOOD[0]!]), target)).rejects.toThrow(/is there twice/);
  });

  it.each([
    [{ files: 1 }, 'more than 1 files'],
    [{ bytes: 10 }, 'exceed 10 bytes'],
    [{ inflatedBytes: 1000 }, 'inflates to more than 1000 bytes'],
  ])('keeps the limits %j', async (limits, message) => {
    const tar = await tarOf(GOOD, 'a.tar.gz', gzipSync);
    await expect(unpackArchives(tar, target, { ...UNPACK_LIMITS, ...limits })).rejects.toThrow(message);
  });

  it('says that a tar is damaged', async () => {
    const tar = await tarOf(GOOD, 'a.tar.gz', (bytes) => gzipSync(bytes).subarray(0, 60));
    await expect(unpackArchives(tar, target)).rejects.toThrow(/a\.tar\.gz cannot be unpacked/);
  });
});

describe('temporary directories', () => {
  it('of processes that were killed are removed by the next', async () => {
    const parent = mkdtempSync(path.join(os.tmpdir(), 'unpack-test-'));
    const ended = Number(execFileSync(process.execPath, ['--print', 'process.pid'], { encoding: 'utf8' }));
    mkdirSync(path.join(parent, `pmgate-open-${ended}-abc`));
    mkdirSync(path.join(parent, `pmgate-open-${process.ppid}-abc`));
    const own = await temporaryDirectory(parent);
    expect(readdirSync(parent).sort()).toEqual([`pmgate-open-${process.ppid}-abc`, path.basename(own)].sort());
    rmSync(parent, { recursive: true });
  });

  it('are for tars', () => {
    expect(['sosreport-h.tar.xz', 'a.tgz', 'a.tar'].every(isTar)).toBe(true);
    expect(['20261120.0.xz', 'tar', 'a.tar.meta'].some(isTar)).toBe(false);
  });
});
