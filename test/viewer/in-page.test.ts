import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { gzipSync } from 'node:zlib';
import { blobFile, GivenFiles } from '../../src/viewer/given-files.js';
import type { GivenFile } from '../../src/viewer/index.js';
import { inflateInPage } from '../../src/viewer/inflate.js';
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/sources/archive/index.js';
import { PM_ERR } from '../../src/pmapi/index.js';
import { bundledFor } from './browser-page.js';
import { answersAbout, type answersAboutAll } from './page-program.js';
import { ArchiveBench, disposeOfBenches } from '../sources/archive/support.js';
import { packedBy } from './packed-by.js';

afterEach(disposeOfBenches);

const ARCHIVES = path.resolve('test/fixtures/archives');

/** What pages have that the language does not: nothing of Node. */
const PAGE = {
  AbortController,
  atob,
  Blob,
  crypto,
  DecompressionStream,
  MessageChannel,
  performance,
  queueMicrotask,
  ReadableStream,
  clearTimeout,
  setTimeout,
  TextDecoder,
  TextEncoder,
};

interface Program {
  readonly answersAboutAll: typeof answersAboutAll;
}

function filesOf(...bases: readonly string[]): readonly GivenFile[] {
  const names = readdirSync(ARCHIVES).filter((name) =>
    bases.some((base) => new RegExp(`^${base}\\.(?!probe)`).test(name)),
  );
  return names.map((name) => ({ path: name, blob: new Blob([readFileSync(path.join(ARCHIVES, name))]) }));
}

describe('the engine in a page', () => {
  let program: Program;
  beforeAll(async () => {
    const page = vm.createContext({ ...PAGE });
    vm.runInContext(await bundledFor('test/viewer/page-program.ts'), page);
    expect(vm.runInContext('[typeof Buffer, typeof process, typeof require, typeof setImmediate].join()', page)).toBe(
      'undefined,undefined,undefined,undefined',
    );
    ({ program } = page as { readonly program: Program });
  });

  it.each([[['live-v2']], [['live-v3']], [['packed-v3']], [['live-v3', 'later-v3']]])(
    'says of %j in memory what it says in Node of the files',
    async (bases) => {
      const bench = new ArchiveBench();
      const expected = await answersAbout(await bench.open(...bases.map((base) => path.join(ARCHIVES, base))));
      expect(await program.answersAboutAll(filesOf(...bases))).toEqual(expected.split('\n'));
      expect(expected).toContain('given.busy');
      expect(expected.length).toBeGreaterThan(10_000);
    },
  );
});

describe('a file that is opened in a page', () => {
  it('is read where bytes are wanted', async () => {
    const file = blobFile('a', new Blob([Uint8Array.of(1, 2, 3), Uint8Array.of(4)]));
    expect([file.name, file.size]).toEqual(['a', 4]);
    expect(await file.read(1, 2)).toEqual(Uint8Array.of(2, 3));
    expect(await file.read(3, 10)).toEqual(Uint8Array.of(4));
  });

  /** A file of two mebibytes, and how often it was read by slices; a browser may have no readers that fill memory. */
  function large(hasReaders: boolean) {
    const bytes = Uint8Array.from({ length: 2 ** 21 + 5 }, (_, i) => i % 251);
    const [blob, reads] = [new Blob([bytes]), { count: 0 }];
    const refuse = () => {
      throw new TypeError('no such mode');
    };
    const slice = (start: number, end = blob.size) => {
      const part = blob.slice(start, end);
      const arrayBuffer = () => (reads.count++, part.arrayBuffer());
      return { arrayBuffer, stream: () => (hasReaders ? part.stream() : { getReader: refuse }) };
    };
    return { file: blobFile('a', { size: blob.size, slice } as unknown as Blob), bytes, reads };
  }

  it.each([
    [true, 1],
    [false, 5],
  ])(
    'has the same bytes step by step, asked for at once, where readers that fill memory are there: %s',
    async (hasReaders, count) => {
      const { file, bytes, reads } = large(hasReaders);
      const steps = Array.from({ length: 5 }, (_, i) => i * 2 ** 19);
      const read = await Promise.all(
        steps.slice(0, 4).map((at) => file.read(at, 2 ** 19, () => new Uint8Array(2 ** 19))),
      );
      read.push(await file.read(steps[4]!, 2 ** 19));
      expect(Buffer.concat(read).equals(bytes)).toBe(true);
      expect(reads.count).toBe(count);
    },
  );

  it('is read where it is asked for, also between steps and when it was closed meanwhile', async () => {
    const { file, bytes, reads } = large(true);
    const step = 2 ** 17;
    for (const at of [0, step, 9 * step, 2 * step, 10 * step, 11 * step, 5, 3 * step, 12 * step]) {
      const length = at === 5 ? 7 : step;
      expect(Buffer.from(await file.read(at, length)).equals(bytes.subarray(at, at + length))).toBe(true);
    }
    const left = [13, 14].map((i) => file.read(i * step, step));
    await file.close();
    expect(Buffer.concat(await Promise.all(left)).equals(bytes.subarray(13 * step, 15 * step))).toBe(true);
    expect(reads.count).toBeLessThan(11);
  });

  it('has been replaced when the browser cannot read it any more', async () => {
    const gone = { size: 4, slice: () => ({ arrayBuffer: () => Promise.reject(new Error('NotReadableError')) }) };
    await expect(blobFile('a', gone as unknown as Blob).read(0, 4)).rejects.toMatchObject({ pmErr: -116 });
  });
});

