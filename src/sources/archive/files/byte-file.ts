import type { PmError } from '../../../pmapi/index.js';
import type { ArchiveFile, ArchiveFiles } from './archive-files.js';

/** Bytes that can be read at any offset: a file of this machine, an inflated copy of one, or what a page was given. */
export interface ByteFile {
  readonly name: string;
  /** Bytes, when it was opened or looked at last. */
  readonly size: number;
  /** Why it was not inflated to its end; what lies before is there. */
  readonly damage?: PmError | undefined;
  /**
   * The bytes from `offset` on, fewer than `length` where the file ends before; the caller may overwrite them. Throws a PmError with a
   * negated errno: ENOENT for a file that has disappeared, ESTALE for one that another has replaced.
   * @param take gives memory that may be used for them, once they are about to be read
   */
  read(offset: number, length: number, take?: () => Uint8Array): Promise<Uint8Array>;
  /** Looks at the size of a file that may grow. Throws as {@link read}. */
  refresh?(): Promise<number>;
  close(): Promise<void>;
}

/** Where the files of archives are. */
export interface FileSystem {
  /** Opens a file, inflated to at most `mostBytes` if it is compressed. Throws a PmError (PM_ERR_TOOBIG beyond them), and the signal's reason. */
  open(file: ArchiveFile, mostBytes?: number, signal?: AbortSignal): Promise<ByteFile>;
  /** The files of an archive as they are now. Throws a PmError. */
  find(base: string): Promise<ArchiveFiles>;
  /** When the directory of an archive changed last; undefined if just now or unknown. */
  changed(base: string): Promise<number | undefined>;
}
