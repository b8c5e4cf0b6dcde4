import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { ArchiveStore } from '../../../../src/sources/archive/index.js';
import { openNameless } from '../../../../src/sources/archive/files/nameless-file.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

const { path: directory, write } = temporaryDirectory();

const nameOf = (): string => `pmgate-${randomUUID()}`;

describe('a file without a name', () => {
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