describe('files that a page inflates', () => {
  const file = (name: string, bytes: Uint8Array<ArrayBuffer>) => blobFile(name, new Blob([bytes]));
  const contents = Uint8Array.from({ length: 3_000_000 }, (_, i) => (i * i) % 251);
  const packed = Uint8Array.from(gzipSync(contents));

  it.each([
    ['gzip', 'gzip', '-1'],
    ['xz', 'xz', '-0'],
    ['zstd', 'zstd', '-1'],
    // Many blocks, and a few large ones.
    ['bzip2', 'bzip2', '-1'],
    ['bzip2', 'bzip2', '-9'],
  ] as const)('of %s are read as they were before (%s %s)', async (compression, program, level) => {
    const halves = [contents.subarray(0, 1_234_567), contents.subarray(1_234_567)];
    // Programs that compress at many cores write several streams.
    const packed = halves.map((stream) => packedBy(program, stream, [level, '-c']));
    if (!packed.every((stream) => stream !== undefined)) return;
    const whole = Buffer.concat(packed);
    const plain = await inflateInPage(file('a.x', Uint8Array.from(whole)), compression, contents.length);
    expect([plain.name, plain.size, plain.damage]).toEqual(['a.x', contents.length, undefined]);
    expect(Buffer.compare(await plain.read(0, plain.size), contents)).toBe(0);
  });

  it('keep what lies before damage, and say what is wrong', async () => {
    const plain = await inflateInPage(file('a.gz', packed.slice(0, packed.length - 1000)), 'gzip', Infinity);
    expect(plain.damage).toMatchObject({ pmErr: PM_ERR.LOGREC, message: expect.stringContaining('a.gz') as string });
    expect(await plain.read(0, 1000)).toEqual(contents.subarray(0, 1000));
    const other = await inflateInPage(file('a.lzma', packed), 'lzma', Infinity);
    expect([other.size, other.damage?.message]).toEqual([0, expect.stringContaining('lzma')]);
  });

  it('have members of gzip that meet anywhere, and what only looks like the start of one', async () => {
    // Stored as it is.
    const lookalike = Uint8Array.from(gzipSync(Uint8Array.from(gzipSync('x')), { level: 0 }));
    const small = Uint8Array.from(gzipSync(''));
    // Pieces of a file are read at multiples of this.
    const padding = 256 * 1024 - lookalike.length - 40;
    for (let more = 0; more < 40; more += 1) {
      const first = Uint8Array.from(gzipSync(new Uint8Array(padding + more), { level: 0 }));
      const input = file('a.gz', Uint8Array.from(Buffer.concat([lookalike, first, small, lookalike])));
      const { size, damage } = await inflateInPage(input, 'gzip', Infinity);
      expect([size, damage]).toEqual([padding + more + 2 * gzipSync('x').length, undefined]);
    }
  });

  it('stop beyond a limit, and when nobody wants them any more', async () => {
    const beyond = inflateInPage(file('a.gz', packed), 'gzip', 1_000_000);
    await expect(beyond).rejects.toMatchObject({ pmErr: PM_ERR.TOOBIG });
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(inflateInPage(file('a.gz', packed), 'gzip', Infinity, gone)).rejects.toThrow('gone');
  });

  it('are bounded: one of them, and all together that are open', async () => {
    const given = ['a.0.gz', 'a.1.gz', 'a.2.gz'].map((name) => file(name, packed));
    const opener = (limits: object) => new GivenFiles(given, inflateInPage, { ...DEFAULT_ARCHIVE_LIMITS, ...limits });
    const volume = (n: number) => ({ path: `a.${n}.gz`, compression: 'gzip' as const });
    const small = opener({ inflatedFileBytes: contents.length - 1 });
    await expect(small.open(volume(0))).rejects.toMatchObject({ pmErr: PM_ERR.TOOBIG });
    const two = opener({ inflatedTotalBytes: 2 * contents.length });
    const first = await two.open(volume(0));
    await two.open(volume(1));
    await expect(two.open(volume(2))).rejects.toMatchObject({ pmErr: PM_ERR.TOOBIG });
    await first.close();
    await first.close();
    await two.open(volume(2));
    await expect(two.open(volume(0))).rejects.toMatchObject({ pmErr: PM_ERR.TOOBIG });
    // Also when they are wanted at once.
    const atOnce = opener({ inflatedTotalBytes: 2 * contents.length });
    const opened = await Promise.allSettled([0, 1, 2].map((number) => atOnce.open(volume(number))));
    expect(opened.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    await expect(atOnce.open(volume(2))).rejects.toMatchObject({ pmErr: PM_ERR.TOOBIG });
  });
});
