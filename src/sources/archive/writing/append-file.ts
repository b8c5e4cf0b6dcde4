import { open, rename } from 'node:fs/promises';

export interface WritableFile {
  write(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesWritten: number }>;
  truncate(length: number): Promise<void>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** The file operations of a writer; injected, so that tests can let any of them fail. */
export interface WritableDirectory {
  /** Opens a file: `w` creates an empty one, `r+` needs an existing one. */
  open(path: string, flags: 'w' | 'r+'): Promise<WritableFile>;
  rename(from: string, to: string): Promise<void>;
}

const MODE = 0o640;

export const fileSystem: WritableDirectory = { open: (path, flags) => open(path, flags, MODE), rename };

/** A file that grows in whole pieces: an incomplete piece is cut off before the next is written. Calls must not overlap. */
export class AppendFile {
  readonly #file: WritableFile;
  #length: number;
  /** There may be bytes of a failed piece beyond the length. */
  #isTorn: boolean;

  private constructor(file: WritableFile, length: number, isTorn: boolean) {
    this.#file = file;
    this.#length = length;
    this.#isTorn = isTorn;
  }

  /** A file that is created with its first piece. Throws an error of the system. */
  static async create(path: string, piece: Uint8Array, directory: WritableDirectory): Promise<AppendFile> {
    const unfinished = `${path}.new`;
    const file = new AppendFile(await directory.open(unfinished, 'w'), 0, false);
    return file.#orClosed(async () => {
      await file.append(piece);
      await directory.rename(unfinished, path);
    });
  }

  /** Continues a file behind its first `length` bytes; the rest is cut off. Throws an error of the system. */
  static async resume(path: string, length: number, directory: WritableDirectory): Promise<AppendFile> {
    const file = new AppendFile(await directory.open(path, 'r+'), length, true);
    return file.#orClosed(() => file.#mend());
  }

  /** Bytes of the pieces that were written completely. */
  get length(): number {
    return this.#length;
  }

  /** Appends a piece. Throws an error of the system, leaving the file as it was. */
  async append(piece: Uint8Array): Promise<void> {
    await this.#mend();
    this.#isTorn = true;
    try {
      await this.#write(piece);
    } catch (error) {
      await this.#mend().catch(() => undefined);
      throw error;
    }
    this.#isTorn = false;
    this.#length += piece.length;
  }

  async sync(): Promise<void> {
    await this.#mend();
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    try {
      await this.sync();
    } finally {
      await this.#file.close();
    }
  }

  async #write(piece: Uint8Array): Promise<void> {
    let done = 0;
    while (done < piece.length) {
      const { bytesWritten } = await this.#file.write(piece, done, piece.length - done, this.#length + done);
      if (bytesWritten === 0) throw new Error('the file system wrote nothing');
      done += bytesWritten;
    }
  }

  async #mend(): Promise<void> {
    if (!this.#isTorn) return;
    await this.#file.truncate(this.#length);
    this.#isTorn = false;
  }

  async #orClosed(work: () => Promise<void>): Promise<this> {
    try {
      await work();
      return this;
    } catch (error) {
      await this.#file.close().catch(() => undefined);
      throw error;
    }
  }
}
