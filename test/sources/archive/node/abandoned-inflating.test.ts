import { recordsOf } from '../../../../src/sources/index.js';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Inflater } from '../../../../src/sources/archive/node/decompress.js';
import { DEFAULT_ARCHIVE_LIMITS } from '../../../../src/sources/archive/archive-memory.js';
import { OpenFiles, type FileOpener } from '../../../../src/sources/archive/node/open-files.js';
import { FetchResult } from '../../../../src/pmapi/index.js';
import { ArchiveStore } from '../../../../src/sources/archive/node/index.js';
import type { ArchiveSource } from '../../../../src/sources/archive/index.js';
import { ArchiveBuilder } from '../../../support/archive-builder.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { at, EVERYTHING, secondsOf, stamp } from '../support.js';

const { path: directory, write } = temporaryDirectory();
const searchPath = process.env.PATH;
afterEach(() => {
  process.env.PATH = searchPath;
});

function inflater(opener?: FileOpener): Inflater {
  return new Inflater(DEFAULT_ARCHIVE_LIMITS, new OpenFiles(10, opener), directory);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** An archive whose second volume is compressed, on a disk that does not answer for it as long as it hangs. */
class HungVolume {
  isHung = true;
  begun = 0;
  readonly store = new ArchiveStore({
    clock: new FakeClock(),
    tempDirectory: directory,
    opener: async (name) => {
      const handle = await open(name);
      if (!name.endsWith('.1.gz')) return handle;
      this.begun++;
      return this.isHung ? Object.assign(handle, { read: () => new Promise(() => undefined) }) : handle;
    },
  });

  open(): Promise<ArchiveSource> {
    const builder = new ArchiveBuilder({ version: 3, start: stamp(0) }).metric({
      pmid: 1,
      names: ['t.gauge'],
      type: 0,
      semantics: 3,
    });
    builder.record(stamp(0), [{ pmid: 1, values: [[-1, 0]] }]).newVolume();
    builder.record(stamp(1), [{ pmid: 1, values: [[-1, 1]] }]).newVolume();
    builder.record(stamp(2), [{ pmid: 1, values: [[-1, 2]] }]);
    const base = builder.write(directory, 'a');
    writeFileSync(`${base}.1.gz`, gzipSync(builder.files().get('1')!));
    rmSync(`${base}.1`, { force: true });
    return this.store.open([base]);
  }
}

const READERS: readonly (readonly [string, (source: ArchiveSource, signal: AbortSignal) => Promise<unknown>])[] = [
  [
    'a range of records',
    async (source, signal) => {
      for await (const { timestamp } of recordsOf(
        source.batches(source.prepare([1]), EVERYTHING, at(0), at(2), { signal }),
      )) {
        expect(timestamp).toEqual(at(0));
      }
    },
  ],
  [
    'a range that begins in the volume',
    (source, signal) => recordsOf(source.batches(source.prepare([1]), EVERYTHING, at(1.5), at(2), { signal })).next(),
  ],
  [
    'an interpolated range',
    async (source, signal) => source.range(source.prepare([1]), EVERYTHING, { signal })(at(0.5), new FetchResult()),
  ],
  ['an estimate', (source, signal) => source.estimate(source.prepare([1]), EVERYTHING, at(0), at(1.5), { signal })],
];

describe('inflating that was given up', () => {
  it.each(READERS)('stops when the client of %s leaves, in a later volume of the archive, too', async (_, read) => {
    const volume = new HungVolume();
    const source = await volume.open();
    const gone = new AbortController();
    const reading = read(source, gone.signal);
    while (volume.begun === 0) await setImmediate();
    gone.abort(new Error('gone'));
    await expect(reading).rejects.toThrow('gone');
    // Nobody would get an answer who had to wait for what was begun.
    volume.isHung = false;
    const seconds: number[] = [];
    for await (const { timestamp } of recordsOf(source.batches(source.prepare([1]), EVERYTHING, at(0), at(2)))) {
      seconds.push(secondsOf(timestamp));
    }
    expect([seconds, volume.begun]).toEqual([[0, 1, 2], 2]);
    await volume.store.close();
  });

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
    const inflate = (i: number, signal?: AbortSignal) => inflating.open(names[i]!, 'gzip', undefined, signal);
    const left = [0, 1, 2].map((i) => inflate(i, gone.signal));
    const waits = inflate(3);
    while (begun < 2) await setImmediate();
    gone.abort(new Error('gone'));
    for (const opening of left) await expect(opening).rejects.toThrow('gone');
    const plain = await waits;
    expect(plain.size).toBe('content'.length);
    await plain.close();
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
    const opening = inflating.open(source, 'xz', undefined, gone.signal);
    while (inflating.totalBytes === 0) await setImmediate();
    gone.abort(new Error('gone'));
    await expect(opening).rejects.toThrow('gone');
    const started = Number(readFileSync(pid, 'utf8'));
    while (isAlive(started) || inflating.totalBytes > 0) await setImmediate();
  });
});
