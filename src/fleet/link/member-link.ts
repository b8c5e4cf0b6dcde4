import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { systemTimers, type Timers } from '../../kit/index.js';
import { FrameSocket } from './frame-socket.js';
import { decodeJson, encodeJson, FRAME, LinkViolation, MAX_CALL_BYTES, STREAM_CREDIT_BYTES } from './frames.js';
import type { FrameKind } from './frames.js';
import { LinkError, readAnswer, type HandedCall, type LinkAnswer, type OnClose } from './handed-call.js';
import type { LinkAddress, Peer } from '../contracts.js';
import { checkSecurity, Handshake, type LinkSecurity } from './handshake.js';

export interface LinkOptions {
  readonly name: string;
  readonly security: LinkSecurity;
  readonly timers?: Timers;
  /** Reports what an administrator has to know. */
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** How long a connection may take until its handshake is over. */
export const HANDSHAKE_MS = 3000;
/** How long no new connection is tried after one failed; doubled each time, up to the second figure. */
const RETRY_MS = 100;
const MAX_RETRY_MS = 3000;
/** How often unused connections are looked for: one that was not used in between is closed. */
const IDLE_MS = 60_000;
/** Streams of a connection are never used twice; after these another connection is made. */
const LAST_STREAM = 0xff_ff_ff_ff;
/** Calls are refused while so much waits for a member that does not read. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;

/** Calls other members: one connection to each, made when it is needed. */
export class MemberLink {
  readonly #options: LinkOptions;
  readonly #timers: Timers;
  readonly #lines = new Map<string, Line>();
  #cancelSweep: (() => void) | undefined;
  #isClosed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
  }

  /** Has a member answer a call; when the client leaves, this rejects and tells the member. Throws LinkError. */
  async call(member: Peer, call: HandedCall, onClose: OnClose): Promise<LinkAnswer> {
    if (this.#isClosed) throw new LinkError('the link is closed', false);
    const key = JSON.stringify([member.id, member.link]);
    let line = this.#lines.get(key);
    if (!line) {
      line = new Line(member, this.#options, this.#timers);
      this.#lines.set(key, line);
      if (!this.#cancelSweep) this.#sweepLater();
    }
    const { connection } = line;
    return (connection instanceof Promise ? await connection : connection).call(call, onClose);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelSweep?.();
    for (const line of this.#lines.values()) line.close();
    this.#lines.clear();
    return Promise.resolve();
  }

  #sweepLater(): void {
    this.#cancelSweep = this.#timers.after(IDLE_MS, () => {
      this.#cancelSweep = undefined;
      for (const [key, line] of this.#lines) {
        if (line.wasUsed()) continue;
        line.close();
        this.#lines.delete(key);
      }
      if (this.#lines.size > 0) this.#sweepLater();
    });
  }
}

class Line {
  readonly #member: Peer;
  readonly #options: LinkOptions;
  readonly #timers: Timers;
  #connection: CallConnection | Promise<CallConnection> | undefined;
  #failures = 0;
  #notBeforeMs = -Infinity;
  #isUsed = false;

  constructor(member: Peer, options: LinkOptions, timers: Timers) {
    this.#member = member;
    this.#options = options;
    this.#timers = timers;
  }

  /** A connection that takes calls. Throws, or rejects with, LinkError. */
  get connection(): CallConnection | Promise<CallConnection> {
    this.#isUsed = true;
    if (this.#connection instanceof Promise || this.#connection?.takesCalls === true) return this.#connection;
    if (this.#timers.nowMs() < this.#notBeforeMs)
      throw new LinkError(`${this.#member.id} was not reached just now`, false);
    const opening = this.#open();
    this.#connection = opening;
    return opening;
  }

  /** Whether it is in use or was used since the previous call. */
  wasUsed(): boolean {
    const wasUsed = this.#isUsed || this.#connection instanceof Promise || (this.#connection?.calls ?? 0) > 0;
    this.#isUsed = false;
    return wasUsed;
  }

  close(): void {
    const reason = new Error('the link is closed');
    if (this.#connection instanceof Promise)
      void this.#connection.then(
        (made) => made.close(reason),
        () => undefined,
      );
    else this.#connection?.close(reason);
  }

  async #open(): Promise<CallConnection> {
    try {
      const made = await CallConnection.open(this.#member, this.#options, this.#timers);
      this.#failures = 0;
      this.#connection = made;
      return made;
    } catch (error) {
      this.#connection = undefined;
      this.#notBeforeMs = this.#timers.nowMs() + Math.min(RETRY_MS * 2 ** this.#failures, MAX_RETRY_MS);
      if (this.#failures++ === 0) {
        this.#options.warn('cannot reach a member over the link', {
          member: this.#member.id,
          reason: (error as Error).message,
        });
      }
      throw new LinkError(`cannot reach ${this.#member.id}`, false, { cause: error });
    }
  }
}

/** A call that waits for its answer, or for the rest of it. */
interface OpenCall {
  /** Undefined once the answer has begun. */
  answered: ((answer: LinkAnswer) => void) | undefined;
  readonly fail: (error: Error) => void;
  body: PieceQueue | undefined;
}

class CallConnection {
  readonly #member: Peer;
  readonly #socket: FrameSocket;
  readonly #handshake: Handshake;
  readonly #calls = new Map<number, OpenCall>();
  readonly #warn: LinkOptions['warn'];
  /** Ends the handshake: with an error if it failed. */
  #settle: ((error?: Error) => void) | undefined;
  #lastStream = 0;

  private constructor(member: Peer, socket: Socket, options: LinkOptions, timers: Timers) {
    const { name, security, warn } = options;
    this.#member = member;
    this.#warn = warn;
    this.#handshake = new Handshake('caller', name, security);
    this.#socket = new FrameSocket(socket, {
      timers,
      take: (kind, stream, payload) => this.#take(kind, stream, payload),
      onClose: (reason) => this.#ended(reason),
    });
  }

