import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { getOrMake } from '../../../kit/index.js';
import { PM_ERR, PmError } from '../../../pmapi/index.js';
import {
  archiveBaseName,
  archiveOfFile,
  collectFiles,
  ENOENT,
  ESTALE,
  hasFile,
  takePiece,
  type ArchiveFiles,
  type Pieces,
} from '../files/archive-files.js';

export interface DirectoryContents {
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
export function errnoOf(error: unknown): number {
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
