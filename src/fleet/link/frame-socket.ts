import type { Socket } from 'node:net';
import type { Timers } from '../../kit/index.js';
import { FRAME, FrameReader, HEAD_BYTES, LinkViolation, writeHead, type FrameKind, type TakeFrame } from './frames.js';

/** How often a side sends something, if only a ping, and after how many such times without a byte the peer counts as dead. */
const PING_MS = 1000;
const SILENT_PINGS = 4;

const NOTHING = Buffer.alloc(0);

export interface FrameSocketOptions {
  readonly timers: Timers;
  /** Takes each frame but pings. What it throws ends the connection. */
  readonly take: TakeFrame;
  /** Called once, with why the connection ended. */
  readonly onClose: (reason: Error) => void;
}

/** A socket that frames go over. All frames of one turn of the event loop are written together. */
export class FrameSocket {
  isClosed = false;
  readonly #socket: Socket;
  readonly #options: FrameSocketOptions;
  readonly #reader: FrameReader;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isFlushing = false;
  #silent = 0;
  #cancelPing: () => void = () => undefined;

  constructor(socket: Socket, options: FrameSocketOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#reader = new FrameReader((kind, stream, payload) => this.#take(kind, stream, payload));
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      this.#silent = 0;
      if (this.isClosed) return;
      try {
        this.#reader.read(chunk);
      } catch (error) {
        this.close(error as Error);
      }
    });
    socket.on('error', (error) => this.close(error));
    socket.on('close', () => this.close(new Error('the peer closed the connection')));
  }

  /** Bytes that were sent and have not left this process. */
  get unsentBytes(): number {
    return this.#waitingBytes + this.#socket.writableLength;
  }

  /** The peer has shown who it is: all of its frames are read. */
  trust(): void {
    this.#reader.isTrusted = true;
    this.#ping();
  }

  /** Sends a frame at the end of this turn; its payload may be given in two parts. */
  send(kind: FrameKind, stream: number, payload: Uint8Array = NOTHING, more: Uint8Array = NOTHING): void {
    if (this.isClosed) return;
    const length = payload.byteLength + more.byteLength;
    const head = Buffer.allocUnsafe(HEAD_BYTES);
    writeHead(head, 0, kind, stream, length);
    this.#waiting.push(head, payload, more);
    this.#waitingBytes += HEAD_BYTES + length;
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => this.#flush());
  }

  close(reason: Error): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#cancelPing();
    this.#waiting = [];
    this.#socket.destroy();
    this.#options.onClose(reason);
  }

  #flush(): void {
    this.#isFlushing = false;
    if (this.isClosed) return;
    this.#socket.write(Buffer.concat(this.#waiting, this.#waitingBytes));
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  #take(kind: FrameKind, stream: number, payload: Buffer): void {
    // An earlier frame of the same bytes may have ended the connection.
    if (this.isClosed) return;
    if (kind <= FRAME.hello || kind >= FRAME.ping) {
      if (stream !== 0) throw new LinkViolation('a frame of the connection on a stream');
    } else if (stream === 0) throw new LinkViolation('a frame of a stream without one');
    if (kind === FRAME.ping) this.send(FRAME.pong, 0);
    else if (kind !== FRAME.pong) this.#options.take(kind, stream, payload);
  }

  /** Counts pings, not time: a process that was stopped does not consider its peer dead when it continues. */
  #ping(): void {
    this.#cancelPing = this.#options.timers.after(PING_MS, () => {
      if (++this.#silent > SILENT_PINGS) {
        this.close(new Error(`the peer sent nothing for ${(SILENT_PINGS * PING_MS) / 1000} s`));
        return;
      }
      this.send(FRAME.ping, 0);
      this.#ping();
    });
  }
}