  /** Resolves when the handshake is over; rejects with why there is no connection. */
  static open(member: Peer, options: LinkOptions, timers: Timers): Promise<CallConnection> {
    return new Promise((resolve, reject) => {
      checkSecurity(options.security, member.link);
      const made = new CallConnection(member, dial(member.link, options.security), options, timers);
      const cancel = timers.after(HANDSHAKE_MS, () => made.close(new Error('no handshake in time')));
      made.#settle = (error) => {
        cancel();
        if (error) reject(error);
        else resolve(made);
      };
    });
  }

  get takesCalls(): boolean {
    return !this.#socket.isClosed && this.#lastStream < LAST_STREAM;
  }

  get calls(): number {
    return this.#calls.size;
  }

  call(call: HandedCall, onClose: OnClose): Promise<LinkAnswer> {
    const { body, ...parts } = call;
    const head = encodeJson(body !== undefined, parts);
    const size = head.length + (body?.byteLength ?? 0);
    if (size > MAX_CALL_BYTES) return Promise.reject(new LinkError(`a call of ${size} bytes is too large`, false));
    if (this.#socket.isClosed || this.#socket.unsentBytes + size > MAX_UNSENT_BYTES) {
      return Promise.reject(new LinkError(`${this.#member.id} does not take calls`, false));
    }
    const stream = ++this.#lastStream;
    return new Promise((resolve, reject) => {
      this.#calls.set(stream, { answered: resolve, fail: reject, body: undefined });
      this.#socket.send(FRAME.call, stream, head, body);
      onClose(() => this.#cancel(stream));
    });
  }

  close(reason: Error): void {
    this.#socket.close(reason);
  }

  #take(kind: FrameKind, stream: number, payload: Buffer): void {
    if (kind === FRAME.hello) {
      this.#greet(payload);
      return;
    }
    if (stream > this.#lastStream) throw new LinkViolation(`a frame on stream ${stream}, which was never opened`);
    const open = this.#calls.get(stream);
    // What was cancelled may still have been answered.
    if (!open) return;
    switch (kind) {
      case FRAME.answer:
        this.#takeAnswer(stream, open, payload);
        return;
      case FRAME.piece:
        if (!open.body) throw new LinkViolation('a piece before its answer');
        open.body.push(payload);
        if (open.body.outstandingBytes > STREAM_CREDIT_BYTES)
          throw new LinkViolation('more pieces than there is credit for');
        return;
      case FRAME.end:
        if (!open.body) throw new LinkViolation('an end before its answer');
        this.#calls.delete(stream);
        open.body.trailer = payload.length > 0 ? payload.toString('utf8') : undefined;
        open.body.end();
        return;
      case FRAME.error:
        this.#calls.delete(stream);
        failCall(open, new LinkError(`${this.#member.id} failed: ${payload.toString('utf8')}`, true));
        return;
      default:
        throw new LinkViolation(`a frame of kind ${kind}, which callers send`);
    }
  }

  #greet(payload: Buffer): void {
    if (!this.#settle) throw new LinkViolation('a hello after the handshake');
    if (this.#handshake.peerName === undefined) {
      this.#handshake.take(payload, this.#member.id);
      this.#socket.send(FRAME.hello, 0, this.#handshake.hello());
      return;
    }
    this.#handshake.verify(payload);
    this.#socket.trust();
    this.#settle();
    this.#settle = undefined;
  }

  #takeAnswer(stream: number, open: OpenCall, payload: Buffer): void {
    if (!open.answered) throw new LinkViolation('a second answer');
    const { flag: isWhole, json, bytes } = decodeJson(payload);
    const head = readAnswer(json);
    if (isWhole) {
      this.#calls.delete(stream);
      open.answered({ ...head, body: bytes });
    } else {
      const body = new PieceQueue(
        (taken) => this.#giveCredit(stream, taken),
        () => this.#cancel(stream),
      );
      open.body = body;
      open.answered({ ...head, body, trailer: () => body.trailer });
    }
    open.answered = undefined;
  }

  #giveCredit(stream: number, bytes: number): void {
    const payload = Buffer.allocUnsafe(4);
    payload.writeUInt32BE(bytes);
    this.#socket.send(FRAME.credit, stream, payload);
  }

  #cancel(stream: number): void {
    const open = this.#calls.get(stream);
    if (!open) return;
    this.#calls.delete(stream);
    this.#socket.send(FRAME.cancel, stream);
    failCall(open, new LinkError('the client left', true));
  }

  #ended(reason: Error): void {
    const { id: name } = this.#member;
    if (this.#settle) this.#settle(reason);
    else if (reason instanceof LinkViolation)
      this.#warn('a member broke the rules of the link', { member: name, reason: reason.message });
    this.#settle = undefined;
    for (const [stream, open] of this.#calls) {
      this.#calls.delete(stream);
      failCall(open, new LinkError(`the connection to ${name} ended: ${reason.message}`, true, { cause: reason }));
    }
  }
}

