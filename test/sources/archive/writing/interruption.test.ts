import { copyFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { MetricType } from '../../../../src/pmapi/index.js';
import { ArchiveWriter, fileSystem } from '../../../../src/sources/archive/writing/index.js';
import type { WritableDirectory, WritableFile } from '../../../../src/sources/archive/writing/index.js';
import { ArchiveBuilder } from '../../../support/archive-builder.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { ArchiveBench, disposeOfBenches, at, fetchAll, recordsOf, stamp } from '../support.js';
import { descriptor, filesOf, sample, valueSet } from './support.js';

afterEach(disposeOfBenches);

const INDOM = 0x0f000001;
const LABEL = { pid: 1, hostName: 'host', timezone: 'UTC', zoneinfo: '' };
const metric = descriptor(1, MetricType.U64, { indom: INDOM });

/** A file system that does so many operations and writes so many bytes, and then nothing any more: a process that is killed, or a full disk. */
class FailingFileSystem implements WritableDirectory {
  operations = 0;
  bytes = 0;
  /** Where each write began, in bytes of all writes, and how long it was. */
  readonly #writes: [start: number, length: number][] = [];
  readonly #mostOperations: number;
  readonly #mostBytes: number;

  constructor({ operations = Infinity, bytes = Infinity }: { readonly operations?: number; readonly bytes?: number }) {
    this.#mostOperations = operations;
    this.#mostBytes = bytes;
  }

  async open(name: string, flags: 'w' | 'r+'): Promise<WritableFile> {
    this.#count();
    const file = await fileSystem.open(name, flags);
    return {
      write: async (buffer, offset, length, position) => {
        this.#count();
        const room = this.#mostBytes - this.bytes;
        if (room <= 0) throw new Error('no room');
        const { bytesWritten } = await file.write(buffer, offset, Math.min(length, room), position);
        this.#writes.push([this.bytes, bytesWritten]);
        this.bytes += bytesWritten;
        return { bytesWritten };
      },
      truncate: async (length) => {
        this.#count();
        if (this.bytes >= this.#mostBytes) throw new Error('no room');
        await file.truncate(length);
      },
      datasync: () => file.datasync(),
      // Files are closed whatever happens: the system does that for a process that is killed.
      close: () => file.close(),
    };
  }

  /** Numbers of bytes after which to fail: about every byte at the ends of writes, and some in between. */
  cuts(): number[] {
    return this.#writes.flatMap(([start, length]) => {
      const step = length > 808 ? 101 : 11;
      const between = Array.from({ length: Math.floor(length / step) }, (_, i) => i * step);
      const offsets = [1, 2, 3, 4, 5, ...between, length - 5, length - 4, length - 3, length - 2, length - 1, length];
      return [...new Set(offsets)].map((offset) => start + offset);
    });
  }

  async rename(from: string, to: string): Promise<void> {
    this.#count();
    await fileSystem.rename(from, to);
  }

  #count(): void {
    if (++this.operations > this.#mostOperations) throw new Error('killed');
  }
}

/** Six samples, with instances that come and a rotation; answers which were acknowledged. */
async function writeSamples(writer: ArchiveWriter): Promise<number[]> {
  const acknowledged: number[] = [];
  for (let i = 0; i < 6; i++) {
    try {
      if (i === 3) await writer.rotate();
      const instances = Array.from({ length: 1 + (i >> 1) }, (_, id) => ({ id, name: `name${id}` }));
      writer.describe(metric, ['test.m']);
      writer.instances(INDOM, instances);
      await writer.append(sample(i, [valueSet(metric, [[i >> 1, i]])]));
      acknowledged.push(i);
    } catch {
      break;
    }
  }
  await writer.close().catch(() => undefined);
  return acknowledged;
}

