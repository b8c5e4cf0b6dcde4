import { PM_ERR, PmError } from '../../pmapi/index.js';
import { formatPduType, PDU_HEADER_BYTES } from './pdu-types.js';

const EMPTY = Buffer.alloc(0);
const INITIAL_BYTES = 1024;
/** A PDU's length and type: needed before its maximum length is known. */
const CHECKED_BYTES = 8;

/** Splits a stream into PDUs: views of a chunk, or a buffer that grows with what arrived, not with what the header promises. */
export class FrameSplitter {
  readonly #maxBytes: (type: number) => number;
  #partial: Buffer = EMPTY;
  #partialLength = 0;

  constructor(maxBytes: (type: number) => number) {
    this.#maxBytes = maxBytes;
  }

  get pendingBytes(): number {
    return this.#partialLength;
  }

  /** Processes the stream's next bytes; calls `onFrame` with each complete PDU. Throws PM_ERR_IPC for an invalid length. */
  push(chunk: Buffer, onFrame: (frame: Buffer) => void): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#partialLength === 0) {
        const left = chunk.length - at;
        const length = left >= CHECKED_BYTES ? this.#checkedLength(chunk, at) : Infinity;
        if (length > left) {
          this.#append(chunk, at, chunk.length);
          return;
        }
        at += length;
        onFrame(chunk.subarray(at - length, at));
      } else {
        at = this.#resume(chunk, at, onFrame);
      }
    }
  }

  #resume(chunk: Buffer, from: number, onFrame: (frame: Buffer) => void): number {
    let at = from;
    if (this.#partialLength < CHECKED_BYTES) {
      const end = Math.min(chunk.length, at + CHECKED_BYTES - this.#partialLength);
      this.#append(chunk, at, end);
      at = end;
      if (this.#partialLength < CHECKED_BYTES) return at;
    }
    const length = this.#checkedLength(this.#partial, 0);
    const end = Math.min(chunk.length, at + length - this.#partialLength);
    this.#append(chunk, at, end);
    if (this.#partialLength === length) {
      const frame = this.#partial.subarray(0, length);
      this.#partial = EMPTY;
      this.#partialLength = 0;
      onFrame(frame);
    }
    return end;
  }

  #append(chunk: Buffer, start: number, end: number): void {
    const length = this.#partialLength + end - start;
    if (length > this.#partial.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, this.#partial.length * 2, INITIAL_BYTES));
      this.#partial.copy(grown, 0, 0, this.#partialLength);
      this.#partial = grown;
    }
    chunk.copy(this.#partial, this.#partialLength, start, end);
    this.#partialLength = length;
  }

  #checkedLength(bytes: Buffer, at: number): number {
    const length = bytes.readInt32BE(at);
    const type = bytes.readInt32BE(at + 4);
    const maxBytes = this.#maxBytes(type);
    if (length < PDU_HEADER_BYTES || length > maxBytes) {
      throw new PmError(
        PM_ERR.IPC,
        `a PDU of type ${formatPduType(type)} claims a length of ${length} bytes, expected ${PDU_HEADER_BYTES} to ${maxBytes}`,
      );
    }
    return length;
  }
}
