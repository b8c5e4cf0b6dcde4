import type { Stats } from 'node:fs';
import { stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { PM_ERR, PmError } from '../../../pmapi/index.js';
import type { ArchiveLimits } from '../archive-memory.js';
import { ESTALE, type ArchiveFile, type ArchiveFiles } from '../files/archive-files.js';
import type { ByteFile, FileSystem } from '../files/byte-file.js';
import { Inflater } from './decompress.js';
import { findArchiveFiles, settledChange, throwErrno, OpenFiles, readAt, type FileOpener } from './open-files.js';

/** The files of this machine, read by a limited number of descriptors; compressed ones by way of inflated copies. */
export class LocalFileSystem implements FileSystem {
  readonly opened: OpenFiles;
  readonly inflater: Inflater;

  /** @param tempDirectory of inflated copies, by default the system's. @param opener opens files, by default any */
  constructor(limits: ArchiveLimits, tempDirectory?: string, opener?: FileOpener) {
    this.opened = new OpenFiles(limits.openFiles, opener);
    this.inflater = new Inflater(limits, this.opened, tempDirectory);
  }

  open({ path: file, compression }: ArchiveFile, mostBytes?: number, signal?: AbortSignal): Promise<ByteFile> {
    if (compression === undefined) return LocalFile.open(file, this.opened);
    return this.inflater.open(file, compression, mostBytes, signal);
  }

  find(base: string): Promise<ArchiveFiles> {
    return findArchiveFiles(base);
  }

  changed(base: string): Promise<number | undefined> {
    return settledChange(path.dirname(base));
  }

  /** Throws a PmError with a negated errno. */
  stat(file: string): Promise<Stats> {
    return this.opened.inTurn(() => stat(file)).catch(throwErrno(file));
  }
}

/** A file whose descriptor may be closed between reads. Opening it again fails where another has taken its place. */
export class LocalFile implements ByteFile {
  readonly name: string;
  size = -1;
  readonly #path: string;
  readonly #files: OpenFiles;
  #identity: string | undefined;
  #isClosed = false;

  private constructor(file: string, files: OpenFiles) {
    this.name = path.basename(file);
    this.#path = file;
    this.#files = files;
  }

  /** Opens a file. Throws a PmError with a negated errno. */
  static async open(file: string, files: OpenFiles): Promise<LocalFile> {
    const opened = new LocalFile(file, files);
    // The check notes its size.
    await opened.#use('', () => Promise.resolve());
    return opened;
  }

  async refresh(): Promise<number> {
    const { size } = await this.#use(': looking for its size', (handle) => handle.stat());
    return (this.size = size);
  }

  read(offset: number, length: number, take?: () => Uint8Array): Promise<Uint8Array> {
    return this.#use(`: reading at offset ${offset}`, (handle) => readAt(handle, offset, length, take));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#files.close(this);
  }

  async #use<T>(problem: string, work: (handle: FileHandle) => Promise<T>): Promise<T> {
    try {
      return await this.#files.use(this, this.#path, (handle) => this.#check(handle), work);
    } catch (error) {
      if (error instanceof PmError) throw error;
      return throwErrno(this.#path, problem)(error);
    }
  }

  /** Checks that what was opened is the same file as before, and still wanted. */
  async #check(handle: FileHandle): Promise<void> {
    if (this.#isClosed) throw new PmError(PM_ERR.NOCONTEXT, this.name);
    const found = await handle.stat();
    if (!found.isFile()) throw Object.assign(new Error('not a regular file'), { code: 'EISDIR' });
    const identity = `${found.dev}:${found.ino}`;
    this.#identity ??= identity;
    if (this.size < 0) this.size = found.size;
    if (identity !== this.#identity) throw new PmError(ESTALE, this.name);
  }
}
