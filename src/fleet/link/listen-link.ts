import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Ending, systemTimers } from '../../kit/index.js';
import { FrameSocket } from './frame-socket.js';
import {
  decodeJson,
  encodeJson,
  FRAME,
  LinkViolation,
  MAX_ANSWER_HEAD_BYTES,
  MAX_PIECE_BYTES,
  MAX_TRAILER_BYTES,
  STREAM_CREDIT_BYTES,
} from './frames.js';
import type { FrameKind } from './frames.js';
import { readCall, type AnswerCall, type LinkAnswer } from './handed-call.js';
import type { LinkAddress } from '../contracts.js';
import { checkSecurity, Handshake } from './handshake.js';
import { HANDSHAKE_MS, type LinkOptions } from './member-link.js';

export interface ListenOptions extends LinkOptions {
  readonly at: LinkAddress;
}

/** Most connections of members, each of which has one, and of those that have not shown yet that they are members. */
const MAX_MEMBERS = 256;
const MAX_STRANGERS = 32;
const MAX_CALLS = 16_384;
/** The longest text of an error that is sent. */
const MAX_ERROR_LENGTH = 1024;

export interface ListeningLink {
  /** Where it listens, with the port that port 0 became. */
  readonly address: LinkAddress;
  close(): Promise<void>;
}

/** Accepts the calls of other members. Rejects where it cannot listen, and for a secret beyond this machine. */
export async function listenLink(options: ListenOptions, answer: AnswerCall): Promise<ListeningLink> {
  const { at, security } = options;
  checkSecurity(security, at);
  const places = new Places();
  const accept = (socket: Socket) => new AnswerConnection(socket, options, answer, () => places.admit(socket));
  const server = makeServer(options, accept);
  server.on('connection', (socket: Socket) => places.enter(socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => {
      server.off('error', reject);
      server.on('error', (error) => options.warn('the link cannot accept a connection', { reason: error.message }));
      resolve();
    });
  });
  const { address: host, port } = server.address() as AddressInfo;
  return {
    address: { host, port },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        places.clear();
      }),
  };
}

/** The connections of a listener. Strangers do not take the places of members: the oldest of them makes room for the next. */
class Places {
  readonly #strangers = new Map<string, Socket>();
  readonly #members = new Map<string, Socket>();

