import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { openNameless, openRegularFile, openerWithin } from '../../../../src/sources/archive/node/open-files.js';
import { ArchiveStore } from '../../../../src/sources/archive/node/index.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

describe('regular file', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'pmgate-regular-'));
  const root = path.join(directory, 'root');
  const inside = path.join(root, 'inside');
  const outside = path.join(directory, 'outside');

  beforeAll(() => {
    mkdirSync(root);
    writeFileSync(inside, 'in');
    writeFileSync(outside, 'out');
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const outcomeOf = async (opening: ReturnType<typeof openRegularFile>): Promise<string> => {
    try {
      const handle = await opening;
      const text = await handle.readFile('utf8');
      await handle.close();
      return text;
    } catch (error) {
      return String((error as NodeJS.ErrnoException).code);
    }
  };

  describe('openRegularFile', () => {
    it('opens files, and neither waits for FIFOs nor opens directories and devices', async () => {
      const fifo = path.join(directory, 'fifo');
      execFileSync('mkfifo', [fifo]);
      const outcomes = [inside, fifo, root, '/dev/null', path.join(root, 'absent')].map((file) =>
        outcomeOf(openRegularFile(file)),
      );
      expect(await Promise.all(outcomes)).toEqual(['in', 'EISDIR', 'EISDIR', 'EISDIR', 'ENOENT']);
    });
  });

  describe('openerWithin', () => {
    const open = openerWithin(() => [path.join(directory, 'absent'), root]);

    it('opens what lies below a directory, by links too', async () => {
      symlinkSync(inside, path.join(directory, 'to-inside'));
      expect(await outcomeOf(open(inside))).toBe('in');
      expect(await outcomeOf(open(path.join(directory, 'to-inside')))).toBe('in');
    });

    it('opens nothing else, whatever the path looks like', async () => {
      const link = path.join(root, 'link');
      symlinkSync(inside, link);
      expect(await outcomeOf(open(link))).toBe('in');
      // What somebody does between our look at a link and our opening it.
      unlinkSync(link);
      symlinkSync(outside, link);
      symlinkSync(directory, path.join(root, 'up'));
      const outcomes = [link, outside, path.join(root, 'up', 'outside'), path.join(root, '..', 'outside')].map((file) =>
        outcomeOf(open(file)),
      );
      expect(await Promise.all(outcomes)).toEqual(['ENOENT', 'ENOENT', 'ENOENT', 'ENOENT']);
    });
  });
});

describe('a file without a name', () => {
  const { path: directory, write } = temporaryDirectory();

  const nameOf = (): string => `pmgate-${randomUUID()}`;

  it('is written and read, and has none', async () => {
    const before = readdirSync(directory);
    const file = await openNameless(directory);
    await file.write('content');
    expect((await file.stat()).size).toBe('content'.length);
    expect(readdirSync(directory)).toEqual(before);
    await file.close();
  });

  it('is removed by the next start when its gateway was killed before it could', async () => {
    const leftover = write(nameOf(), Buffer.alloc(0));
    const another = write(nameOf(), Buffer.alloc(0));
    const others = [
      write(nameOf(), Buffer.from('content')),
      write('pmgate-notes', Buffer.alloc(0)),
      path.join(directory, nameOf()),
      path.join(directory, nameOf()),
    ];
    mkdirSync(others[2]!);
    symlinkSync(others[0]!, others[3]!);
    const store = new ArchiveStore({ clock: new FakeClock(), tempDirectory: directory });
    while (existsSync(leftover) || existsSync(another)) await setImmediate();
    expect(others.map((name) => existsSync(name))).toEqual([true, true, true, true]);
    for (const name of [others[3]!, others[0]!]) unlinkSync(name);
    await store.close();
  });
});
