import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { PM_ERR } from '../../../src/pmapi/index.js';
import { ArchiveStore } from '../../../src/sources/archive/index.js';
import { ArchiveBuilder } from '../../support/archive-builder.js';
import { ArchiveBench, fetchAll, stamp } from './support.js';

const PMID = 1;
const small = (records = 3, first = 0): ArchiveBuilder => {
  const builder = new ArchiveBuilder({ version: 3, start: stamp(first) });
  builder.metric({ pmid: PMID, names: ['t.a'], type: 1, semantics: 3 });
  for (let i = first; i < first + records; i++) builder.record(stamp(i), [{ pmid: PMID, values: [[-1, i]] }]);
  return builder;
};

describe('ArchiveStore', () => {
  it('shares an archive between sources, and closes it when nobody has used it for a while', async () => {
    const bench = new ArchiveBench({ idleMs: 1000 });
    const base = small().write(bench.directory, 'a');
    const [first, second] = [await bench.open(base), await bench.open(`${base}.meta`)];
    expect(second.archive === first.archive).toBe(true);
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
    await bench.dispose();
  });

  it('does not keep an archive that could not be opened', async () => {
    const bench = new ArchiveBench();
    const base = small().write(bench.directory, 'a');
    const label = readFileSync(`${base}.0`);
    writeFileSync(`${base}.0`, 'rubbish');
    await expect(bench.open(base)).rejects.toMatchObject({ pmErr: PM_ERR.LABEL });
    writeFileSync(`${base}.0`, label);
    expect((await fetchAll(await bench.open(base), [PMID])).fetches).toHaveLength(3);
    await bench.dispose();
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
      archives.add(source.archive);
      await source.close();
    }
    expect(bench.store.openCount).toBe(3);
    expect(archives.has(held.archive)).toBe(true);
    expect((await fetchAll(held, [PMID])).fetches).toHaveLength(3);
    await bench.dispose();
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
    await bench.dispose();
  });

  it('opens archives although the disk of another one does not answer', async () => {
    const bench = new ArchiveBench();
    const [hung, other] = ['a', 'b'].map((name) => small().write(bench.directory, name)) as [string, string];
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const store = new ArchiveStore({
      clock: bench.clock,
      limits: { idleArchives: 0 },
      opener: async (name) => {
        const handle = await open(name);
        const close = handle.close.bind(handle);
        return name === `${hung}.0` ? Object.assign(handle, { close: () => answered.then(close) }) : handle;
      },
    });
    const source = await store.open([hung]);
    await source.close();
    expect((await fetchAll(await store.open([other]), [PMID])).fetches).toHaveLength(3);
    expect(store.openCount).toBe(1);
    answer();
    await store.close();
    await bench.dispose();
  });

  it('keeps nothing in memory once no archive is open', async () => {
    const bench = new ArchiveBench({ idleMs: 0 });
    const base = small().write(bench.directory, 'a');
    const source = await bench.open(base);
    await fetchAll(source, [PMID]);
    const { blocks, columns, files, tables } = bench.store.memory;
    const kept = (): readonly number[] => [blocks.bytes, columns.size, files.size, tables.size];
    for (const count of kept()) expect(count).toBeGreaterThan(0);
    await source.close();
    await bench.store.sweep();
    expect(kept()).toEqual([0, 0, 0, 0]);
    await bench.dispose();
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
    for (const suffix of ['0', '1', '2']) {
      writeFileSync(`${base}.${suffix}.gz`, gzipSync(readFileSync(`${base}.${suffix}`)));
      unlinkSync(`${base}.${suffix}`);
    }
    expect((await fetchAll(source, [PMID])).fetches.map(([at]) => at)).toEqual([0, 1, 2, 10, 20]);
    const later = await bench.open(base);
    expect(later.archive === source.archive).toBe(false);
    expect((await fetchAll(later, [PMID])).fetches).toHaveLength(5);
    await bench.dispose();
  });

  it('bounds how many archives one context may have', async () => {
    const bench = new ArchiveBench({ members: 1 });
    small().write(bench.directory, 'a');
    small().write(bench.directory, 'b');
    await expect(bench.open(bench.directory)).rejects.toMatchObject({ pmErr: PM_ERR.TOOBIG });
    await bench.dispose();
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
    await bench.dispose();
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
    const copies = readdirSync(bench.directory).find((name) => name.startsWith('pmgate-'))!;
    expect(readdirSync(path.join(bench.directory, copies))).toHaveLength(2);
    await source.close();
    await bench.store.sweep();
    expect(readdirSync(path.join(bench.directory, copies))).toHaveLength(0);
    expect(bench.store.inflater.totalBytes).toBe(0);
    await bench.store.close();
    expect(existsSync(path.join(bench.directory, copies))).toBe(false);
    await bench.dispose();
  });

  it('are bounded: one of them, and all together', async () => {
    const bench = new ArchiveBench({ inflatedFileBytes: 100_000 });
    const base = small().write(bench.directory, 'a');
    writeFileSync(`${base}.1.gz`, gzipSync(Buffer.alloc(5_000_000)));
    await expect(bench.open(base).then((source) => source.end())).rejects.toMatchObject({ pmErr: PM_ERR.TOOBIG });
    expect(bench.store.inflater.totalBytes).toBe(0);
    await bench.dispose();
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
    const { file } = await source.archive.members[0]!.openVolume(1);
    expect(file.size).toBe(0);
    await bench.dispose();
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
    await bench.dispose();
  });
});
