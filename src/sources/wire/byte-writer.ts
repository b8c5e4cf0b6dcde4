import { roundUpToWord } from './byte-reader.js';

const PADDING = 0x7e;
const INITIAL_BYTES = 256;

export class ByteWriter {
  #bytes: Buffer;
  #length = 0;

  /** @param capacity the expected size in bytes */
  constructor(capacity = INITIAL_BYTES) {
    this.#bytes = Buffer.allocUnsafe(Math.max(capacity, 16));
  }

  get length(): number {
    return this.#length;
  }

  u8(value: number): this {
    const at = this.#grow(1);
    this.#bytes.writeUInt8(value, at);
    return this;
  }

  u16(value: number): this {
    const at = this.#grow(2);
    this.#bytes.writeUInt16BE(value, at);
    return this;
  }

  i32(value: number): this {
    const at = this.#grow(4);
    this.#bytes.writeInt32BE(value | 0, at);
    return this;
  }

  u32(value: number): this {
    const at = this.#grow(4);
    this.#bytes.writeUInt32BE(value >>> 0, at);
    return this;
  }

  /** Words of 32 bits, signed or unsigned. */
  words(...values: readonly number[]): this {
    for (const value of values) this.i32(value);
    return this;
  }

  /** 64 bits, signed or unsigned: taken modulo 2^64. */
  i64(value: bigint): this {
    const at = this.#grow(8);
    this.#bytes.writeBigInt64BE(BigInt.asIntN(64, value), at);
    return this;
  }

  f32(value: number): this {
    const at = this.#grow(4);
    this.#bytes.writeFloatBE(value, at);
    return this;
  }

  f64(value: number): this {
    const at = this.#grow(8);
    this.#bytes.writeDoubleBE(value, at);
    return this;
  }

  bytes(value: Uint8Array): this {
    const at = this.#grow(value.length);
    this.#bytes.set(value, at);
    return this;
  }

  /** Bytes, and `~` up to the next word (relative to their start). */
  paddedBytes(value: Uint8Array): this {
    this.bytes(value);
    return this.fill(PADDING, roundUpToWord(value.length) - value.length);
  }

  fill(value: number, count: number): this {
    const start = this.#grow(count);
    this.#bytes.fill(value, start, start + count);
    return this;
  }

  patchI32(offset: number, value: number): this {
    if (offset + 4 > this.#length) throw new RangeError(`nothing was written at offset ${offset} yet`);
    this.#bytes.writeInt32BE(value | 0, offset);
    return this;
  }

  /** What was written; the writer must not be used afterwards. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(count: number): number {
    const start = this.#length;
    const end = start + count;
    if (end > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(end, this.#bytes.length * 2));
      this.#bytes.copy(grown, 0, 0, start);
      this.#bytes = grown;
    }
    this.#length = end;
    return start;
  }
}
