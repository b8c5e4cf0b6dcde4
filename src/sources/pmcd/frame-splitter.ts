import { PM_ERR, PmError } from '../../pmapi/index.js';
import { PDU_HEADER_BYTES } from './pdu-types.js';

const EMPTY = Buffer.alloc(0);
const INITIAL_BYTES = 1024;

/**
 * Cuts a byte stream into PDUs, wherever the stream's chunks begin and end. A PDU that came in one chunk is a view of that
 * chunk; others are put together in a buffer that grows with what arrived, not with what the header promises.
 */
export class FrameSplitter {
  readonly #maxBytes: number;
  #partial: Buffer = EMPTY;
  #partialLength = 0;

  /** @param maxBytes the longest PDU to accept */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of a PDU that is not complete yet. */
  get pendingBytes(): number {
    return this.#partialLength;
  }

  /** Take the stream's next bytes; calls `onFrame` with each PDU that is now complete. Throws PM_ERR_IPC for a length that no PDU has. */
  push(chunk: Buffer, onFrame: (frame: Buffer) => void): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#partialLength === 0) {
        const left = chunk.length - at;
        const length = left >= 4 ? this.#checked(chunk.readInt32BE(at)) : Infinity;
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
    if (this.#partialLength < 4) {
      const end = Math.min(chunk.length, at + 4 - this.#partialLength);
      this.#append(chunk, at, end);
      at = end;
      if (this.#partialLength < 4) return at;
    }
    const length = this.#checked(this.#partial.readInt32BE(0));
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

  #checked(length: number): number {
    if (length < PDU_HEADER_BYTES || length > this.#maxBytes) {
      throw new PmError(
        PM_ERR.IPC,
        `a PDU claims a length of ${length} bytes, expected ${PDU_HEADER_BYTES} to ${this.#maxBytes}`,
      );
    }
    return length;
  }
}