function failCall({ answered, fail, body }: OpenCall, error: Error): void {
  if (answered) fail(error);
  else body?.end(error);
}

function dial(address: LinkAddress, security: LinkSecurity): Socket {
  if ('secret' in security) return connect(address);
  const { certificate: cert, key, ca } = security;
  return connectTls({ ...address, cert, key, ca, minVersion: 'TLSv1.3' });
}

/** Credit is given back in parts of this size: a frame for each piece would cost more than it is good for. */
const CREDIT_STEP_BYTES = STREAM_CREDIT_BYTES / 4;

/** The pieces of a body that have arrived and were not taken yet: one reader goes through them. */
class PieceQueue implements AsyncIterableIterator<Uint8Array> {
  readonly #onTaken: (bytes: number) => void;
  readonly #onLeft: () => void;
  readonly #pieces: Uint8Array[] = [];
  /** What came with the end. */
  trailer: string | undefined;
  #unreadBytes = 0;
  #takenBytes = 0;
  #end: { readonly error: Error | undefined } | undefined;
  #wake: (() => void) | undefined;

  /** `onTaken`: the sender may send as many bytes again; `onLeft`: the reader leaves before the end. */
  constructor(onTaken: (bytes: number) => void, onLeft: () => void) {
    this.#onTaken = onTaken;
    this.#onLeft = onLeft;
  }

  /** Bytes that the sender was not given credit for again. */
  get outstandingBytes(): number {
    return this.#unreadBytes + this.#takenBytes;
  }

  push(piece: Uint8Array): void {
    if (this.#end) return;
    this.#pieces.push(piece);
    this.#unreadBytes += piece.byteLength;
    this.#wake?.();
  }

  /** No more pieces come. An error is thrown to the reader at once. */
  end(error?: Error): void {
    if (this.#end) return;
    this.#end = { error };
    if (error) this.#pieces.length = 0;
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece) {
        this.#take(piece.byteLength);
        return { done: false, value: piece };
      }
      if (this.#end?.error) throw this.#end.error;
      if (this.#end) return { done: true, value: undefined };
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.#end) {
      this.end();
      this.#onLeft();
    }
    this.#pieces.length = 0;
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(bytes: number): void {
    this.#unreadBytes -= bytes;
    this.#takenBytes += bytes;
    if (this.#takenBytes < CREDIT_STEP_BYTES || this.#end) return;
    this.#onTaken(this.#takenBytes);
    this.#takenBytes = 0;
  }
}
