import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { PM_ERR } from '../../../../src/pmapi/index.js';
import { ArchiveStore } from '../../../../src/sources/archive/node/index.js';
import type { BlockFile } from '../../../../src/sources/archive/files/block-file.js';
import { ArchiveBuilder } from '../../../support/archive-builder.js';
import { ArchiveBench, disposeOfBenches, fetchAll, stamp } from '../support.js';

afterEach(disposeOfBenches);

const PMID = 1;
const small = (records = 3, first = 0): ArchiveBuilder => {
  const builder = new ArchiveBuilder({ version: 3, start: stamp(first) });
  builder.metric({ pmid: PMID, names: ['t.a'], type: 1, semantics: 3 });
  for (let i = first; i < first + records; i++) builder.record(stamp(i), [{ pmid: PMID, values: [[-1, i]] }]);
  return builder;
};

function compress(base: string, suffixes: readonly string[]): void {
  for (const suffix of suffixes) {
    writeFileSync(`${base}.${suffix}.gz`, gzipSync(readFileSync(`${base}.${suffix}`)));
    unlinkSync(`${base}.${suffix}`);
  }
}

/** An open archive with files whose handles are closed: the store keeps one. */
async function withClosedHandles(): Promise<{ bench: ArchiveBench; base: string; volume: BlockFile; meta: BlockFile }> {
  const bench = new ArchiveBench({ openFiles: 1 });
  const base = small().write(bench.directory, 'a');
  const member = (await bench.open(base)).opened.members[0]!;
  await bench.open(small().write(bench.directory, 'b'));
  return { bench, base, volume: member.peekVolume(0)!.file, meta: member.meta };
}

