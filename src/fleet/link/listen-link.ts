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
  const accept = (socket: Socket) => answerCalls(socket, options, answer, () => places.admit(socket));
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

/** Answers the calls of one member, once it has shown that it is one. */
function answerCalls(socket: Socket, options: ListenOptions, answerCall: AnswerCall, admit: () => boolean) {
  const calls = new Map<number, Answering>();
  let isTrusted = false;
  let lastStream = 0;
  const { timers = systemTimers } = options;
  const handshake = new Handshake('answerer', options.name, options.security);
  const frames = new FrameSocket(socket, { timers, take, onClose: ended });
  const cancelHandshake = timers.after(HANDSHAKE_MS, () => frames.close(new Error('no handshake in time')));
  frames.send(FRAME.hello, 0, handshake.hello());

  function take(kind: FrameKind, stream: number, payload: Buffer): void {
    if (kind === FRAME.hello) greet(payload);
    else if (kind === FRAME.call) begin(stream, payload);
    else if (kind === FRAME.credit) addCredit(stream, payload);
    else if (kind === FRAME.cancel) {
      requireOpened(stream);
      calls.get(stream)?.end();
    } else throw new LinkViolation(`a frame of kind ${kind}, which members that answer send`);
  }

  function greet(payload: Buffer): void {
    if (isTrusted) throw new LinkViolation('a hello after the handshake');
    handshake.take(payload);
    handshake.verify(payload);
    if (!admit()) throw new LinkViolation(`more than ${MAX_MEMBERS} members`);
    cancelHandshake();
    isTrusted = true;
    frames.trust();
    frames.send(FRAME.hello, 0, handshake.hello());
  }

  function begin(stream: number, payload: Buffer): void {
    if (stream <= lastStream) throw new LinkViolation(`a second call on stream ${stream}`);
    if (calls.size >= MAX_CALLS) throw new LinkViolation(`more than ${MAX_CALLS} calls at once`);
    lastStream = stream;
    const { flag, json, bytes } = decodeJson(payload);
    const call = readCall(json, flag ? bytes : undefined);
    const answering = new Answering();
    calls.set(stream, answering);
    void answerOne(stream, answering, answerCall(call, answering.onEnd));
  }

  function addCredit(stream: number, payload: Buffer): void {
    requireOpened(stream);
    if (payload.length !== 4) throw new LinkViolation('credit without an amount');
    const answering = calls.get(stream);
    if (!answering) return;
    answering.creditBytes += payload.readUInt32BE(0);
    if (answering.creditBytes > STREAM_CREDIT_BYTES) throw new LinkViolation('more credit than a stream has');
    answering.wake?.();
  }

  /** What is over may still be cancelled; what never began may not. */
  function requireOpened(stream: number): void {
    if (stream > lastStream) throw new LinkViolation(`a frame on stream ${stream}, which was never opened`);
  }

  /** Answers one call; never rejects. */
  async function answerOne(stream: number, answering: Answering, asked: Promise<LinkAnswer>): Promise<void> {
    try {
      const answer = await asked;
      if (!answering.isOver) await send(stream, answering, answer);
    } catch (error) {
      const text = Buffer.from((error as Error).message.slice(0, MAX_ERROR_LENGTH));
      if (!answering.isOver) frames.send(FRAME.error, stream, text);
    } finally {
      calls.delete(stream);
      answering.end();
    }
  }

  async function send(
    stream: number,
    answering: Answering,
    { status, headers, body, trailer }: LinkAnswer,
  ): Promise<void> {
    const isWhole = body instanceof Uint8Array && body.byteLength <= MAX_PIECE_BYTES;
    const head = encodeJson(isWhole, { status, headers });
    if (head.length > MAX_ANSWER_HEAD_BYTES) throw new Error('the header fields of the answer are too long');
    if (isWhole) {
      frames.send(FRAME.answer, stream, head, body);
      return;
    }
    frames.send(FRAME.answer, stream, head);
    if (body instanceof Uint8Array) await sendBytes(stream, answering, body);
    else for await (const piece of body) if (!(await sendBytes(stream, answering, piece))) return;
    const last = Buffer.from(trailer?.() ?? '').subarray(0, MAX_TRAILER_BYTES);
    if (!answering.isOver) frames.send(FRAME.end, stream, last);
  }

  /** Sends bytes as there is credit for them; false once the call was cancelled. */
  async function sendBytes(stream: number, answering: Answering, bytes: Uint8Array): Promise<boolean> {
    for (let at = 0; at < bytes.byteLength;) {
      while (answering.creditBytes === 0 && !answering.isOver) {
        await new Promise<void>((resolve) => (answering.wake = resolve));
      }
      if (answering.isOver) break;
      const piece = bytes.subarray(at, at + Math.min(answering.creditBytes, MAX_PIECE_BYTES));
      answering.creditBytes -= piece.byteLength;
      at += piece.byteLength;
      frames.send(FRAME.piece, stream, piece);
    }
    return !answering.isOver;
  }

  function ended(reason: Error): void {
    cancelHandshake();
    if (!isTrusted || reason instanceof LinkViolation) {
      const member = handshake.peerName ?? 'unknown';
      options.warn('a connection of the link was ended', { member, reason: reason.message });
    }
    for (const answering of calls.values()) answering.end();
  }
}
