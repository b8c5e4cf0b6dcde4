import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { PM_ERR, PmError } from '../../../pmapi/index.js';
import { ENOENT, ESTALE, errnoOf, throwErrno, type ArchiveFile } from './archive-files.js';
import { BLOCK_BYTES, Block, type BlockCache } from './block-cache.js';
import type { OpenFiles } from './open-files.js';

export interface FileMemory {
  readonly blocks: BlockCache;
  readonly files: OpenFiles;
}

/** Returns the inflated copy of the compressed file that has replaced an open one, if there is one. */
type FindCopy = () => Promise<FileHandle | undefined>;

/**
 * A file read in blocks of a shared {@link BlockCache}, or exactly. It may grow ({@link refresh} looks); be replaced, and then reading fails;
 * or be compressed, and then its inflated copy is read. Counts its reads, for tests.
 */
export class BlockFile {
  readonly name: string;
  readCount = 0;
  bytesRead = 0;
  /** Called when the file has disappeared since it was opened. */
  findCopy: FindCopy | undefined;
  readonly #path: string;
  #handle: FileHandle | undefined;
  readonly #files: OpenFiles;
  readonly #cache: BlockCache;
  readonly #id: number;
  readonly #inFlight = new Map<number, Promise<Block>>();
  #identity: string | undefined;
  /** Negative until the file is opened. */
  #size = -1;
  #isClosed = false;

  private constructor(path: string, handle: FileHandle | undefined, { blocks, files }: FileMemory) {
    this.#path = path;
    this.#handle = handle;
    this.name = basename(path);
    this.#files = files;
    this.#cache = blocks;
    this.#id = blocks.nextFileId();
  }

  /** Opens a file. @param handle of its inflated copy, which is read in its place and stays open by itself */
  static async open(path: string, memory: FileMemory, handle?: FileHandle): Promise<BlockFile> {
    const file = new BlockFile(path, handle, memory);
    try {
      // The check notes its size.
      await file.#use(() => Promise.resolve());
      return file;
    } catch (error) {
      if (error instanceof PmError) throw error;
      return throwErrno(path)(error);
    }
  }

  get size(): number {
    return this.#size;
  }