describe('ArchiveStore', () => {
  it('shares an archive between sources, and closes it when nobody has used it for a while', async () => {
    const bench = new ArchiveBench({ idleMs: 1000 });
    const base = small().write(bench.directory, 'a');
    const [first, second] = [await bench.open(base), await bench.open(`${base}.meta`)];
    expect(second.opened === first.opened).toBe(true);
    await first.close();
    bench.clock.advance(5000);
    await bench.store.sweep();
    expect(bench.store.openCount).toBe(1);
    await second.close();
    await second.close();
    await bench.store.sweep();
    expect(bench.store.openCount).toBe(1);
    bench.clock.advance(1000);
    await bench.store.sweep();
    expect(bench.store.openCount).toBe(0);
    await expect(first.traverse('')).rejects.toMatchObject({ pmErr: PM_ERR.NOCONTEXT });
  });

  it('does not keep an archive that could not be opened', async () => {
    const bench = new ArchiveBench();
    const base = small().write(bench.directory, 'a');
    const label = readFileSync(`${base}.0`);
    writeFileSync(`${base}.0`, 'rubbish');
    await expect(bench.open(base)).rejects.toMatchObject({ pmErr: PM_ERR.LABEL });
    writeFileSync(`${base}.0`, label);
    expect((await fetchAll(await bench.open(base), [PMID])).fetches).toHaveLength(3);
  });

  it('keeps a few archives open that nobody uses, those that were used last', async () => {
    const bench = new ArchiveBench({ idleArchives: 2 });
    const bases = ['a', 'b', 'c', 'd'].map((name) => small().write(bench.directory, name));
    const held = await bench.open(bases[0]!);
    for (const base of bases) {
      bench.clock.advance(1);
      await (await bench.open(base)).close();
    }
    await bench.store.sweep();
    expect(bench.store.openCount).toBe(3);
    const archives = new Set<unknown>();
    for (const base of [bases[0]!, bases[2]!, bases[3]!]) {
      const source = await bench.open(base);
      archives.add(source.opened);
      await source.close();
    }
    expect(bench.store.openCount).toBe(3);
    expect(archives.has(held.opened)).toBe(true);
    expect((await fetchAll(held, [PMID])).fetches).toHaveLength(3);
  });

  it('opens so many at once, counting those that are read as one, and more when some are let go of', async () => {
    const bench = new ArchiveBench({ archivesInUse: 2 });
    const bases = ['a', 'b', 'c'].map((name, i) => small(3, 10 * i).write(bench.directory, name));
    const open = (paths: readonly string[]) => bench.store.open(paths);
    const first = await open([bases[0]!]);
    const again = await open([bases[0]!]);
    await expect(open([bases[1]!, bases[2]!])).rejects.toMatchObject({ code: 'OVERLOADED' });
    await expect(open(bases)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    const second = await open([bases[1]!]);
    await second.close();
    await first.close();
    await expect(open([bases[1]!, bases[2]!])).rejects.toMatchObject({ code: 'OVERLOADED' });
    await again.close();
    await (await open([bases[1]!, bases[2]!])).close();
  });

  describe('opening an archive', () => {
    /** A store that tells how often it read, and does something at the `n`th read of an index. */
    async function storeThatReads(
      atIndexRead: (n: number) => void,
    ): Promise<{ bench: ArchiveBench; store: ArchiveStore; base: string; reads: () => number }> {
      const bench = new ArchiveBench();
      const base = small().write(bench.directory, 'a');
      truncateSync(`${base}.index`, 32 * 2 ** 20);
      let reads = 0;
      const store = new ArchiveStore({
        clock: bench.clock,
        opener: async (name) => {
          const handle = await open(name);
          if (!name.endsWith('.index')) return handle;
          const read = handle.read.bind(handle) as (...args: unknown[]) => Promise<{ bytesRead: number }>;
          return Object.assign(handle, {
            read: (...args: unknown[]) => {
              atIndexRead(++reads);
              return read(...args);
            },
          });
        },
      });
      return { bench, store, base, reads: () => reads };
    }

    it('is given up, read by read, when all who waited have left', async () => {
      const [one, other] = [new AbortController(), new AbortController()];
      const { store, base, reads } = await storeThatReads((n) => {
        if (n === 3) one.abort(new Error('one has left'));
        if (n === 6) other.abort(new Error('the other has left'));
      });
      const [first, second] = [store.open([base], one.signal), store.open([base], other.signal)];
      await expect(first).rejects.toThrow('one has left');
      expect(store.openCount).toBe(1);
      await expect(second).rejects.toThrow('the other has left');
      expect(store.openCount).toBe(0);
      await store.close();
      // Some 500 would be the whole index.
      expect(reads()).toBeLessThan(10);
      // Who comes later begins anew.
      const source = await store.open([base]);
      expect(reads()).toBeGreaterThan(500);
      await source.close();
      await store.close();
    });

    it('goes on for who stays', async () => {
      const gone = new AbortController();
      const { store, base, reads } = await storeThatReads((n) => {
        if (n === 3) gone.abort(new Error('gone'));
      });
      const [left, stays] = [store.open([base], gone.signal), store.open([base])];
      await expect(left).rejects.toThrow('gone');
      expect((await fetchAll(await stays, [PMID])).fetches).toHaveLength(3);
      const once = reads();
      await expect(store.open([base], gone.signal)).rejects.toThrow('gone');
      await (await store.open([base])).close();
      expect(reads()).toBe(once);
      await store.close();
    });

    it('is given up when the store is closed', async () => {
      let close = (): void => undefined;
      const { store, base, reads } = await storeThatReads((n) => {
        if (n === 3) close();
      });
      close = () => {
        store.close().catch(() => undefined);
      };
      await expect(store.open([base])).rejects.toMatchObject({ pmErr: PM_ERR.NOCONTEXT });
      expect(reads()).toBeLessThan(10);
    });

    it('is given up in the middle of metadata, too', async () => {
      const bench = new ArchiveBench();
      const builder = small();
      for (let i = 2; i < 60_000; i++) builder.metric({ pmid: i, names: [`t.m${i}`], type: 1, semantics: 3 });
      const base = builder.write(bench.directory, 'a');
      const gone = new AbortController();
      let reads = 0;
      const store = new ArchiveStore({
        clock: bench.clock,
        opener: async (name) => {
          const handle = await open(name);
          const read = handle.read.bind(handle) as (...args: unknown[]) => Promise<{ bytesRead: number }>;
          if (!name.endsWith('.meta')) return handle;
          return Object.assign(handle, {
            read: (...args: unknown[]) => {
              if (++reads === 2) gone.abort(new Error('gone'));
              return read(...args);
            },
          });
        },
      });
      await expect(store.open([base], gone.signal)).rejects.toThrow('gone');
      await store.close();
      expect(reads).toBe(2);
    });
  });

  it('keeps nothing in memory once no archive is open', async () => {
    const bench = new ArchiveBench({ idleMs: 0 });
    const base = small().write(bench.directory, 'a');
    const source = await bench.open(base);
    await fetchAll(source, [PMID]);
    const { blocks, columns, tables } = bench.store.memory;
    const files = bench.store.files.opened;
    const kept = (): readonly number[] => [blocks.bytes, columns.size, files.size, tables.size];
    for (const count of kept()) expect(count).toBeGreaterThan(0);
    await source.close();
    await bench.store.sweep();
    expect(kept()).toEqual([0, 0, 0, 0]);
  });

  it('finds a volume that was compressed while the archive was open', async () => {
    const bench = new ArchiveBench();
    const builder = small();
    for (let volume = 1; volume < 3; volume++) {
      builder.newVolume().record(stamp(10 * volume), [{ pmid: PMID, values: [[-1, 10 * volume]] }]);
    }
    const base = builder.write(bench.directory, 'a');
    const source = await bench.open(base);
    // pmlogger_daily(1) compresses yesterday's archive.
    compress(base, ['0', '1', '2']);
    expect((await fetchAll(source, [PMID])).fetches.map(([second]) => second)).toEqual([0, 1, 2, 10, 20]);
    const later = await bench.open(base);
    expect(later.opened === source.opened).toBe(false);
    expect((await fetchAll(later, [PMID])).fetches).toHaveLength(5);
  });

  it('reads on in files that were compressed after their handles were closed', async () => {
    const { base, volume, meta } = await withClosedHandles();
    const [first, described] = [await volume.readExact(808, 40), await meta.readExact(808, 40)];
    compress(base, ['0', 'meta']);
    const reads = [volume.readExact(808, 40), volume.readExact(808, 40), meta.readExact(808, 40)];
    expect(await Promise.all(reads)).toEqual([first, first, described]);
  });

  it('does not take a file of another archive for the compressed copy of one', async () => {
    const { base, volume } = await withClosedHandles();
    const bytes = readFileSync(`${base}.0`);
    // The number of the process that wrote it.
    bytes.writeInt32BE(4712, 8);
    writeFileSync(`${base}.0.gz`, gzipSync(bytes));
    unlinkSync(`${base}.0`);
    await expect(volume.readExact(808, 40)).rejects.toMatchObject({ pmErr: PM_ERR.LABEL });
  });

  it('opens an archive whose volume is compressed between listing and opening it', async () => {
    const bench = new ArchiveBench();
    const base = small().write(bench.directory, 'a');
    const located = await bench.store.locate([base]);
    compress(base, ['0']);
    const source = await bench.store.open(located);
    expect((await fetchAll(source, [PMID])).fetches).toHaveLength(3);
  });

  it('bounds how many archives one context may have', async () => {
    const bench = new ArchiveBench({ members: 1 });
    small().write(bench.directory, 'a');
    small().write(bench.directory, 'b');
    await expect(bench.open(bench.directory)).rejects.toMatchObject({ pmErr: PM_ERR.TOOBIG });
  });
});

describe('inflated files', () => {
  const PROGRAMS = [
    ['xz', ['xz', '-c']],
    ['lzma', ['xz', '--format=lzma', '-c']],
    ['bz2', ['bzip2', '-c']],
    ['zst', ['zstd', '-q', '-c']],
    ['gz', ['gzip', '-c']],
  ] as const;

  it.each(PROGRAMS)('of .%s are read like plain ones', async (suffix, [program, ...args]) => {
    const bench = new ArchiveBench();
    const base = small().write(bench.directory, 'a');
    for (const piece of ['meta', '0']) {
      let packed: Buffer;
      try {
        packed = execFileSync(program, args, { input: readFileSync(`${base}.${piece}`) });
      } catch {
        process.stderr.write(`inflated files: SKIPPED .${suffix}, ${program} is not installed\n`);
        await bench.dispose();
        return;
      }
      writeFileSync(path.join(bench.directory, `z.${piece}.${suffix}`), packed);
    }
    const source = await bench.open(path.join(bench.directory, 'z'));
    expect((await fetchAll(source, [PMID])).fetches).toHaveLength(3);
  });

  it.each([
    ['xz', ['xz', '-c']],
    ['bz2', ['bzip2', '-c']],
    ['zst', ['zstd', '-q', '-c']],
  ] as const)('of .%s are read without the programs for it, too', async (suffix, [program, ...args]) => {
    const bench = new ArchiveBench();
    const base = small().write(bench.directory, 'a');
    const plain = readFileSync(`${base}.0`);
    const searchPath = process.env.PATH;
    try {
      try {
        writeFileSync(`${base}.0.${suffix}`, execFileSync(program, args, { input: plain }));
      } catch {
        process.stderr.write(`inflated files: SKIPPED .${suffix}, ${program} is not installed\n`);
        return;
      }
      unlinkSync(`${base}.0`);
      process.env.PATH = '/nowhere';
      expect((await fetchAll(await bench.open(base), [PMID])).fetches).toHaveLength(3);
    } finally {
      process.env.PATH = searchPath;
      await bench.dispose();
    }
  });

  it('are copied once for all, and gone with the last user', async () => {
    const bench = new ArchiveBench({ idleMs: 0 });
    const base = small().write(bench.directory, 'a');
    for (const piece of ['meta', '0']) {
      writeFileSync(path.join(bench.directory, `z.${piece}.gz`), gzipSync(readFileSync(`${base}.${piece}`)));
    }
    const source = await bench.open(path.join(bench.directory, 'z'));
    const sizes = ['meta', '0'].map((piece) => statSync(`${base}.${piece}`).size);
    expect(bench.store.files.inflater.totalBytes).toBe(sizes[0]! + sizes[1]!);
    // Nothing has a name that a killed process could leave behind.
    expect(readdirSync(bench.directory).filter((name) => name.startsWith('pmgate-'))).toEqual([]);
    const again = await bench.open(path.join(bench.directory, 'z'));
    expect(bench.store.files.inflater.totalBytes).toBe(sizes[0]! + sizes[1]!);
    await Promise.all([source.close(), again.close()]);
    await bench.store.sweep();
    expect(bench.store.files.inflater.totalBytes).toBe(0);
  });

  it('are bounded: one of them, and all together', async () => {
    const bench = new ArchiveBench({ inflatedFileBytes: 100_000 });
    const base = small().write(bench.directory, 'a');
    writeFileSync(`${base}.1.gz`, gzipSync(Buffer.alloc(5_000_000)));
    await expect(bench.open(base).then((source) => source.end())).rejects.toMatchObject({ pmErr: PM_ERR.TOOBIG });
    expect(bench.store.files.inflater.totalBytes).toBe(0);
    await bench.dispose();
    const together = new ArchiveBench({ inflatedTotalBytes: 2000, inflatedFiles: 2 });
    for (const name of ['b', 'c', 'd']) {
      const plain = small().write(together.directory, name);
      writeFileSync(`${plain}.0.gz`, gzipSync(name === 'c' ? Buffer.alloc(5000) : readFileSync(`${plain}.0`)));
      unlinkSync(`${plain}.0`);
    }
    const open = (name: string) => together.open(path.join(together.directory, name));
    const first = await open('b');
    await expect(open('c')).rejects.toMatchObject({
      pmErr: -28,
      message: expect.stringContaining('together') as string,
    });
    await open('d');
    await expect(open('c')).rejects.toMatchObject({
      pmErr: -24,
      message: expect.stringContaining('2 compressed') as string,
    });
    await first.close();
    await together.dispose();
  });

  it('are not read when they want a window of gigabytes', async () => {
    const bench = new ArchiveBench();
    const base = small().write(bench.directory, 'a');
    // A frame of zstd that says so, and a run of the same byte.
    writeFileSync(`${base}.1.zst`, Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 21 << 3, 3, 8, 0, 65]));
    const source = await bench.open(base);
    const { fetches, error } = await fetchAll(source, [PMID]);
    expect(fetches).toHaveLength(3);
    expect(error).toMatchObject({ pmErr: PM_ERR.EOL });
    const { file } = await source.opened.members[0]!.openVolume(1);
    expect(file.size).toBe(0);
  });

  it('of which the end is broken give what is before, and then the error', async () => {
    const bench = new ArchiveBench();
    const base = small(2000).write(bench.directory, 'a');
    const packed = gzipSync(readFileSync(`${base}.0`));
    writeFileSync(path.join(bench.directory, 'z.0.gz'), packed.subarray(0, packed.length / 2));
    writeFileSync(path.join(bench.directory, 'z.meta.gz'), gzipSync(readFileSync(`${base}.meta`)));
    const { fetches, error } = await fetchAll(await bench.open(path.join(bench.directory, 'z')), [PMID], 5000);
    expect(fetches.length).toBeGreaterThan(100);
    expect(error).toMatchObject({ pmErr: PM_ERR.LOGREC });
  });
});
