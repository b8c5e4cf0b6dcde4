import { PM_ERR, PmError } from '../../../pmapi/index.js';
import { viewOf } from '../../wire/index.js';
import { ENOENT, ESTALE, type ArchiveFile } from './archive-files.js';
import { BLOCK_BYTES, Block, type BlockCache } from './block-cache.js';
import type { ByteFile } from './byte-file.js';

/**
 * A file read in blocks of a shared {@link BlockCache}, or exactly. It may grow ({@link refresh} looks); be replaced, and then reading fails;
 * or be compressed, and then its inflated copy is read. Counts its reads, for tests.
 */
export class BlockFile {
  readonly name: string;
  readCount = 0;
  bytesRead = 0;
  /** Opens the inflated copy of the compressed file that has taken the place of this one, if there is one. */
  findCopy: (() => Promise<ByteFile | undefined>) | undefined;
  #file: ByteFile;
  readonly #cache: BlockCache;
  readonly #id: number;
  readonly #inFlight = new Map<number, Promise<Block>>();
  #size: number;
  #isClosed = false;

  /** @param file closed with this */
  constructor(file: ByteFile, cache: BlockCache) {
    this.name = file.name;
    this.#file = file;
    this.#size = file.size;
    this.#cache = cache;
    this.#id = cache.nextFileId();
  }

  get size(): number {
    return this.#size;
  }

  /** See {@link ByteFile.damage}. */
  get damage(): PmError | undefined {
    return this.#file.damage;
  }

  /** Look whether the file has changed its size. */
  async refresh(): Promise<void> {
    const size = await this.#use(async (file) => file.refresh?.() ?? file.size);
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
  async read(offset: number, length: number): Promise<Uint8Array> {
    this.#require(offset, length);
    const copy = new Uint8Array(length);
    for (let at = 0; at < length;) {
      const { start, bytes } = await this.#block(offset + at);
      const piece = bytes.subarray(offset + at - start, offset + length - start);
      if (piece.length === 0) throw this.#cutError(offset);
      copy.set(piece, at);
      at += piece.length;
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

  /** Bytes that are in memory, not copied if they lie in one block: good until the next await. */
  peek(offset: number, length: number): Uint8Array | undefined {
    const block = this.peekBlock(offset);
    if (!block?.covers(offset, length)) return block && this.peekAcross(offset, length);
    return block.bytes.subarray(offset - block.start, offset - block.start + length);
  }

  /** A copy of bytes that lie in two blocks, when both are in memory. */
  peekAcross(offset: number, length: number): Uint8Array | undefined {
    const first = this.peekBlock(offset);
    if (!first || length > BLOCK_BYTES) return undefined;
    const fromFirst = first.start + BLOCK_BYTES - offset;
    const second = this.peekBlock(offset + fromFirst);
    if (!second?.covers(offset + fromFirst, length - fromFirst)) return undefined;
    const copy = new Uint8Array(length);
    copy.set(first.bytes.subarray(offset - first.start));
    copy.set(second.bytes.subarray(0, length - fromFirst), fromFirst);
    return copy;
  }

  /** Begins to read the block of an offset for later readers; does not fail. */
  readAhead(offset: number): void {
    const block = Math.floor(offset / BLOCK_BYTES);
    if (block * BLOCK_BYTES >= this.#size || this.#cache.blocks.has(this.#key(block))) return;
    // The next reader reads it again, and gets the error.
    this.#load(block).catch(() => undefined);
  }

  /** Exactly `length` bytes from `offset` in one read, past the cache. */
  async readExact(offset: number, length: number): Promise<Uint8Array> {
    this.#require(offset, length);
    const bytes = await this.#readFile(offset, length);
    if (bytes.length < length) throw this.#cutError(offset);
    return bytes;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (let block = 0; block * BLOCK_BYTES < this.#size; block++) this.#cache.blocks.delete(this.#key(block));
    await this.#file.close();
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
    const take = length === BLOCK_BYTES ? (): Uint8Array => this.#cache.takeBuffer() : undefined;
    const loading = this.#readFile(start, length, take)
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

  async #readFile(offset: number, length: number, take?: () => Uint8Array): Promise<Uint8Array> {
    const bytes = await this.#use((file) => file.read(offset, length, take));
    this.readCount++;
    this.bytesRead += bytes.length;
    return bytes;
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new PmError(PM_ERR.NOCONTEXT, this.name);
  }

  /** Uses the file, or its inflated copy if it was compressed since it was opened. */
  async #use<T>(work: (file: ByteFile) => Promise<T>): Promise<T> {
    this.#requireOpen();
    const file = this.#file;
    try {
      return await work(file);
    } catch (error) {
      this.#requireOpen();
      const pmErr = error instanceof PmError ? error.pmErr : 0;
      const copy = pmErr === ENOENT && this.#file === file ? await this.findCopy?.() : undefined;
      // Another reader may have switched meanwhile.
      if (copy && (this.#isClosed || this.#file !== file)) await copy.close();
      else if (copy) {
        this.#file = copy;
        await file.close();
      }
      if (this.#file !== file) return this.#use(work);
      if (pmErr !== ENOENT && pmErr !== ESTALE) throw error;
      const message = `${this.name}: removed or replaced while it was open; open the archive again`;
      throw new PmError(ESTALE, message, { cause: error });
    }
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
  if (compression === 'gzip' && file.size >= 18)
    return viewOf(await file.readExact(file.size - 4, 4)).getUint32(0, true);
  if (compression !== 'xz' || file.size < XZ_FOOTER_BYTES) return undefined;
  const tail = await file.readExact(Math.max(file.size - XZ_TAIL_BYTES, 0), Math.min(file.size, XZ_TAIL_BYTES));
  return xzPlainSize(tail);
}

/** The sum of all blocks, from the index before the footer of a stream. */
function xzPlainSize(tail: Uint8Array): number | undefined {
  const footer = tail.length - XZ_FOOTER_BYTES;
  const indexBytes = (viewOf(tail).getUint32(footer + 4, true) + 1) * 4;
  let at = footer - indexBytes;
  if (tail.at(-2) !== 0x59 || tail.at(-1) !== 0x5a || at < 0 || tail[at++] !== 0) return undefined;
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
