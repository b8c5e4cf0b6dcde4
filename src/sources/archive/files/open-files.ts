import type { FileHandle } from 'node:fs/promises';
import { errnoOf, ESTALE } from './archive-files.js';
import { openRegularFile } from './regular-file.js';
import type { FileOpener } from './regular-file.js';

interface OpenFile {
  readonly opening: Promise<FileHandle>;
  users: number;
}

/**
 * Files that are asked for something at once. Each takes a thread of the pool (four, unless UV_THREADPOOL_SIZE says otherwise) for as
 * long as the disk takes, and one thread is left for whatever else needs one: a disk that does not answer must not stop live fetches.
 */
const AT_ONCE = Math.max(1, (Number(process.env.UV_THREADPOOL_SIZE) || 4) - 1);

/**
 * The handles of all files of all archives: a limited number of unused ones stay open; the least recently used are closed first
 * and reopened when needed.
 */
export class OpenFiles {
  readonly #limit: number;
  readonly #resolver: FileOpener;
  readonly #atOnce: number;
  /** Who waits for others to be done with the disk, oldest first. */
  readonly #waiting: (() => void)[] = [];
  #busy = 0;
  /** By file, the most recently used at the end. */
  readonly #files = new Map<object, OpenFile>();

  constructor(limit: number, opener: FileOpener = openRegularFile, atOnce = AT_ONCE) {
    this.#limit = limit;
    this.#resolver = opener;
    this.#atOnce = atOnce;
  }

  /** How many handles there are. */
  get size(): number {
    return this.#files.size;
  }

  /**
   * Do something with the handle of an owner's file, which stays open as long as that takes.
   * @param check throws if the reopened file is another one
   */
  async use<T>(
    owner: object,
    path: string,
    check: (handle: FileHandle) => Promise<void>,
    work: (handle: FileHandle) => Promise<T>,
  ): Promise<T> {
    return this.inTurn(() => this.#useNow(owner, path, check, work));
  }

  /** Uses a file that another owner keeps open, in its turn. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#busy >= this.#atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#busy++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#busy--;
    }
  }

  async #useNow<T>(
    owner: object,
    path: string,
    check: (handle: FileHandle) => Promise<void>,
    work: (handle: FileHandle) => Promise<T>,
  ): Promise<T> {
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
  }

  /** Close an owner's handle, if it has one. */
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
