import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { getOrMake } from '../../../kit/index.js';
import { PM_ERR, PmError } from '../../../pmapi/index.js';

/** The compression of a file; mixtures are common in an archive. */
export type Compression = 'xz' | 'lzma' | 'bzip2' | 'gzip' | 'compress' | 'zstd';

export interface ArchiveFile {
  readonly path: string;
  readonly compression: Compression | undefined;
}

export interface ArchiveFiles {
  /** The path without any suffix, which names the archive. */
  readonly base: string;
  readonly meta: ArchiveFile;
  readonly index: ArchiveFile | undefined;
  /** Ascending by number; numbers need neither start at 0 nor be contiguous. At least one. */
  readonly volumes: readonly { readonly number: number; readonly file: ArchiveFile }[];
  /** {@link settledChange} of the directory when it was listed: while it is the same, so are the files. */
  readonly listed: number | undefined;
}

const COMPRESSIONS: ReadonlyMap<string, Compression> = new Map([
  ['xz', 'xz'],
  ['lzma', 'lzma'],
  ['bz2', 'bzip2'],
  ['bz', 'bzip2'],
  ['gz', 'gzip'],
  ['Z', 'compress'],
  ['z', 'compress'],
  ['zst', 'zstd'],
]);
const COMPRESSION_SUFFIX = /\.(xz|lzma|bz2|bz|gz|Z|z|zst)$/;
const PIECE = /^(.+)\.(meta|index|\d{1,9})(?:\.(xz|lzma|bz2|bz|gz|Z|z|zst))?$/s;
const PIECE_SUFFIX = /\.(?:meta|index|\d{1,9})$/;

/** The base name of an archive's file: `a/b.3.xz`, `a/b.meta` and `a/b` all give `a/b`. */
function archiveBaseName(fileName: string): string {
  return fileName.replace(COMPRESSION_SUFFIX, '').replace(PIECE_SUFFIX, '');
}

/** The base name of the archive that a file belongs to, by the file's name: `a/b` of `a/b.3.xz`; undefined for the name of anything else. */
export function archiveOfFile(fileName: string): string | undefined {
  return PIECE.exec(fileName)?.[1];
}

export interface DirectoryContents {
  /** {@link settledChange} before it was read. */
  readonly listed: number | undefined;
  readonly names: ReadonlySet<string>;
  readonly directories: readonly string[];
  readonly links: ReadonlySet<string>;
  /** Files that may belong to archives, by base name and piece: `meta`, `index`, or a volume's number. */
  readonly pieces: ReadonlyMap<string, ReadonlyMap<string, ArchiveFile>>;
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
  const isFile = names.has(fileName) || [...COMPRESSIONS.keys()].some((suffix) => names.has(`${fileName}.${suffix}`));
  const base = isFile ? archiveBaseName(fileName) : fileName;
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

export function filesOf({ meta, index, volumes }: ArchiveFiles): readonly ArchiveFile[] {
  return [meta, ...(index ? [index] : []), ...volumes.map(({ file }) => file)];
}

export async function isDirectory(name: string): Promise<boolean> {
  return stat(name).then(
    (found) => found.isDirectory(),
    () => false,
  );
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
  const pieces = new Map<string, Map<string, ArchiveFile>>();
  const listed = await settledChange(directory);
  for (const entry of await list(directory).catch(throwErrno(directory))) {
    const { name } = entry;
    names.add(name);
    if (entry.isSymbolicLink()) links.add(name);
    if (entry.isDirectory()) directories.push(name);
    else takePiece(pieces, directory, name);
  }
  return { names, directories, links, pieces, listed };
}

function takePiece(pieces: Map<string, Map<string, ArchiveFile>>, directory: string, name: string): void {
  const match = PIECE.exec(name);
  if (!match) return;
  const [, base = '', kind = '', suffix] = match;
  const piece = /^\d/.test(kind) ? String(Number(kind)) : kind;
  const compression = suffix === undefined ? undefined : COMPRESSIONS.get(suffix);
  const files = getOrMake(pieces, base, () => new Map<string, ArchiveFile>());
  const known = files.get(piece);
  // A plain file beside its compressed copy is the one that the writer still appends to.
  if (known && (known.compression === undefined || compression !== undefined)) return;
  files.set(piece, { path: path.join(directory, name), compression });
}

/** The negated errno of a file that is not there. */
export const ENOENT = -2;

/** The negated errno of what NFS says of a file that was replaced or removed on the server. */
export const ESTALE = -116;

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

function collectFiles(
  base: string,
  pieces: ReadonlyMap<string, ArchiveFile> | undefined,
): Omit<ArchiveFiles, 'listed'> {
  const name = path.basename(base);
  if (!pieces) throw new PmError(ENOENT, name);
  const volumes = [...pieces]
    .filter(([piece]) => /^\d/.test(piece))
    .map(([piece, file]) => ({ number: Number(piece), file }))
    .sort((a, b) => a.number - b.number);
  const meta = pieces.get('meta');
  if (!meta) throw new PmError(PM_ERR.LOGFILE, `${name}.meta`);
  if (volumes.length === 0) throw new PmError(PM_ERR.LOGFILE, `${name}: no volume`);
  return { base, meta, index: pieces.get('index'), volumes };
}
