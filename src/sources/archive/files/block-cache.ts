import { LRUCache } from 'lru-cache';

/** Bytes of a block: the unit in which sequential readers read. */
export const BLOCK_BYTES = 1024 * 1024;

/** Buffers that are kept for the next blocks although no block is in them: about as many as are read at once. */
const SPARE_BUFFERS = 4;

/**
 * A piece of a file in memory. Its bytes are overwritten when the cache evicts it, unless it is held: without holding it, they
 * are valid until the next await.
 */
export class Block {
  /** Where in the file it begins. */
  readonly start: number;
  readonly bytes: Buffer;
  readonly view: DataView;
  readonly #recycle: (bytes: Buffer) => void;
  #holders = 0;
  #isDropped = false;

  /** @param recycle takes the bytes back when they are no longer needed */
  constructor(start: number, bytes: Buffer, recycle: (bytes: Buffer) => void) {
    this.start = start;
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#recycle = recycle;
  }

  /** Whether the block has all of these bytes of the file. */
  covers(offset: number, length: number): boolean {
    return offset >= this.start && offset + length <= this.start + this.bytes.length;
  }

  /** Keep the bytes as they are until {@link release} is called as often. */
  hold(): this {
    this.#holders++;
    return this;
  }

  release(): void {
    this.#holders--;
    this.#giveBack();
  }

  /** Told when the cache no longer has it. */
  drop(): void {
    this.#isDropped = true;
    this.#giveBack();
  }

  #giveBack(): void {
    if (this.#isDropped && this.#holders === 0) this.#recycle(this.bytes);
  }
}

/**
 * Blocks of all open files, together within a bound of bytes; the least recently used go first. The buffers of those that went
 * are used again: fresh ones would have to be got from the system, cleared, and collected as garbage.
 */
export class BlockCache {
  readonly #blocks: LRUCache<string, Block>;
  readonly #spare: Buffer[] = [];
  #files = 0;

  constructor(maxBytes: number) {
    this.#blocks = new LRUCache({
      maxSize: Math.max(maxBytes, 2 * BLOCK_BYTES),
      sizeCalculation: ({ bytes }) => Math.max(bytes.length, 1),
      dispose: (block) => {
        block.drop();
      },
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

  /** A buffer for a block, of the full size; whatever was in it still is. */
  takeBuffer(): Buffer {
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
  }

  /** Takes back a buffer that has no reader left. */
  readonly recycle = (bytes: Buffer): void => {
    const { buffer } = bytes;
    if (buffer.byteLength === BLOCK_BYTES && this.#spare.length < SPARE_BUFFERS) this.#spare.push(Buffer.from(buffer));
  };

  get(key: string): Block | undefined {
    return this.#blocks.get(key);
  }

  set(key: string, block: Block): void {
    this.#blocks.set(key, block);
  }

  has(key: string): boolean {
    return this.#blocks.has(key);
  }

  delete(key: string): void {
    this.#blocks.delete(key);
  }

  /** Drop every block, and the buffers that are kept for others. */
  clear(): void {
    this.#blocks.clear();
    this.#spare.length = 0;
  }
}