  enter(socket: Socket): void {
    const key = placeOf(socket);
    this.#strangers.set(key, socket);
    socket.once('close', () => {
      this.#strangers.delete(key);
      this.#members.delete(key);
    });
    if (this.#strangers.size > MAX_STRANGERS) this.#strangers.values().next().value!.destroy();
  }

  /** A stranger is a member. False if there are too many. */
  admit(socket: Socket): boolean {
    const key = placeOf(socket);
    const known = this.#strangers.get(key);
    if (!known || this.#members.size >= MAX_MEMBERS) return false;
    this.#strangers.delete(key);
    this.#members.set(key, known);
    return true;
  }

  clear(): void {
    for (const socket of [...this.#strangers.values(), ...this.#members.values()]) socket.destroy();
  }
}

/** The same for a connection with TLS and the one that it is made of. */
function placeOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function makeServer({ security, warn }: ListenOptions, accept: (socket: Socket) => void): Server {
  if ('secret' in security) return createServer(accept);
  const { certificate: cert, key, ca } = security;
  const verified = { requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' } as const;
  const server = createTlsServer({ cert, key, ca, handshakeTimeout: HANDSHAKE_MS, ...verified }, accept);
  server.on('tlsClientError', (error) => warn('a connection to the link was refused', { reason: error.message }));
  return server;
}

class Answering extends Ending {
  creditBytes = STREAM_CREDIT_BYTES;
  /** Called when there is more credit, or the call was answered or cancelled. */
  wake: (() => void) | undefined;

  override end(): void {
    super.end();
    this.wake?.();
  }
}

class AnswerConnection {
  readonly #socket: FrameSocket;
  readonly #handshake: Handshake;
  readonly #options: ListenOptions;
  readonly #answerCall: AnswerCall;
  readonly #admit: () => boolean;
  readonly #calls = new Map<number, Answering>();
  readonly #cancelHandshake: () => void;
  #isTrusted = false;
  #lastStream = 0;

  constructor(socket: Socket, options: ListenOptions, answerCall: AnswerCall, admit: () => boolean) {
    const { timers = systemTimers } = options;
    this.#options = options;
    this.#answerCall = answerCall;
    this.#admit = admit;
    this.#handshake = new Handshake('answerer', options.name, options.security);
    this.#socket = new FrameSocket(socket, {
      timers,
      take: (kind, stream, payload) => this.#take(kind, stream, payload),
      onClose: (reason) => this.#ended(reason),
    });
    this.#cancelHandshake = timers.after(HANDSHAKE_MS, () => this.#socket.close(new Error('no handshake in time')));
    this.#socket.send(FRAME.hello, 0, this.#handshake.hello());
  }

  #take(kind: FrameKind, stream: number, payload: Buffer): void {
    switch (kind) {
      case FRAME.hello:
        this.#greet(payload);
        return;
      case FRAME.call:
        this.#begin(stream, payload);
        return;
      case FRAME.credit:
        this.#addCredit(stream, payload);
        return;
      case FRAME.cancel:
        this.#requireOpened(stream);
        this.#calls.get(stream)?.end();
        return;
      default:
        throw new LinkViolation(`a frame of kind ${kind}, which members that answer send`);
    }
  }

  #greet(payload: Buffer): void {
    if (this.#isTrusted) throw new LinkViolation('a hello after the handshake');
    this.#handshake.take(payload);
    this.#handshake.verify(payload);
    if (!this.#admit()) throw new LinkViolation(`more than ${MAX_MEMBERS} members`);
    this.#cancelHandshake();
    this.#isTrusted = true;
    this.#socket.trust();
    this.#socket.send(FRAME.hello, 0, this.#handshake.hello());
  }

  #begin(stream: number, payload: Buffer): void {
    if (stream <= this.#lastStream) throw new LinkViolation(`a second call on stream ${stream}`);
    if (this.#calls.size >= MAX_CALLS) throw new LinkViolation(`more than ${MAX_CALLS} calls at once`);
    this.#lastStream = stream;
    const { flag, json, bytes } = decodeJson(payload);
    const call = readCall(json, flag ? bytes : undefined);
    const answering = new Answering();
    this.#calls.set(stream, answering);
    void this.#answer(stream, answering, this.#answerCall(call, answering.onEnd));
  }

  #addCredit(stream: number, payload: Buffer): void {
    this.#requireOpened(stream);
    if (payload.length !== 4) throw new LinkViolation('credit without an amount');
    const answering = this.#calls.get(stream);
    if (!answering) return;
    answering.creditBytes += payload.readUInt32BE(0);
    if (answering.creditBytes > STREAM_CREDIT_BYTES) throw new LinkViolation('more credit than a stream has');
    answering.wake?.();
  }

  /** What is over may still be cancelled; what never began may not. */
  #requireOpened(stream: number): void {
    if (stream > this.#lastStream) throw new LinkViolation(`a frame on stream ${stream}, which was never opened`);
  }

  /** Answers one call; never rejects. */
  async #answer(stream: number, answering: Answering, asked: Promise<LinkAnswer>): Promise<void> {
    try {
      const answer = await asked;
      if (!answering.isOver) await this.#send(stream, answering, answer);
    } catch (error) {
      const text = Buffer.from((error as Error).message.slice(0, MAX_ERROR_LENGTH));
      if (!answering.isOver) this.#socket.send(FRAME.error, stream, text);
    } finally {
      this.#calls.delete(stream);
      answering.end();
    }
  }

  async #send(stream: number, answering: Answering, { status, headers, body, trailer }: LinkAnswer): Promise<void> {
    const isWhole = body instanceof Uint8Array && body.byteLength <= MAX_PIECE_BYTES;
    const head = encodeJson(isWhole, { status, headers });
    if (head.length > MAX_ANSWER_HEAD_BYTES) throw new Error('the header fields of the answer are too long');
    if (isWhole) {
      this.#socket.send(FRAME.answer, stream, head, body);
      return;
    }
    this.#socket.send(FRAME.answer, stream, head);
    if (body instanceof Uint8Array) await this.#sendBytes(stream, answering, body);
    else for await (const piece of body) if (!(await this.#sendBytes(stream, answering, piece))) return;
    const last = Buffer.from(trailer?.() ?? '').subarray(0, MAX_TRAILER_BYTES);
    if (!answering.isOver) this.#socket.send(FRAME.end, stream, last);
  }

  /** Sends bytes as there is credit for them; false once the call was cancelled. */
  async #sendBytes(stream: number, answering: Answering, bytes: Uint8Array): Promise<boolean> {
    for (let at = 0; at < bytes.byteLength;) {
      while (answering.creditBytes === 0 && !answering.isOver) {
        await new Promise<void>((resolve) => (answering.wake = resolve));
      }
      if (answering.isOver) break;
      const piece = bytes.subarray(at, at + Math.min(answering.creditBytes, MAX_PIECE_BYTES));
      answering.creditBytes -= piece.byteLength;
      at += piece.byteLength;
      this.#socket.send(FRAME.piece, stream, piece);
    }
    return !answering.isOver;
  }

  #ended(reason: Error): void {
    this.#cancelHandshake();
    if (!this.#isTrusted || reason instanceof LinkViolation) {
      const member = this.#handshake.peerName ?? 'unknown';
      this.#options.warn('a connection of the link was ended', { member, reason: reason.message });
    }
    for (const answering of this.#calls.values()) answering.end();
  }
}