describe('an archive whose writer was interrupted', () => {
  const directory = temporaryDirectory();
  let number = 0;
  const newBase = (): string => path.join(directory.path, `a${++number}`);

  /** Go on behind the interruption and check that every acknowledged sample is there, and at most one that was not. */
  async function checkResumed(base: string, acknowledged: readonly number[]): Promise<void> {
    const bench = new ArchiveBench();
    try {
      const writer = await ArchiveWriter.resume(base).catch(() => undefined);
      if (!writer) {
        expect(acknowledged).toEqual([]);
        return;
      }
      writer.describe(metric, ['test.m']);
      writer.instances(INDOM, [{ id: 9, name: 'new' }]);
      await writer.append(sample(10, [valueSet(metric, [[9, 99]])]));
      await writer.close();
      const source = await bench.open(base);
      const { records, error } = await recordsOf(source);
      expect(error).toMatchObject({ pmErr: -12370 });
      const seconds = records.map(([second]) => second);
      const written = seconds.slice(0, -2);
      expect(written.slice(0, acknowledged.length)).toEqual(acknowledged);
      expect(written.length - acknowledged.length).toBeLessThanOrEqual(1);
      expect(records.slice(-2).map(([, what]) => what)).toEqual(['mark', 1]);
      expect(seconds.at(-1)).toBe(10);
      expect((await source.instances(INDOM, at(10))).instances).toEqual([{ id: 9, name: 'new' }]);
    } finally {
      await bench.dispose();
    }
  }

  it('goes on after any number of operations', async () => {
    const whole = new FailingFileSystem({});
    await writeSamples(ArchiveWriter.create(newBase(), LABEL, whole));
    expect(whole.operations).toBeGreaterThan(15);
    for (let operations = 0; operations <= whole.operations; operations++) {
      const base = newBase();
      const acknowledged = await writeSamples(ArchiveWriter.create(base, LABEL, new FailingFileSystem({ operations })));
      await checkResumed(base, acknowledged);
    }
  });

  it('goes on after any number of bytes', async () => {
    const whole = new FailingFileSystem({});
    await writeSamples(ArchiveWriter.create(newBase(), LABEL, whole));
    for (const bytes of whole.cuts()) {
      const base = newBase();
      const acknowledged = await writeSamples(ArchiveWriter.create(base, LABEL, new FailingFileSystem({ bytes })));
      await checkResumed(base, acknowledged);
    }
  });

  it('is whole again when the call that failed is made again', async () => {
    let isFull = false;
    const base = newBase();
    const sometimes: WritableDirectory = {
      rename: (from, to) => fileSystem.rename(from, to),
      open: async (name, flags) => {
        const file = await fileSystem.open(name, flags);
        return {
          write: async (buffer, offset, length, position) => {
            if (!isFull) return file.write(buffer, offset, length, position);
            await file.write(buffer, offset, Math.ceil(length / 2), position);
            throw new Error('no room');
          },
          truncate: (length) => (isFull ? Promise.reject(new Error('no room')) : file.truncate(length)),
          datasync: () => file.datasync(),
          close: () => file.close(),
        };
      },
    };
    const writer = ArchiveWriter.create(base, LABEL, sometimes);
    for (let i = 0; i < 8; i++) {
      if (i === 4) await writer.rotate();
      isFull = true;
      writer.describe(metric, ['test.m']);
      writer.instances(INDOM, [{ id: i, name: `n${i}` }]);
      const values = sample(i, [valueSet(metric, [[i, i]])]);
      await expect(writer.append(values)).rejects.toThrow('no room');
      isFull = false;
      await writer.append(values);
    }
    await writer.close();
    const bench = new ArchiveBench();
    const source = await bench.open(base);
    const { fetches } = await fetchAll(source, [1]);
    expect(fetches).toEqual(Array.from({ length: 8 }, (_, i) => [i, { [i]: BigInt(i) }]));
    expect(filesOf(base).get('0')!.length).toBe(808 + 4 * 56);
    await bench.dispose();
  });

  it('is cut before zeros, as a power failure leaves them', async () => {
    const base = newBase();
    const acknowledged = await writeSamples(ArchiveWriter.create(base, LABEL));
    for (const suffix of ['meta', '1', 'index']) {
      const file = `${base}.${suffix}`;
      writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.alloc(100)]));
    }
    await checkResumed(base, acknowledged);
  });

  it('is left as it is when it is damaged before its end, compressed, of version 2 or of somebody else', async () => {
    const base = newBase();
    await writeSamples(ArchiveWriter.create(base, LABEL));
    const spoiled = (suffix: string, spoil: (bytes: Buffer) => Buffer): string => {
      const copy = newBase();
      for (const [name, bytes] of filesOf(base)) {
        writeFileSync(`${copy}.${name}`, name === suffix ? spoil(Buffer.from(bytes)) : bytes);
      }
      return copy;
    };
    const withByte = (offset: number) => (bytes: Buffer) => {
      bytes[offset] = bytes[offset]! ^ 0x40;
      return bytes;
    };
    const version2 = new ArchiveBuilder({ version: 2, start: stamp(0) });
    version2
      .metric({ pmid: 1, names: ['a'], type: 1, semantics: 1 })
      .record(stamp(0), [{ pmid: 1, values: [[-1, 1]] }]);
    const compressed = spoiled('', (bytes) => bytes);
    copyFileSync(`${compressed}.1`, `${compressed}.2.gz`);
    const cases = [
      [spoiled('meta', withByte(811)), 'meta is damaged at offset 808'],
      [spoiled('1', withByte(808 + 16)), '.1 is damaged at offset 808'],
      [spoiled('1', withByte(40)), '.1 is of another archive'],
      [spoiled('1', withByte(27)), 'has the label of volume'],
      [spoiled('index', withByte(40)), 'index is of another archive'],
      [spoiled('1', (bytes) => bytes.subarray(0, 808)), '.1 has no record'],
      [compressed, '.2.gz is compressed'],
      [version2.write(directory.path, 'v2'), 'is a version 2 archive'],
    ] as const;
    for (const [name, message] of cases) {
      const before = filesOf(name);
      await expect(ArchiveWriter.resume(name)).rejects.toThrow(message);
      expect(filesOf(name)).toEqual(before);
    }
  });

  it('gets a new temporal index when it has lost its own', async () => {
    const base = newBase();
    const acknowledged = await writeSamples(ArchiveWriter.create(base, LABEL));
    truncateSync(`${base}.index`, 808);
    await checkResumed(base, acknowledged);
    expect(
      readdirSync(directory.path).filter((name) => name.endsWith('.new') && name.startsWith(path.basename(base))),
    ).toEqual([]);
  });
});
