import { basename } from 'node:path';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { PM_ERR, PmError } from '../../pmapi/index.js';
import { errnoOf } from './archive-files.js';

/** Bytes of a block: the unit in which sequential readers read. */
export const BLOCK_BYTES = 1024 * 1024;

/** Raw blocks of all open files, together within a bound of bytes; the least recently used go first. */
export class BlockCache {
  readonly #blocks: LRUCache<string, Buffer>;
  #files = 0;

  constructor(maxBytes: number) {
    this.#blocks = new LRUCache({
      maxSize: Math.max(maxBytes, 2 * BLOCK_BYTES),
      sizeCalculation: (block) => Math.max(block.length, 1),
    });
  }

  /** Bytes held. */
  get bytes(): number {
    return this.#blocks.calculatedSize;
  }

  /** A number of its own for each file. */
  nextFileId(): number {
    return this.#files++;
  }

  get(key: string): Buffer | undefined {
    return this.#blocks.get(key);
  }

  set(key: string, block: Buffer): void {
    this.#blocks.set(key, block);
  }

  has(key: string): boolean {
    return this.#blocks.has(key);
  }

  delete(key: string): void {
    this.#blocks.delete(key);
  }
}

/**
 * A file read in blocks by way of a shared {@link BlockCache}, or in exact pieces past it. Counts what it asks of the
 * system, so that tests can hold readers to their plans. The file may grow: {@link refresh} looks.
 */
export class BlockFile {
  /** How the file is called in messages. */
  readonly name: string;
  /** Reads asked of the system, and the bytes they gave. */
  readCount = 0;
  bytesRead = 0;
  readonly #handle: FileHandle;
  readonly #cache: BlockCache;
  readonly #id: number;
  readonly #inFlight = new Map<number, Promise<Buffer>>();
  #size: number;

  private constructor(name: string, handle: FileHandle, size: number, cache: BlockCache) {
    this.name = name;
    this.#handle = handle;
    this.#size = size;
    this.#cache = cache;
    this.#id = cache.nextFileId();
  }

