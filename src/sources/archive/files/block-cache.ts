import { LRUCache } from 'lru-cache';
import { viewOf } from '../../wire/index.js';

/** Bytes of a block: the unit in which sequential readers read. */
export const BLOCK_BYTES = 1024 * 1024;

/** Empty buffers kept for the next blocks: about as many as are read at once. */
const SPARE_BUFFERS = 4;

/** A piece of a file in memory. Valid until the next await unless held: the cache overwrites the bytes of an evicted block. */
export class Block {
  readonly start: number;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly #recycle: (bytes: Uint8Array) => void;
  #holders = 0;
  #isDropped = false;

  /** @param recycle takes the bytes back when they are no longer needed */
  constructor(start: number, bytes: Uint8Array, recycle: (bytes: Uint8Array) => void) {
    this.start = start;
    this.bytes = bytes;
    this.view = viewOf(bytes);
    this.#recycle = recycle;
  }

  /** Whether the block has all of these bytes of the file. */
  covers(offset: number, length: number): boolean {
    return offset >= this.start && offset + length <= this.start + this.bytes.length;
  }

  /** Keeps the bytes unchanged until {@link release} was called as often. */
  hold(): this {
    this.#holders++;
    return this;
  }

  release(): void {
    this.#holders--;
    this.#giveBack();
  }

  /** The cache no longer has it. */
  drop(): void {
    this.#isDropped = true;
    this.#giveBack();
  }

  #giveBack(): void {
    if (this.#isDropped && this.#holders === 0) this.#recycle(this.bytes);
  }
}

/** Blocks of all open files within a bound of bytes, evicted least recently used first. Buffers are reused: fresh ones are costly. */
export class BlockCache {
  /** By {@link nextFileId} and number. */
  readonly blocks: LRUCache<string, Block>;
  readonly #spare: Uint8Array[] = [];
  #files = 0;

  constructor(maxBytes: number) {
    this.blocks = new LRUCache({
      maxSize: Math.max(maxBytes, 2 * BLOCK_BYTES),
      sizeCalculation: ({ bytes }) => Math.max(bytes.length, 1),
      dispose: (block) => {
        block.drop();
      },
    });
  }

  get bytes(): number {
    return this.blocks.calculatedSize;
  }

  nextFileId(): number {
    return this.#files++;
  }

  /** A full-size buffer for a block; not cleared. */
  takeBuffer(): Uint8Array {
    return this.#spare.pop() ?? new Uint8Array(BLOCK_BYTES);
  }

  /** Takes back a buffer that has no reader left. */
  readonly recycle = (bytes: Uint8Array): void => {
    const { buffer } = bytes;
    if (buffer.byteLength === BLOCK_BYTES && this.#spare.length < SPARE_BUFFERS)
      this.#spare.push(new Uint8Array(buffer));
  };

  /** Drop every block, and the buffers that are kept for others. */
  clear(): void {
    this.blocks.clear();
    this.#spare.length = 0;
  }
}
