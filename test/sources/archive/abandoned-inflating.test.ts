import { chmodSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { ArchiveFile } from '../../../src/sources/archive/archive-files.js';
import { Inflater } from '../../../src/sources/archive/decompress.js';
import { DEFAULT_ARCHIVE_LIMITS } from '../../../src/sources/archive/limits.js';
import type { FileOpener } from '../../../src/sources/archive/open-files.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const { path: directory, write } = temporaryDirectory();
const searchPath = process.env.PATH;
afterEach(() => {
  process.env.PATH = searchPath;
});

function inflater(opener?: FileOpener): Inflater {
  return new Inflater(DEFAULT_ARCHIVE_LIMITS, directory, opener);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('inflating that was given up', () => {
  it('keeps nobody waiting, even where its disk does not answer', async () => {
    const hung = new Promise<never>(() => undefined);
    let begun = 0;
    const inflating = inflater((name) => {
      if (name.endsWith('x.gz')) return open(name);
      begun++;
      return hung;
    });
    const gone = new AbortController();
    const names = ['a.gz', 'b.gz', 'c.gz', 'x.gz'].map((name) => write(name, gzipSync(Buffer.from('content'))));
    const file = (i: number): ArchiveFile => ({ path: names[i]!, compression: 'gzip' });
    const left = [0, 1, 2].map((i) => inflating.open(file(i), undefined, gone.signal));
    const waits = inflating.open(file(3));
    while (begun < 2) await setImmediate();
    gone.abort(new Error('gone'));
    for (const opening of left) await expect(opening).rejects.toThrow('gone');
    const plain = await waits;
    expect((await plain.copy!.stat()).size).toBe('content'.length);
    await plain.release();
    expect(inflating.totalBytes).toBe(0);
  });

  it('ends its program', async () => {
    // It would wait for ever.
    const pid = path.join(directory, 'pid');
    const program = write('xz', Buffer.from(`#!/bin/sh\necho $$ > ${pid}\necho begun\nexec sleep 1000\n`));
    chmodSync(program, 0o700);
    process.env.PATH = `${directory}:${searchPath ?? ''}`;
    const inflating = inflater();
    const gone = new AbortController();
    const source = write('x.xz', Buffer.from('x'));
    const opening = inflating.open({ path: source, compression: 'xz' }, undefined, gone.signal);
    while (inflating.totalBytes === 0) await setImmediate();
    gone.abort(new Error('gone'));
    await expect(opening).rejects.toThrow('gone');
    const started = Number(readFileSync(pid, 'utf8'));
    while (isAlive(started) || inflating.totalBytes > 0) await setImmediate();
  });
});
