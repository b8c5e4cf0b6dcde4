import { renameSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { jest } from '@jest/globals';
import { PM_ERR } from '../../../../src/pmapi/index.js';
import { BlockCache, BLOCK_BYTES } from '../../../../src/sources/archive/files/block-cache.js';
import { BlockFile } from '../../../../src/sources/archive/files/block-file.js';
import { LocalFile } from '../../../../src/sources/archive/node/local-file-system.js';
import { OpenFiles } from '../../../../src/sources/archive/node/open-files.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

const ESTALE = -116;
const { path: directory, write } = temporaryDirectory();

interface Surroundings {
  readonly files: OpenFiles;
  readonly blocks: BlockCache;
}

function memory(openFiles = 100, blocks = 2): Surroundings & { readonly opened: FileHandle[] } {
  const opened: FileHandle[] = [];
  const files = new OpenFiles(openFiles, async (name) => {
    const handle = await open(name, 'r');
    opened.push(handle);
    return handle;
  });
  return { blocks: new BlockCache(blocks * BLOCK_BYTES), files, opened };
}

async function openBlocks(name: string, { files, blocks }: Surroundings): Promise<BlockFile> {
  return new BlockFile(await LocalFile.open(name, files), blocks);
}

describe('BlockFile', () => {
  it('keeps a block as it is while somebody holds it, and uses its buffer again afterwards', async () => {
    const bytes = Buffer.concat(Array.from({ length: 6 }, (_, i) => Buffer.alloc(BLOCK_BYTES, i + 1)));
    const file = await openBlocks(write('blocks', bytes), memory());
    const held = await file.hold(0);
    const loose = file.peekBlock(0);
    for (let i = 1; i < 6; i++) expect((await file.read(i * BLOCK_BYTES, 1))[0]).toBe(i + 1);
    expect(loose === held).toBe(true);
    expect(file.peekBlock(0) === undefined).toBe(true);
    expect(bytes.subarray(0, BLOCK_BYTES).equals(held.bytes)).toBe(true);
    const { buffer } = held.bytes;
    held.release();
    expect((await file.read(0, 1))[0]).toBe(1);
    expect(file.peekBlock(0)!.bytes.buffer === buffer).toBe(true);
    await file.close();
  });

  it('reads across blocks, in memory or not', async () => {
    const bytes = Buffer.alloc(4 * BLOCK_BYTES);
    for (let i = 0; i < bytes.length; i += 1000) bytes.writeUInt32LE(i, i);
    const file = await openBlocks(write('across', bytes), memory(100, 4));
    const [offset, length] = [BLOCK_BYTES - 10, 20];
    expect(file.peekAcross(offset, length)).toBeUndefined();
    const expected = Uint8Array.from(bytes.subarray(offset, offset + length));
    expect(await file.read(offset, length)).toEqual(expected);
    expect(file.peekAcross(offset, length)).toEqual(expected);
    expect(bytes.equals(await file.read(0, bytes.length))).toBe(true);
    await file.close();
  });

  it('has few handles open, whatever the number of files', async () => {
    const shared = memory(2);
    const files = await Promise.all(
      Array.from({ length: 8 }, (_, i) => openBlocks(write(`many.${i}`, Buffer.alloc(4, i)), shared)),
    );
    expect(shared.files.size).toBe(2);
    for (const [i, file] of files.entries()) expect((await file.readExact(0, 1))[0]).toBe(i);
    expect(shared.files.size).toBe(2);
    expect(shared.opened.length).toBeGreaterThan(8);
    const before = shared.opened.length;
    await files[7]!.readExact(0, 1);
    expect(shared.opened).toHaveLength(before);
    await Promise.all(files.map((file) => file.close()));
    expect(shared.files.size).toBe(0);
    // Every handle is closed.
    for (const handle of shared.opened) expect(handle.fd).toBe(-1);
  });

  it('has buffers for the blocks that are being read, not for all that wait for their turn', async () => {
    let letRead = (): void => undefined;
    const mayRead = new Promise<void>((resolve) => (letRead = resolve));
    const files = new OpenFiles(
      10,
      async (name) => {
        const handle = await open(name, 'r');
        const read = handle.read.bind(handle) as (...given: readonly unknown[]) => unknown;
        return Object.assign(handle, { read: (...given: readonly unknown[]) => mayRead.then(() => read(...given)) });
      },
      2,
    );
    const blocks = new BlockCache(20 * BLOCK_BYTES);
    const takeBuffer = jest.spyOn(blocks, 'takeBuffer');
    const file = await openBlocks(write('turns', Buffer.alloc(20 * BLOCK_BYTES)), { blocks, files });
    const reading = Array.from({ length: 20 }, (_, i) => file.read(i * BLOCK_BYTES, 1));
    const turn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));
    while (takeBuffer.mock.calls.length < 2) await turn();
    for (let turns = 0; turns < 10; turns++) await turn();
    expect(takeBuffer).toHaveBeenCalledTimes(2);
    letRead();
    await Promise.all(reading);
    expect(takeBuffer).toHaveBeenCalledTimes(20);
    await file.close();
  });

  it('is not opened again by who comes late, once it is closed', async () => {
    const shared = memory(1);
    const file = await openBlocks(write('late', Buffer.alloc(4)), shared);
    await file.close();
    await expect(file.read(0, 4)).rejects.toMatchObject({ pmErr: PM_ERR.NOCONTEXT });
    expect(shared.files.size).toBe(0);
    for (const handle of shared.opened) expect(handle.fd).toBe(-1);
  });

  it('says so when another file took the place of one that was closed meanwhile', async () => {
    const shared = memory(1);
    const file = await openBlocks(write('replaced.0', Buffer.alloc(4)), shared);
    await openBlocks(write('other', Buffer.alloc(4)), shared);
    renameSync(write('new', Buffer.alloc(4)), path.join(directory, 'replaced.0'));
    await expect(file.readExact(0, 4)).rejects.toMatchObject({
      pmErr: ESTALE,
      message: expect.stringContaining('replaced.0: removed or replaced while it was open') as string,
    });
    rmSync(path.join(directory, 'replaced.0'));
    await expect(file.refresh()).rejects.toMatchObject({ pmErr: ESTALE });
  });

  it('says the same of a file that its server no longer knows, and opens it again the next time', async () => {
    let isStale = true;
    let opened = 0;
    const handleOf = async (name: string): Promise<FileHandle> => {
      const handle = await open(name, 'r');
      opened++;
      return new Proxy(handle, {
        get(target, property) {
          const value: unknown = Reflect.get(target, property);
          if (property === 'read' && isStale) {
            return () => Promise.reject(Object.assign(new Error('ESTALE: stale file handle'), { code: 'ESTALE' }));
          }
          return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        },
      });
    };
    const shared = { blocks: new BlockCache(0), files: new OpenFiles(10, handleOf) };
    const file = await openBlocks(write('nfs.0', Buffer.alloc(4, 9)), shared);
    await expect(file.read(0, 4)).rejects.toMatchObject({ pmErr: ESTALE });
    expect(shared.files.size).toBe(0);
    isStale = false;
    expect((await file.read(0, 4))[0]).toBe(9);
    expect(opened).toBe(2);
    await file.close();
  });
});