  /** Open a file for reading. @param original of an inflated copy; messages say its name, not where it is */
  static async open(path: string, cache: BlockCache, original: string = path): Promise<BlockFile> {
    const name = basename(original);
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, 'r');
      const found = await handle.stat();
      if (!found.isFile()) throw Object.assign(new Error('not a regular file'), { code: 'EISDIR' });
      return new BlockFile(name, handle, found.size, cache);
    } catch (error) {
      await handle?.close();
      throw new PmError(errnoOf(error), name, { cause: error });
    }
  }

  /** Bytes of the file when it was last looked at. */
  get size(): number {
    return this.#size;
  }

  /** Look whether the file has changed its size. */
  async refresh(): Promise<void> {
    const { size } = await this.#handle.stat();
    if (size === this.#size) return;
    const firstStale = Math.floor(Math.min(size, this.#size) / BLOCK_BYTES);
    const last = Math.floor(Math.max(size, this.#size) / BLOCK_BYTES);
    for (let block = firstStale; block <= last; block++) {
      this.#cache.delete(this.#key(block));
      this.#inFlight.delete(block);
    }
    this.#size = size;
  }

  /**
   * `length` bytes from `offset` by way of the cache: a view of a cached block where possible, never to be written to.
   * Throws PM_ERR_LOGREC for bytes that the file does not have.
   */
  async read(offset: number, length: number): Promise<Buffer> {
    this.#require(offset, length);
    const first = Math.floor(offset / BLOCK_BYTES);
    const last = Math.floor((offset + Math.max(length, 1) - 1) / BLOCK_BYTES);
    if (first === last) {
      const block = this.#cache.get(this.#key(first)) ?? (await this.#load(first));
      return this.#slice(block, offset - first * BLOCK_BYTES, length, offset);
    }
    const joined = Buffer.allocUnsafe(length);
    for (let block = first, at = 0; block <= last; block++) {
      const bytes = this.#cache.get(this.#key(block)) ?? (await this.#load(block));
      const start = block === first ? offset - first * BLOCK_BYTES : 0;
      const part = this.#slice(bytes, start, Math.min(length - at, BLOCK_BYTES - start), offset);
      part.copy(joined, at);
      at += part.length;
    }
    return joined;
  }

  /** The same bytes when all of them, in at most two blocks, are in the cache already; undefined otherwise. */
  peek(offset: number, length: number): Buffer | undefined {
    const block = Math.floor(offset / BLOCK_BYTES);
    const start = offset - block * BLOCK_BYTES;
    const bytes = this.#cache.get(this.#key(block));
    if (!bytes) return undefined;
    if (start + length <= bytes.length) return bytes.subarray(start, start + length);
    const more = start + length - BLOCK_BYTES;
    if (bytes.length < BLOCK_BYTES || more > BLOCK_BYTES) return undefined;
    const next = this.#cache.get(this.#key(block + 1));
    if (!next || next.length < more) return undefined;
    const joined = Buffer.allocUnsafe(length);
    bytes.copy(joined, 0, start);
    next.copy(joined, length - more, 0, more);
    return joined;
  }

  /** Begin to read the block that an offset is in, for those who will come there; does not fail. */
  readAhead(offset: number): void {
    const block = Math.floor(offset / BLOCK_BYTES);
    if (block * BLOCK_BYTES >= this.#size || this.#cache.has(this.#key(block))) return;
    // Whoever gets there reads it again, and learns what was wrong.
    this.#load(block).catch(() => undefined);
  }

  /** Exactly `length` bytes from `offset`, past the cache: one read of the system's. */
  async readExact(offset: number, length: number): Promise<Buffer> {
    this.#require(offset, length);
    const bytes = await this.#pread(offset, length);
    return this.#slice(bytes, 0, length, offset);
  }

  async close(): Promise<void> {
    for (let block = 0; block * BLOCK_BYTES < this.#size; block++) this.#cache.delete(this.#key(block));
    await this.#handle.close();
  }

  #key(block: number): string {
    return `${this.#id}:${block}`;
  }

  #require(offset: number, length: number): void {
    if (!(offset >= 0) || !(length >= 0) || offset + length > this.#size) {
      throw new PmError(
        PM_ERR.LOGREC,
        `${this.name}: ${length} bytes wanted at offset ${offset}, but the file has ${this.#size}`,
      );
    }
  }

  #slice(bytes: Buffer, start: number, length: number, offset: number): Buffer {
    if (start + length > bytes.length) {
      throw new PmError(PM_ERR.LOGREC, `${this.name}: the file was cut while it was read, at offset ${offset}`);
    }
    return bytes.subarray(start, start + length);
  }

  #load(block: number): Promise<Buffer> {
    const known = this.#inFlight.get(block);
    if (known) return known;
    const start = block * BLOCK_BYTES;
    const size = this.#size;
    const loading = this.#pread(start, Math.min(BLOCK_BYTES, size - start))
      .then((bytes) => {
        // What was read before the file grew may be too short.
        if (this.#size === size) this.#cache.set(this.#key(block), bytes);
        return bytes;
      })
      .finally(() => {
        if (this.#inFlight.get(block) === loading) this.#inFlight.delete(block);
      });
    this.#inFlight.set(block, loading);
    return loading;
  }

  async #pread(offset: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafeSlow(length);
    let filled = 0;
    try {
      while (filled < length) {
        const { bytesRead } = await this.#handle.read(bytes, filled, length - filled, offset + filled);
        this.readCount++;
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
    } catch (error) {
      throw new PmError(errnoOf(error), `${this.name}: reading at offset ${offset}`, { cause: error });
    }
    this.bytesRead += filled;
    return filled === length ? bytes : bytes.subarray(0, filled);
  }
}
