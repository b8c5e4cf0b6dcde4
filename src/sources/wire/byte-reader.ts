import { PmError } from '../../pmapi/index.js';
import { decodeText, viewOf } from './bytes.js';

/** Reads big-endian fields of untrusted, borrowed bytes: each is checked first, and a PmError names one that does not fit. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #what: string;
  readonly #pmErr: number;
  /** For loops over fields whose bounds {@link require} checked. Relative to the first byte. */
  readonly view: DataView;
  readonly length: number;
  #offset = 0;

  /**
   * @param bytes what to read
   * @param what names the whole in messages: `DESC PDU`, `record 17 of foo.0`
   * @param pmErr the code of the errors thrown: PM_ERR.IPC for a PDU, PM_ERR.LOGREC for an archive record
   */
  constructor(bytes: Uint8Array, what: string, pmErr: number) {
    this.#bytes = bytes;
    this.view = viewOf(bytes);
    this.length = bytes.byteLength;
    this.#what = what;
    this.#pmErr = pmErr;
  }

  get offset(): number {
    return this.#offset;
  }

  get remaining(): number {
    return this.length - this.#offset;
  }

  /** To an offset, which may be the end. */
  seek(offset: number, field: string): void {
    if (!Number.isInteger(offset) || offset < 0 || offset > this.length) {
      this.fail(`${field} points to offset ${offset}, outside of ${this.length} bytes`);
    }
    this.#offset = offset;
  }

  skip(count: number, field: string): void {
    this.#take(count, field);
  }

  require(count: number, field: string): void {
    if (!(count >= 0) || count > this.length - this.#offset) {
      this.fail(`${field} at offset ${this.#offset} needs ${count} bytes, ${this.remaining} left`);
    }
  }

  /** Throw unless `count` bytes are there at `offset`; the reading position stays. */
  requireAt(offset: number, count: number, field: string): void {
    if (!(offset >= 0) || !(count >= 0) || offset + count > this.length) {
      this.fail(`${field} at offset ${offset} wants ${count} bytes of ${this.length}`);
    }
  }

  u8(field: string): number {
    return this.view.getUint8(this.#take(1, field));
  }

  u16(field: string): number {
    return this.view.getUint16(this.#take(2, field));
  }

  i32(field: string): number {
    return this.view.getInt32(this.#take(4, field));
  }

  u32(field: string): number {
    return this.view.getUint32(this.#take(4, field));
  }

  i64(field: string): bigint {
    return this.view.getBigInt64(this.#take(8, field));
  }

  /** A count of things of at least `unitBytes` each: not negative, and no more than the bytes that are left can hold. */
  count(unitBytes: number, field: string): number {
    const at = this.#offset;
    const count = this.i32(field);
    if (count < 0 || count * unitBytes > this.remaining) {
      this.fail(`${field} at offset ${at} is ${count}, but ${this.remaining} bytes are left`);
    }
    return count;
  }

  bytes(count: number, field: string): Uint8Array {
    const start = this.#take(count, field);
    return this.#bytes.subarray(start, start + count);
  }

  /** The next `count` bytes as UTF-8 text; invalid sequences become U+FFFD. */
  text(count: number, field: string): string {
    const start = this.#take(count, field);
    return decodeText(this.#bytes, start, start + count);
  }

  /** `count` bytes of text, and the padding up to the next word (relative to the text's start). */
  paddedText(count: number, field: string): string {
    const text = this.text(count, field);
    this.skip(roundUpToWord(count) - count, `padding of ${field}`);
    return text;
  }

  bytesAt(offset: number, count: number, field: string): Uint8Array {
    this.requireAt(offset, count, field);
    return this.#bytes.subarray(offset, offset + count);
  }

  /** Text of at most `count` bytes at `offset`, up to the first NUL; the reading position stays. */
  textAt(offset: number, count: number, field: string): string {
    this.requireAt(offset, count, field);
    const limit = offset + count;
    let end = offset;
    while (end < limit && this.#bytes[end] !== 0) end++;
    return decodeText(this.#bytes, offset, end);
  }

  /** The offset of the next `count` bytes, which are behind the reading position then. */
  #take(count: number, field: string): number {
    this.require(count, field);
    const start = this.#offset;
    this.#offset += count;
    return start;
  }

  /** Throws the reader's error: `message` says what is wrong and where. */
  fail(message: string): never {
    throw new PmError(this.#pmErr, `${this.#what}: ${message}`);
  }
}

/** The next multiple of 4, at or after `count`. */
export function roundUpToWord(count: number): number {
  return (count + 3) & ~3;
}
