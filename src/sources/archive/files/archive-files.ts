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
  /** See {@link FileSystem.changed}, of its directory before that was listed: while it is the same, so are the files. */
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
export function archiveBaseName(fileName: string): string {
  return fileName.replace(COMPRESSION_SUFFIX, '').replace(PIECE_SUFFIX, '');
}

/** The base name of the archive that a file belongs to, by the file's name: `a/b` of `a/b.3.xz`; undefined for the name of anything else. */
export function archiveOfFile(fileName: string): string | undefined {
  return PIECE.exec(fileName)?.[1];
}

/** Whether a directory with some names has a file, compressed or not. */
export function hasFile(names: ReadonlySet<string>, name: string): boolean {
  return names.has(name) || [...COMPRESSIONS.keys()].some((suffix) => names.has(`${name}.${suffix}`));
}

/** The last part of a path. */
export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function filesOf({ meta, index, volumes }: ArchiveFiles): readonly ArchiveFile[] {
  return [meta, ...(index ? [index] : []), ...volumes.map(({ file }) => file)];
}

type PiecesOfOne = ReadonlyMap<string, ArchiveFile>;

/** Files that may belong to archives, by base name and piece: `meta`, `index`, or a volume's number. */
export type Pieces = Map<string, Map<string, ArchiveFile>>;

/** Adds a file to the pieces of its archive, if it may be one. */
export function takePiece(pieces: Pieces, name: string, path: string): void {
  const match = PIECE.exec(name);
  if (!match) return;
  const [, base = '', kind = '', suffix] = match;
  const piece = /^\d/.test(kind) ? String(Number(kind)) : kind;
  const compression = suffix === undefined ? undefined : COMPRESSIONS.get(suffix);
  const files = getOrMake(pieces, base, () => new Map<string, ArchiveFile>());
  const known = files.get(piece);
  // A plain file beside its compressed copy is the one that the writer still appends to.
  if (known && (known.compression === undefined || compression !== undefined)) return;
  files.set(piece, { path, compression });
}

/** The files of an archive, of its pieces. Throws PM_ERR_LOGFILE without metadata or volume, ENOENT without any. */
export function collectFiles(base: string, pieces: PiecesOfOne | undefined): Omit<ArchiveFiles, 'listed'> {
  const name = lastPart(base);
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

/** The negated errno of a file that is not there. */
export const ENOENT = -2;

/** The negated errno of what NFS says of a file that was replaced or removed on the server. */
export const ESTALE = -116;
