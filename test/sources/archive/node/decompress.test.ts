import { execFileSync } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { jest } from '@jest/globals';
import { Decompress } from 'fzstd';
import { PM_ERR } from '../../../../src/pmapi/index.js';
import type { Compression } from '../../../../src/sources/archive/files/archive-files.js';
import type { ByteFile } from '../../../../src/sources/archive/files/byte-file.js';
import { Inflater } from '../../../../src/sources/archive/node/decompress.js';
import { DEFAULT_ARCHIVE_LIMITS } from '../../../../src/sources/archive/archive-memory.js';
import { OpenFiles, type FileOpener } from '../../../../src/sources/archive/node/open-files.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

const { path: directory, write } = temporaryDirectory();
const searchPath = process.env.PATH;
afterEach(() => {
  process.env.PATH = searchPath;
  jest.restoreAllMocks();
});

function inflater(opener?: FileOpener, inflatedFileBytes = DEFAULT_ARCHIVE_LIMITS.inflatedFileBytes): Inflater {
  return new Inflater({ ...DEFAULT_ARCHIVE_LIMITS, inflatedFileBytes }, new OpenFiles(10, opener), directory);
}

async function contentOf(file: ByteFile): Promise<Buffer> {
  return Buffer.from(await file.read(0, file.size));
}

describe('Inflater', () => {
  it.each<Compression>(['gzip', 'zstd', 'xz', 'bzip2'])(
    'takes a .%s whose disk gives up for a damaged one, and lives on',
    async (compression) => {
      process.env.PATH = '/nowhere';
      // Reading from a directory fails.
      const inflating = inflater(() => open(directory));
      const file = await inflating.open(write('x', Buffer.from('x')), compression);
      expect(file.damage).toMatchObject({ pmErr: PM_ERR.LOGREC, message: expect.stringContaining('EISDIR') as string });
      await file.close();
    },
  );

  it('inflates two at a time, however many are wanted', async () => {
    const inHand = new Set<FileHandle>();
    let most = 0;
    const inflating = inflater(async (name) => {
      const handle = await open(name);
      most = Math.max(most, inHand.add(handle).size);
      const close = handle.close.bind(handle);
      jest.spyOn(handle, 'close').mockImplementation(() => {
        inHand.delete(handle);
        return close();
      });
      return handle;
    });
    const names = Array.from({ length: 8 }, (_, i) => write(`${i}.gz`, gzipSync(Buffer.alloc(1000, i))));
    const files = await Promise.all(names.map((name) => inflating.open(name, 'gzip')));
    for (const [i, file] of files.entries()) expect(await contentOf(file)).toEqual(Buffer.alloc(1000, i));
    expect(most).toBe(2);
    expect(inHand.size).toBe(0);
    await Promise.all(files.map((file) => file.close()));
    expect(inflating.totalBytes).toBe(0);
  });

  it('says that there is no room for the copy, and leaves none', async () => {
    const inflating = inflater();
    const full = write('full.gz', gzipSync(Buffer.alloc(1000)));
    const other = await inflating.open(write('any.gz', gzipSync(Buffer.alloc(9))), 'gzip');
    const handle = await open(full);
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    jest
      .spyOn(prototype, 'writeFile')
      .mockRejectedValueOnce(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }));
    await expect(inflating.open(full, 'gzip')).rejects.toMatchObject({ pmErr: -28 });
    expect(inflating.totalBytes).toBe(9);
    const again = await inflating.open(full, 'gzip');
    expect(again.damage).toBeUndefined();
    await Promise.all([other.close(), again.close()]);
    expect(inflating.totalBytes).toBe(0);
  });

  it('does not unfold zstd blocks of four bytes all at once', async () => {
    process.env.PATH = '/nowhere';
    const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3]);
    const run = Buffer.from([0x02, 0x00, 0x10, 65]);
    const name = write('runs.zst', Buffer.concat([frame, ...Array.from({ length: 4000 }, () => run)]));
    const inflating = inflater(undefined, 1_000_000);
    const push = jest.spyOn(Decompress.prototype, 'push');
    await expect(inflating.open(name, 'zstd')).rejects.toMatchObject({ pmErr: PM_ERR.TOOBIG });
    // A block of 128 KiB for each four bytes: the first piece is more than enough, and no more is unfolded.
    expect(push.mock.calls.map(([piece]) => piece.length)).toEqual([512]);
    expect(inflating.totalBytes).toBe(0);
  });

  it('gives up bzip2 data that unfold without end', async () => {
    let packed: Buffer;
    try {
      packed = execFileSync('bzip2', ['-9', '-c'], { input: Buffer.alloc(40_000_000) });
    } catch {
      process.stderr.write('Inflater: SKIPPED bzip2, which is not installed\n');
      return;
    }
    process.env.PATH = '/nowhere';
    const inflating = inflater();
    const file = await inflating.open(write('zeros.bz2', packed), 'bzip2');
    expect(file.damage).toMatchObject({ message: expect.stringContaining('at once') as string });
    await file.close();
  });
});
