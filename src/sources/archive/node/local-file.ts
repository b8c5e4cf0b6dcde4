import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { PM_ERR, PmError } from '../../../pmapi/index.js';
import { ESTALE } from '../files/archive-files.js';
import type { ByteFile } from '../files/byte-file.js';
import { throwErrno } from './directories.js';
import type { OpenFiles } from './open-files.js';

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
