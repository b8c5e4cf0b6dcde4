import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, readlink, realpath, unlink, type FileHandle } from 'node:fs/promises';
import path, { resolve } from 'node:path';
import pLimit from 'p-limit';
import type { LimitFunction } from 'p-limit';
import { ENOENT, ESTALE } from '../files/archive-files.js';
import { errnoOf, isBelowRoot, realRoot } from './directories.js';

export type FileOpener = (path: string) => Promise<FileHandle>;

/** Opening a FIFO would wait for a writer and occupy a thread of the pool; a terminal would become our controlling one. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Open a file for reading: a regular one, else it throws EISDIR. Never waits for what lies behind a special file. */
export async function openRegularFile(path: string): Promise<FileHandle> {
  const handle = await open(path, FLAGS);
  try {
    if (!(await handle.stat()).isFile()) throw Object.assign(new Error('not a regular file'), { code: 'EISDIR' });
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens regular files below some roots; ENOENT for others. The opened file's own location counts: links may change meanwhile. */
export function openerWithin(roots: () => readonly string[]): FileOpener {
  return async (path) => {
    const handle = await openRegularFile(path);
    try {
      const place = await placeOf(handle, path);
      // The place has no links in it: what it is below of, by its text, it is below of indeed.
      for (const root of roots()) if (resolve(root) === root && (await isBelowRoot(root, place))) return handle;
      const real = await Promise.all(roots().map((root) => realRoot(root).catch(() => undefined)));
      for (const root of real) if (root !== undefined && (await isBelowRoot(root, place))) return handle;
      throw Object.assign(new Error('it is outside the configured roots'), { code: 'ENOENT' });
    } catch (error) {
      await handle.close();
      throw error;
    }
  };
}

/** The path of an open file. Only Linux tells; elsewhere the path is resolved again. */
async function placeOf({ fd }: FileHandle, path: string): Promise<string> {
  return readlink(`/proc/self/fd/${fd}`).catch(() => realpath(path));
}

/** The bytes of a file from `offset` on, fewer where it ends before. Throws an error of the system. @param take gives memory for them */
export async function readAt(
  handle: FileHandle,
  offset: number,
  length: number,
  take = (): Uint8Array => new Uint8Array(Buffer.allocUnsafeSlow(length).buffer),
): Promise<Uint8Array> {
  const bytes = take();
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled === bytes.length ? bytes : bytes.subarray(0, filled);
}

const NAME = /^pmgate-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A new file to read and write that is deleted when closed. */
export async function openNameless(directory: string): Promise<FileHandle> {
  const name = path.join(directory, `pmgate-${randomUUID()}`);
  const handle = await open(name, 'wx+', 0o600);
  try {
    await unlink(name).catch((error: unknown) => {
      // Another gateway that was just started took it for a leftover.
      if (errnoOf(error) !== ENOENT) throw error;
    });
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Removes (empty) files of {@link openNameless} whose gateway was killed before it unlinked them. Does not fail. */
export async function removeLeftovers(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names) {
    if (!NAME.test(name)) continue;
    const file = path.join(directory, name);
    const found = await lstat(file).catch(() => undefined);
    if (found?.isFile() === true && found.size === 0) await unlink(file).catch(() => undefined);
  }
}

interface OpenFile {
  readonly opening: Promise<FileHandle>;
  users: number;
}

/** Files used at once: each takes a thread of the pool, one of which is left for live fetches while a disk hangs. */
const AT_ONCE = Math.max(1, (Number(process.env.UV_THREADPOOL_SIZE) || 4) - 1);

/** The handles of all archives' files: a limited number of unused ones stay open, closed least recently used first. */
export class OpenFiles {
  readonly #limit: number;
  readonly #resolver: FileOpener;
  readonly #turns: LimitFunction;
  /** By file, the most recently used at the end. */
  readonly #files = new Map<object, OpenFile>();

  constructor(limit: number, opener: FileOpener = openRegularFile, atOnce = AT_ONCE) {
    this.#limit = limit;
    this.#resolver = opener;
    this.#turns = pLimit(atOnce);
  }

  get size(): number {
    return this.#files.size;
  }

  /** Uses the handle of an owner's file, open meanwhile. @param check throws if the reopened file is another one */
  async use<T>(
    owner: object,
    path: string,
    check: (handle: FileHandle) => Promise<void>,
    work: (handle: FileHandle) => Promise<T>,
  ): Promise<T> {
    return this.inTurn(async () => {
      const file = this.#files.get(owner) ?? { opening: this.#open(path, check), users: 0 };
      this.#files.delete(owner);
      this.#files.set(owner, file);
      file.users++;
      try {
        return await work(await file.opening);
      } catch (error) {
        // One that could not be opened, or whose file is gone, is useless. Another reader may have reopened it meanwhile.
        if ((await isUnusable(file, error)) && this.#files.get(owner) === file) this.#files.delete(owner);
        throw error;
      } finally {
        file.users--;
        this.#trim();
      }
    });
  }

  /** Opens a file for the caller, who closes it. Throws an error of the system. */
  openAnew(path: string): Promise<FileHandle> {
    return this.#resolver(path);
  }

  /** Uses a file that another owner keeps open, in turn. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns(work);
  }

  async close(owner: object): Promise<void> {
    const file = this.#files.get(owner);
    if (!file) return;
    this.#files.delete(owner);
    await closeFile(file);
  }

  async #open(path: string, check: (handle: FileHandle) => Promise<void>): Promise<FileHandle> {
    const handle = await this.#resolver(path);
    try {
      await check(handle);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  #trim(): void {
    if (this.#files.size <= this.#limit) return;
    for (const [owner, file] of this.#files) {
      if (this.#files.size <= this.#limit) return;
      if (file.users > 0) continue;
      this.#files.delete(owner);
      void closeFile(file);
    }
  }
}

async function isUnusable(file: OpenFile, error: unknown): Promise<boolean> {
  const opened = await file.opening.catch(() => undefined);
  if (!opened) return true;
  const isStale = errnoOf(error) === ESTALE;
  if (isStale) await closeFile(file);
  return isStale;
}

/** Errors of closing a file that was only read do not matter. */
async function closeFile({ opening }: OpenFile): Promise<void> {
  await opening.then((handle) => handle.close()).catch(() => undefined);
}
