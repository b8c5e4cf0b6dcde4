import { endianness } from 'node:os';

/** MMV files are in the byte order of the host that wrote them. */
const IS_LITTLE = endianness() === 'LE';
/** Offsets of the halves of a 64-bit number. */
const [LOW, HIGH] = IS_LITTLE ? [0, 4] : [4, 0];
const TWO_TO_32 = 2 ** 32;
const NUL = 0;

/** Bytes of an MMV file, in the byte order of this host. Callers check with {@link has} first: reading beyond the end throws. */
export class HostBytes {
  readonly #bytes: Buffer;
  readonly size: number;
  readonly #view: DataView;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.size = bytes.length;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Whether `length` bytes are at `offset`, which may be any number that {@link offset} reads. */
  has(offset: number, length: number): boolean {
    return offset + length <= this.size;
  }

  u32(at: number): number {
    return this.#view.getUint32(at, IS_LITTLE);
  }

  i32(at: number): number {
    return this.#view.getInt32(at, IS_LITTLE);
  }

  u64(at: number): bigint {
    return this.#view.getBigUint64(at, IS_LITTLE);
  }

  i64(at: number): bigint {
    return this.#view.getBigInt64(at, IS_LITTLE);
  }

  f32(at: number): number {
    return this.#view.getFloat32(at, IS_LITTLE);
  }

  f64(at: number): number {
    return this.#view.getFloat64(at, IS_LITTLE);
  }

  /** An unsigned 64-bit number as a JavaScript number: exact up to 2^53, which exceeds the size of any file. */
  offset(at: number): number {
    return this.u32(at + HIGH) * TWO_TO_32 + this.u32(at + LOW);
  }

  /** A signed 64-bit number; a bigint where it may be beyond ±2^53. */
  integer(at: number): number | bigint {
    const upper = this.i32(at + HIGH);
    return upper >= -0x200000 && upper < 0x200000 ? upper * TWO_TO_32 + this.u32(at + LOW) : this.i64(at);
  }

  isAllOnes(at: number): boolean {
    return this.i32(at) === -1 && this.i32(at + 4) === -1;
  }

  /** The UTF-8 text at `at`, up to a NUL and at most `length` bytes, or to the end. */
  text(at: number, length: number): string {
    return this.terminatedText(at, length) ?? this.#bytes.toString('utf8', at, at + length);
  }

  /** The same for a field that must have a NUL: undefined without one. */
  terminatedText(at: number, length: number): string | undefined {
    const field = this.#bytes.subarray(at, at + length);
    const end = field.indexOf(NUL);
    return end < 0 ? undefined : field.toString('utf8', 0, end);
  }
}
