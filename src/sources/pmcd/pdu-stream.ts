import type { Duplex } from 'node:stream';
import { PM_ERR, PmError } from '../../pmapi/index.js';
import { formatPduType, PDU_HEADER_BYTES } from './pdu-types.js';

/** pmcd sends one PDU without a request, the first; more than these few are a flood. */
const MAX_UNREAD_FRAMES = 16;
const MAX_HANDSHAKE_BYTES = 65536;

/** Whole PDUs over a socket, {@link read} one at a time in the handshake, then delivered. Always drained, or pmcd's writes would block. */
export class PduStream {
  #socket: Duplex;
  readonly #maxBytes: (type: number) => number;
  readonly #frames: Buffer[] = [];
  #waiting: { resolve: (frame: Buffer) => void; reject: (error: Error) => void } | undefined;
  #onFrame: ((frame: Buffer) => void) | undefined;
  #onEnd: ((error: Error) => void) | undefined;
  #ended: Error | undefined;
  #detach: () => void;
  /**
   * Over TLS: PDUs not yet written, the first being written. Each needs a TLS record of its own: pmcd waits for its socket to become
   * readable and does not see what OpenSSL has decrypted already, so it answers the second PDU of a record when the next record
   * arrives, or never.
   */
  #unsent: Buffer[] | undefined;

  constructor(socket: Duplex, maxBytes: (type: number) => number) {
    this.#socket = socket;
    this.#maxBytes = maxBytes;
    this.#detach = this.#attach();
  }

  read(): Promise<Buffer> {
    const frame = this.#frames.shift();
    if (frame) return Promise.resolve(frame);
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => (this.#waiting = { resolve, reject }));
  }

  /** Sends whole PDUs. After the end they are dropped. */
  write(bytes: Uint8Array): void {
    if (this.#ended) return;
    if (this.#unsent === undefined) {
      this.#socket.write(bytes);
      return;
    }
    const isBusy = this.#unsent.length > 0;
    const pdus = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < pdus.length; at += pdus.readInt32BE(at)) {
      this.#unsent.push(pdus.subarray(at, at + pdus.readInt32BE(at)));
    }
    if (!isBusy) this.#writeRecord(this.#unsent);
  }

  /** From now on calls `onFrame` with each PDU, and `onEnd` once when the socket ends or a PDU is malformed. */
  deliverTo(onFrame: (frame: Buffer) => void, onEnd: (error: Error) => void): void {
    this.#onFrame = onFrame;
    this.#onEnd = onEnd;
    for (const frame of this.#frames.splice(0)) onFrame(frame);
    if (this.#ended) onEnd(this.#ended);
  }

  /** Replaces the socket by TLS over it. Nothing may be unread. */
  async replaceSocket(wrap: (socket: Duplex) => Promise<Duplex>): Promise<void> {
    if (this.#frames.length > 0) throw new PmError(PM_ERR.TLS, 'plain PDUs before the TLS handshake');
    this.#detach();
    this.#socket = await wrap(this.#socket);
    this.#unsent = [];
    if (this.#ended) this.#socket.destroy();
    else this.#detach = this.#attach();
  }

  /** Stops reading until {@link resume}: what has been read already is still delivered. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  destroy(error: Error): void {
    this.#socket.destroy();
    this.#end(error);
  }

  /** Writes the first of these PDUs, and the next when it has left: Node joins writes that wait into one record. */
  #writeRecord(unsent: Buffer[]): void {
    this.#socket.write(unsent[0]!, () => {
      unsent.shift();
      if (unsent.length > 0 && !this.#ended) this.#writeRecord(unsent);
    });
  }

  #attach(): () => void {
    const socket = this.#socket;
    const splitter = new FrameSplitter((type) => (this.#onFrame ? this.#maxBytes(type) : MAX_HANDSHAKE_BYTES));
    const onData = (chunk: Buffer): void => {
      try {
        splitter.push(chunk, (frame) => this.#take(frame));
      } catch (error) {
        this.destroy(error as Error);
      }
    };
    const onError = (error: Error): void => this.destroy(error);
    const onClose = (): void => this.destroy(new PmError(PM_ERR.EOF));
    // Stays when the others are removed: an error without a listener would end the process.
    socket.on('error', () => undefined);
    socket.on('data', onData).on('error', onError).on('end', onClose).on('close', onClose);
    return () => {
      socket.off('data', onData).off('error', onError).off('end', onClose).off('close', onClose);
    };
  }

  #take(frame: Buffer): void {
    if (this.#ended) return;
    if (this.#onFrame) this.#onFrame(frame);
    else if (this.#waiting) {
      const { resolve } = this.#waiting;
      this.#waiting = undefined;
      resolve(frame);
    } else if (this.#frames.push(frame) > MAX_UNREAD_FRAMES) {
      this.destroy(new PmError(PM_ERR.IPC, 'unsolicited PDUs'));
    }
  }

  #end(error: Error): void {
    if (this.#ended) return;
    this.#ended = error;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
    this.#onEnd?.(error);
  }
}

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
