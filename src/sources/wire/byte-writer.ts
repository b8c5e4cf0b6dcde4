import { roundUpToWord } from './byte-reader.js';
import { encodeText, viewOf } from './bytes.js';

const PADDING = 0x7e;
const INITIAL_BYTES = 256;

export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #length = 0;

  /** @param capacity the expected size in bytes */
  constructor(capacity = INITIAL_BYTES) {
    this.#bytes = new Uint8Array(Math.max(capacity, 16));
    this.#view = viewOf(this.#bytes);
  }

  get length(): number {
    return this.#length;
  }

  u8(value: number): this {
    const at = this.#grow(1);
    this.#view.setUint8(at, value);
    return this;
  }

  u16(value: number): this {
    const at = this.#grow(2);
    this.#view.setUint16(at, value);
    return this;
  }

  i32(value: number): this {
    const at = this.#grow(4);
    this.#view.setInt32(at, value);
    return this;
  }

  u32(value: number): this {
    const at = this.#grow(4);
    this.#view.setUint32(at, value);
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
    this.#view.setBigInt64(at, value);
    return this;
  }

  f32(value: number): this {
    const at = this.#grow(4);
    this.#view.setFloat32(at, value);
    return this;
  }

  f64(value: number): this {
    const at = this.#grow(8);
    this.#view.setFloat64(at, value);
    return this;
  }

  bytes(value: Uint8Array): this {
    const at = this.#grow(value.length);
    this.#bytes.set(value, at);
    return this;
  }

  text(value: string): this {
    return this.bytes(encodeText(value));
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
    this.#view.setInt32(offset, value);
    return this;
  }

  /** What was written; the writer must not be used afterwards. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(count: number): number {
    const start = this.#length;
    const end = start + count;
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(end, this.#bytes.length * 2));
      grown.set(this.#bytes);
      this.#bytes = grown;
      this.#view = viewOf(grown);
    }
    this.#length = end;
    return start;
  }
}
