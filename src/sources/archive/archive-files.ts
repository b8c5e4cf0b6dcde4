import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { PM_ERR, PmError } from '../../pmapi/index.js';

/** How a file of an archive is compressed. Each file has its own; mixtures are common. */
export type Compression = 'xz' | 'lzma' | 'bzip2' | 'gzip' | 'compress' | 'zstd';

/** One file of an archive, as it lies on disk. */
export interface ArchiveFile {
  readonly path: string;
  readonly compression: Compression | undefined;
}

/** The files that make up one archive. */
export interface ArchiveFiles {
  /** The path without any suffix: what the archive is called by. */
  readonly base: string;
  readonly meta: ArchiveFile;
  readonly index: ArchiveFile | undefined;
  /** Ascending by number; numbers need neither start at 0 nor be contiguous. At least one. */
  readonly volumes: readonly { readonly number: number; readonly file: ArchiveFile }[];
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
const PIECE = /^(meta|index|\d{1,9})(?:\.(xz|lzma|bz2|bz|gz|Z|z|zst))?$/;
const PIECE_SUFFIX = /\.(?:meta|index|\d{1,9})$/;

/** The base name of an archive's file: `a/b.3.xz`, `a/b.meta` and `a/b` all give `a/b`. */
export function archiveBaseName(fileName: string): string {
  return fileName.replace(COMPRESSION_SUFFIX, '').replace(PIECE_SUFFIX, '');
}

/**
 * The files of the archive called `name`: its base name, or the name of any of its files with or without the compression's
 * suffix. Throws PM_ERR_LOGFILE when the metadata or every volume is missing, ENOENT (-2) when there is nothing at all.
 * @see LOGARCHIVE(5)
 */
export async function findArchiveFiles(name: string): Promise<ArchiveFiles> {
  const directory = path.dirname(name);
  const entries = await listDirectory(directory);
  const fileName = path.basename(name);
  const isFile = entries.some(
    (entry) =>
      entry === fileName || (entry.startsWith(`${fileName}.`) && COMPRESSIONS.has(entry.slice(fileName.length + 1))),
  );
  const base = isFile ? archiveBaseName(fileName) : fileName;
  return collectFiles(directory, base, entries);
}

/** The base paths of all archives in a directory, in order of name: whatever has metadata. */
export async function archivesInDirectory(directory: string): Promise<readonly string[]> {
  const bases = new Set<string>();
  for (const entry of await listDirectory(directory)) {
    const plain = entry.replace(COMPRESSION_SUFFIX, '');
    if (plain.endsWith('.meta') && plain.length > 5) bases.add(path.join(directory, plain.slice(0, -5)));
  }
  return [...bases].sort();
}

/**
 * The base paths that a context's archive name stands for: a list separated by commas whose members are archives or
 * directories. The same archive twice counts once.
 */
export async function expandArchiveNames(names: readonly string[], maxMembers: number): Promise<readonly string[]> {
  const bases = new Set<string>();
  for (const name of names) {
    if (await isDirectory(name)) for (const base of await archivesInDirectory(name)) bases.add(base);
    else bases.add((await findArchiveFiles(name)).base);
    if (bases.size > maxMembers) {
      throw new PmError(
        PM_ERR.TOOBIG,
        `${names.map((name) => path.basename(name)).join(',')}: more than ${maxMembers} archives`,
      );
    }
  }
  if (bases.size === 0)
    throw new PmError(PM_ERR.LOGFILE, `${names.map((name) => path.basename(name)).join(',')}: no archive`);
  return [...bases];
}

/** Whether a path is a directory; a path that is not there is none. */
export async function isDirectory(name: string): Promise<boolean> {
  return stat(name).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Whether a path lies in a directory, or is it; both without links. */
export function isWithin(directory: string, candidate: string): boolean {
  const relative = path.relative(directory, candidate);
  return relative === '' || (!path.isAbsolute(relative) && relative.split(path.sep)[0] !== '..');
}

async function listDirectory(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    throw new PmError(errnoOf(error), path.basename(directory), { cause: error });
  }
}

/** The negated errno of a file that is not there. */
export const ENOENT = -2;

/** The negated errno of what NFS says of a file that was replaced or removed on the server. */
export const ESTALE = -116;

/** The negated errno of a failed file operation, as PCP reports it; EIO for one that is not known. */
export function errnoOf(error: unknown): number {
  // Errors of the system may come from another realm: they are not always instances of our Error.
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  const known: Readonly<Record<string, number>> = {
    ENOENT,
    EACCES: -13,
    EPERM: -1,
    EMFILE: -24,
    ENOTDIR: -20,
    EISDIR: -21,
    ENOSPC: -28,
    ESTALE,
  };
  return (typeof code === 'string' ? known[code] : undefined) ?? -5;
}

function collectFiles(directory: string, base: string, entries: readonly string[]): ArchiveFiles {
  const pieces = new Map<string, ArchiveFile>();
  for (const entry of entries) {
    if (!entry.startsWith(`${base}.`)) continue;
    const match = PIECE.exec(entry.slice(base.length + 1));
    if (!match) continue;
    const piece = /^\d/.test(match[1]!) ? String(Number(match[1])) : match[1]!;
    const compression = match[2] === undefined ? undefined : COMPRESSIONS.get(match[2]);
    // A plain file beside its compressed copy is the one that the writer still appends to.
    const known = pieces.get(piece);
    if (known && (known.compression === undefined || compression !== undefined)) continue;
    pieces.set(piece, { path: path.join(directory, entry), compression });
  }
  const volumes = [...pieces]
    .filter(([piece]) => /^\d/.test(piece))
    .map(([piece, file]) => ({ number: Number(piece), file }))
    .sort((a, b) => a.number - b.number);
  const meta = pieces.get('meta');
  const fullBase = path.join(directory, base);
  if (pieces.size === 0) throw new PmError(ENOENT, path.basename(fullBase));
  if (!meta) throw new PmError(PM_ERR.LOGFILE, `${path.basename(fullBase)}.meta`);
  if (volumes.length === 0) throw new PmError(PM_ERR.LOGFILE, `${path.basename(fullBase)}: no volume`);
  return { base: fullBase, meta, index: pieces.get('index'), volumes };
}
