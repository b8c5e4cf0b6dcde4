import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { ArchiveCatalogue, openerWithin, resolveArchivePath } from '../../../../src/sources/archive/node/index.js';
import { ArchiveBuilder } from '../../../support/archive-builder.js';
import { ArchiveBench, disposeOfBenches, stamp } from '../support.js';

afterEach(disposeOfBenches);

const small = (startSec: number): ArchiveBuilder =>
  new ArchiveBuilder({ version: 3, start: stamp(startSec) })
    .metric({ pmid: 1, names: ['t.a'], type: 1, semantics: 3 })
    .record(stamp(startSec), [{ pmid: 1, values: [[-1, 1]] }]);

describe('archives below roots', () => {
  let bench: ArchiveBench;
  let root: string;
  let other: string;

  beforeEach(() => {
    bench = new ArchiveBench();
    root = path.join(bench.directory, 'root');
    other = path.join(bench.directory, 'other');
    mkdirSync(path.join(root, 'host'), { recursive: true });
    mkdirSync(other);
    small(0).write(root, 'a');
    small(10).write(path.join(root, 'host'), 'b');
    small(20).write(other, 'c');
  });

  it('are found by base name, by a file, in folders, in lists and in any root', async () => {
    const roots = [root, other];
    expect(await resolveArchivePath(roots, 'a')).toEqual([path.join(root, 'a')]);
    expect(await resolveArchivePath(roots, 'a.meta')).toEqual([path.join(root, 'a.meta')]);
    expect(await resolveArchivePath(roots, 'host/b')).toEqual([path.join(root, 'host', 'b')]);
    expect(await resolveArchivePath(roots, 'host')).toEqual([path.join(root, 'host')]);
    expect(await resolveArchivePath(roots, 'a, c')).toEqual([path.join(root, 'a'), path.join(other, 'c')]);
  });

  it.each(['../other/c', 'host/../../other/c', '/etc/passwd', 'missing', 'host/missing', '..', 'a/../../other/c'])(
    'refuses %s as if it were not there',
    async (name) => {
      await expect(resolveArchivePath([root], name)).rejects.toMatchObject({ code: 'UNKNOWN_ARCHIVE' });
    },
  );

  it('refuses absolute paths even to what a root holds', async () => {
    await expect(resolveArchivePath([root], path.join(root, 'a'))).rejects.toMatchObject({ code: 'UNKNOWN_ARCHIVE' });
  });

  it.each([
    ['a\0b', 'NUL'],
    ['', 'empty'],
    ['a,,b', 'empty'],
    ['x'.repeat(5000), 'longer'],
  ])('says what is wrong with the name %j', async (name, why) => {
    await expect(resolveArchivePath([root], name)).rejects.toMatchObject({
      code: 'BAD_PARAMETER',
      message: expect.stringContaining(why) as string,
    });
  });

  it('follows no link to the outside: of a folder, of a file, of a folder on the way', async () => {
    symlinkSync(other, path.join(root, 'linked'));
    for (const suffix of ['meta', 'index', '0'])
      symlinkSync(path.join(other, `c.${suffix}`), path.join(root, `d.${suffix}`));
    small(30).write(root, 'e');
    symlinkSync(path.join(other, 'c.0'), path.join(root, 'e.1'));
    for (const name of ['linked', 'linked/c', 'd', 'd.meta', 'e', 'e.1']) {
      await expect(resolveArchivePath([root], name)).rejects.toMatchObject({ code: 'UNKNOWN_ARCHIVE' });
    }
    const { archives } = await new ArchiveCatalogue(bench.store).list([root]);
    expect(archives.map(({ name }) => name).sort()).toEqual(['a', 'host/b']);
  });

  it('may be roots themselves, without those beside them', async () => {
    small(40).write(root, 'a.2');
    const roots = [path.join(root, 'a')];
    for (const name of ['a', 'a.meta']) expect(await resolveArchivePath(roots, name)).toEqual(roots);
    for (const name of ['a.2', 'a.2.meta', 'host', 'host/b', '.', 'missing']) {
      await expect(resolveArchivePath(roots, name)).rejects.toMatchObject({ code: 'UNKNOWN_ARCHIVE' });
    }
    const { archives } = await new ArchiveCatalogue(bench.store).list(roots);
    expect(archives.map(({ name }) => name)).toEqual(['a']);
    const open = openerWithin(() => roots);
    await (await open(path.join(root, 'a.0'))).close();
    await expect(open(path.join(root, 'a.2.0'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await resolveArchivePath([root], '.')).toEqual([root]);
  });

  it('follows no link out of a directory to an archive of its name beside it', async () => {
    small(50).write(path.dirname(root), path.basename(root));
    for (const suffix of ['meta', 'index', '0']) symlinkSync(`${root}.${suffix}`, path.join(root, `f.${suffix}`));
    await expect(resolveArchivePath([root], 'f')).rejects.toMatchObject({ code: 'UNKNOWN_ARCHIVE' });
    await expect(openerWithin(() => [root])(path.join(root, 'f.0'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('allows links that stay inside', async () => {
    symlinkSync(path.join(root, 'host'), path.join(root, 'inside'));
    expect(await resolveArchivePath([root], 'inside/b')).toEqual([path.join(root, 'host', 'b')]);
  });
});
