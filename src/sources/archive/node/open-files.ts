import { randomUUID } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { lstat, open, readdir, readlink, realpath, unlink, stat, type FileHandle } from 'node:fs/promises';
import pLimit from 'p-limit';
import type { LimitFunction } from 'p-limit';
import {
  ENOENT,
  ESTALE,
  archiveBaseName,
  archiveOfFile,
  collectFiles,
  hasFile,
  takePiece,
} from '../files/archive-files.js';
import type { ArchiveFiles, Pieces } from '../files/archive-files.js';
import path, { resolve } from 'node:path';
import { getOrMake } from '../../../kit/index.js';
import { PM_ERR, PmError } from '../../../pmapi/index.js';

interface DirectoryContents {
  /** {@link settledChange} before it was read. */
  readonly listed: number | undefined;
  readonly names: ReadonlySet<string>;
  readonly directories: readonly string[];
  readonly links: ReadonlySet<string>;
  readonly pieces: Pieces;
}

/** Lists a directory. Throws an error of the system. */
export type ListDirectory = (directory: string) => Promise<readonly Dirent[]>;

const listOnDisk: ListDirectory = (directory) => readdir(directory, { withFileTypes: true });

/** Directories for one piece of work: each is read once. Not to be kept, because later changes would not be seen. */
export class Directories {
  readonly #list: ListDirectory;
  readonly #read = new Map<string, Promise<DirectoryContents>>();

  /** @param list lists a directory; the file system by default */
  constructor(list: ListDirectory = listOnDisk) {
    this.#list = list;
  }

  /** The contents of a directory. Throws a PmError with a negated errno. */
  read(directory: string): Promise<DirectoryContents> {
    return getOrMake(this.#read, directory, () => readContents(directory, this.#list));
  }
}

/** By base name, or the name of any of its files. Throws PM_ERR_LOGFILE without metadata or volume, ENOENT (-2) without any. @see LOGARCHIVE(5) */
export async function findArchiveFiles(name: string, directories = new Directories()): Promise<ArchiveFiles> {
  const directory = path.dirname(name);
  const { names, pieces, listed } = await directories.read(directory);
  const fileName = path.basename(name);
  const base = hasFile(names, fileName) ? archiveBaseName(fileName) : fileName;
  return { ...collectFiles(path.join(directory, base), pieces.get(base)), listed };
}

/** The base paths of all archives in a directory, in order of name: whatever has metadata. */
export async function archivesInDirectory(
  directory: string,
  directories = new Directories(),
): Promise<readonly string[]> {
  const { pieces } = await directories.read(directory);
  const bases = [...pieces].filter(([, files]) => files.has('meta')).map(([base]) => path.join(directory, base));
  return bases.sort();
}

/** The archives that a context's name stands for: a list, separated by commas, of archives or directories, without duplicates. */
export async function expandArchiveNames(
  names: readonly string[],
  maxMembers: number,
  directories = new Directories(),
): Promise<readonly ArchiveFiles[]> {
  const archives = new Map<string, ArchiveFiles>();
  const called = names.map((name) => path.basename(name)).join(',');
  for (const name of names) {
    const bases = (await isDirectory(name)) ? await archivesInDirectory(name, directories) : [name];
    for (const base of bases) {
      const files = await findArchiveFiles(base, directories);
      archives.set(files.base, files);
      if (archives.size > maxMembers) throw new PmError(PM_ERR.TOOBIG, `${called}: more than ${maxMembers} archives`);
    }
  }
  if (archives.size === 0) throw new PmError(PM_ERR.LOGFILE, `${called}: no archive`);
  return [...archives.values()];
}

export async function isDirectory(name: string): Promise<boolean> {
  const found = await stat(name).catch(() => undefined);
  return found?.isDirectory() === true;
}

export function isWithin(directory: string, candidate: string): boolean {
  const relative = path.relative(directory, candidate);
  return relative === '' || (!path.isAbsolute(relative) && relative.split(path.sep)[0] !== '..');
}

/** Whether a file is below a root, both without links: a directory, or the base name of one archive. */
export async function isBelowRoot(root: string, file: string): Promise<boolean> {
  return isWithin(root, file) || (archiveOfFile(file) === root && !(await isDirectory(root)));
}

/** A root without links. Throws an error of the system. */
export async function realRoot(root: string): Promise<string> {
  return realpath(root).catch(async () => path.join(await realpath(path.dirname(root)), path.basename(root)));
}

/** Two changes of a directory within this time may have one time stamp. */
const SETTLED_MS = 2000;

/** When a directory changed last, in milliseconds; undefined if just now or unknown. */
export async function settledChange(directory: string): Promise<number | undefined> {
  const found = await stat(directory).catch(() => undefined);
  return found && Date.now() - found.mtimeMs > SETTLED_MS ? found.mtimeMs : undefined;
}

async function readContents(directory: string, list: ListDirectory): Promise<DirectoryContents> {
  const names = new Set<string>();
  const directories: string[] = [];
  const links = new Set<string>();
  const pieces: Pieces = new Map();
  const listed = await settledChange(directory);
  for (const entry of await list(directory).catch(throwErrno(directory))) {
    const { name } = entry;
    names.add(name);
    if (entry.isSymbolicLink()) links.add(name);
    if (entry.isDirectory()) directories.push(name);
    else takePiece(pieces, name, path.join(directory, name));
  }
  return { names, directories, links, pieces, listed };
}

/** The negated errno of running out of file descriptors. */
export const EMFILE = -24;

/** The negated errno of a full disk. */
export const ENOSPC = -28;

/** The negated errno of a failed file operation, as PCP reports it; EIO if unknown. */
function errnoOf(error: unknown): number {
  // Errors of the system may come from another realm: they are not always instances of our Error.
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  const known: Readonly<Record<string, number>> = {
    ENOENT,
    EACCES: -13,
    ELOOP: -40,
    ENFILE: -23,
    EIO: -5,
    ENAMETOOLONG: -36,
    EPERM: -1,
    EMFILE,
    ENOTDIR: -20,
    EISDIR: -21,
    ENOSPC,
    ESTALE,
  };
  return (typeof code === 'string' ? known[code] : undefined) ?? -5;
}

/** For `.catch()` of a file operation: throws a PmError with the negated errno, the file's name and the problem with it. */
export function throwErrno(file: string, problem = ''): (cause: unknown) => never {
  return (cause) => {
    throw new PmError(errnoOf(cause), `${path.basename(file)}${problem}`, { cause });
  };
}

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