  /** Look whether the file has changed its size. */
  async refresh(): Promise<void> {
    const { size } = await this.#try('looking for its size', () => this.#use((handle) => handle.stat()));
    if (size === this.#size) return;
    const firstStale = Math.floor(Math.min(size, this.#size) / BLOCK_BYTES);
    const last = Math.floor(Math.max(size, this.#size) / BLOCK_BYTES);
    for (let block = firstStale; block <= last; block++) {
      this.#cache.blocks.delete(this.#key(block));
      this.#inFlight.delete(block);
    }
    this.#size = size;
  }

  /** A copy of `length` bytes from `offset`, by way of the cache. Throws PM_ERR_LOGREC for bytes that the file does not have. */
  async read(offset: number, length: number): Promise<Buffer> {
    this.#require(offset, length);
    const copy = Buffer.allocUnsafe(length);
    for (let at = 0; at < length;) {
      const { start, bytes } = await this.#block(offset + at);
      const from = offset + at - start;
      if (from >= bytes.length) throw this.#cutError(offset);
      at += bytes.copy(copy, at, from, from + length - at);
    }
    return copy;
  }

  /** The block of an offset, held: the caller releases it. */
  async hold(offset: number): Promise<Block> {
    this.#require(offset, 1);
    return (await this.#block(offset)).hold();
  }

  /** The block of an offset when it is in memory; good until the next await unless it is held. */
  peekBlock(offset: number): Block | undefined {
    return this.#cache.blocks.get(this.#key(Math.floor(offset / BLOCK_BYTES)));
  }

  /** A copy of bytes that lie in two blocks, when both are in memory. */
  peekAcross(offset: number, length: number): Buffer | undefined {
    const first = this.peekBlock(offset);
    if (!first || length > BLOCK_BYTES) return undefined;
    const fromFirst = first.start + BLOCK_BYTES - offset;
    const second = this.peekBlock(offset + fromFirst);
    if (!second?.covers(offset + fromFirst, length - fromFirst)) return undefined;
    const copy = Buffer.allocUnsafe(length);
    first.bytes.copy(copy, 0, offset - first.start);
    second.bytes.copy(copy, fromFirst, 0, length - fromFirst);
    return copy;
  }

  /** Begins to read the block of an offset for later readers; does not fail. */
  readAhead(offset: number): void {
    const block = Math.floor(offset / BLOCK_BYTES);
    if (block * BLOCK_BYTES >= this.#size || this.#cache.blocks.has(this.#key(block))) return;
    // The next reader reads it again, and gets the error.
    this.#load(block).catch(() => undefined);
  }

  /** Exactly `length` bytes from `offset` in one system read, past the cache. */
  async readExact(offset: number, length: number): Promise<Buffer> {
    this.#require(offset, length);
    const bytes = await this.#pread(() => Buffer.allocUnsafeSlow(length), offset, length);
    if (bytes.length < length) throw this.#cutError(offset);
    return bytes;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (let block = 0; block * BLOCK_BYTES < this.#size; block++) this.#cache.blocks.delete(this.#key(block));
    await this.#files.close(this);
  }

  #key(block: number): string {
    return `${this.#id}:${block}`;
  }

  #require(offset: number, length: number): void {
    if (!(offset >= 0) || !(length >= 0) || offset + length > this.#size) {
      const message = `${this.name}: ${length} bytes expected at offset ${offset}, but the file has ${this.#size}`;
      throw new PmError(PM_ERR.LOGREC, message);
    }
  }

  #cutError(offset: number): PmError {
    return new PmError(PM_ERR.LOGREC, `${this.name}: the file was truncated while it was read, at offset ${offset}`);
  }

  async #block(offset: number): Promise<Block> {
    const block = Math.floor(offset / BLOCK_BYTES);
    return this.#cache.blocks.get(this.#key(block)) ?? (await this.#load(block));
  }

  #load(block: number): Promise<Block> {
    const known = this.#inFlight.get(block);
    if (known) return known;
    const start = block * BLOCK_BYTES;
    const size = this.#size;
    const length = Math.min(BLOCK_BYTES, size - start);
    const take = (): Buffer => (length === BLOCK_BYTES ? this.#cache.takeBuffer() : Buffer.allocUnsafeSlow(length));
    const loading = this.#pread(take, start, length)
      .then((bytes) => {
        const made = new Block(start, bytes, this.#cache.recycle);
        // What was read before the file grew may be too short.
        if (this.#size === size) this.#cache.blocks.set(this.#key(block), made);
        return made;
      })
      .finally(() => {
        if (this.#inFlight.get(block) === loading) this.#inFlight.delete(block);
      });
    this.#inFlight.set(block, loading);
    return loading;
  }

  /** @param take gives the buffer to read into, once it is this file's turn */
  async #pread(take: () => Buffer, offset: number, length: number): Promise<Buffer> {
    return this.#try(`reading at offset ${offset}`, () =>
      this.#use(async (handle) => {
        const bytes = take();
        let filled = 0;
        while (filled < length) {
          const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
          this.readCount++;
          if (bytesRead === 0) break;
          filled += bytesRead;
        }
        this.bytesRead += filled;
        return filled === bytes.length ? bytes : bytes.subarray(0, filled);
      }),
    );
  }

  async #try<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof PmError) throw error;
      const errno = errnoOf(error);
      if (errno === ESTALE || errno === ENOENT) throw this.#replacedError(error);
      throw new PmError(errno, `${this.name}: ${what}`, { cause: error });
    }
  }

  async #use<T>(work: (handle: FileHandle) => Promise<T>): Promise<T> {
    const handle = this.#handle;
    if (handle) {
      return this.#files.inTurn(async () => {
        await this.#check(handle);
        return work(handle);
      });
    }
    try {
      return await this.#files.use(this, this.#path, (opened) => this.#check(opened), work);
    } catch (error) {
      if (error instanceof PmError || errnoOf(error) !== ENOENT || !(await this.#switchToCopy())) throw error;
      return this.#use(work);
    }
  }

  /** Reads the inflated copy from now on if the file was compressed since it was opened; returns whether it was. */
  async #switchToCopy(): Promise<boolean> {
    const copy = this.#identity === undefined ? undefined : await this.findCopy?.();
    if (!copy) return false;
    // Another read may have switched meanwhile.
    if (this.#handle !== copy) this.#identity = undefined;
    this.#handle = copy;
    return true;
  }

  /** Checks that what was opened is the same file as before, and still wanted. */
  async #check(handle: FileHandle): Promise<void> {
    if (this.#isClosed) throw new PmError(PM_ERR.NOCONTEXT, this.name);
    const found = await handle.stat();
    if (!found.isFile()) throw Object.assign(new Error('not a regular file'), { code: 'EISDIR' });
    const identity = `${found.dev}:${found.ino}`;
    this.#identity ??= identity;
    if (this.#size < 0) this.#size = found.size;
    if (identity !== this.#identity) throw this.#replacedError(undefined);
  }

  #replacedError(cause: unknown): PmError {
    const message = `${this.name}: removed or replaced while it was open; open the archive again`;
    return new PmError(ESTALE, message, { cause });
  }
}

const XZ_FOOTER_BYTES = 12;
/** Index and footer of an xz file of some thousand blocks. */
const XZ_TAIL_BYTES = 64 * 1024;

/** As it claims (gzip: modulo 4 GiB, of its last member); undefined if it does not, or is damaged. @see RFC 1952, and The .xz File Format */
export async function claimedPlainSize(
  file: BlockFile,
  compression: ArchiveFile['compression'],
): Promise<number | undefined> {
  if (compression === 'gzip' && file.size >= 18) return (await file.readExact(file.size - 4, 4)).readUInt32LE(0);
  if (compression !== 'xz' || file.size < XZ_FOOTER_BYTES) return undefined;
  const tail = await file.readExact(Math.max(file.size - XZ_TAIL_BYTES, 0), Math.min(file.size, XZ_TAIL_BYTES));
  return xzPlainSize(tail);
}

/** The sum of all blocks, from the index before the footer of a stream. */
function xzPlainSize(tail: Buffer): number | undefined {
  const footer = tail.length - XZ_FOOTER_BYTES;
  const indexBytes = (tail.readUInt32LE(footer + 4) + 1) * 4;
  let at = footer - indexBytes;
  if (tail.toString('latin1', tail.length - 2) !== 'YZ' || at < 0 || tail[at++] !== 0) return undefined;
  const next = (): number => {
    let value = 0;
    for (let scale = 1; at < footer && scale < Number.MAX_SAFE_INTEGER; scale *= 128) {
      const byte = tail[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) break;
    }
    return value;
  };
  const blocks = next();
  let size = 0;
  for (let block = 0; block < blocks && at < footer; block++) {
    next();
    size += next();
  }
  return size;
}
