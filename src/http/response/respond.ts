import type { ServerResponse } from 'node:http';
import type { StreamSink } from '../../context/stream/index.js';
import { CLUSTER, isStreamed, isSubscribed } from './answer.js';
import type { Answer, AnyAnswer, StreamedAnswer, SubscribedAnswer } from '../contracts.js';
import {
  COMPRESSED_FROM_BYTES,
  StreamCoder,
  compress,
  compressOnce,
  contentHash,
  digestOf,
  entityTag,
  matchingTag,
} from './representation.js';
import type { Coding, Digest } from './representation.js';
import { AS_IT_IS, isWaiting, tellAnswered, tellDefect, type Exchange } from '../request/exchange.js';

/** Responses from this size on count until their clients have read them; smaller ones fit into a socket's buffers. */
const HELD_FROM_BYTES = 65_536;
/** The same for responses behind earlier ones of their connection. */
const WAITING_HELD_FROM_BYTES = 1024;

/** Texts are gathered to this length: each piece that is sent is a system call or two. */
const GATHERED_LENGTH = 65_536;

/** Sends a response of any kind. Throws errors to respond with: OVERLOADED for a large response without room. */
export function respondAny(exchange: Exchange, answer: AnyAnswer): void | Promise<void> {
  if (isStreamed(answer)) {
    if (answer.heldBytes !== undefined) holdUntilTaken(exchange, answer.heldBytes);
    return isTagged(exchange, 200) && answer.isRepeatable === true
      ? respondRepeatable(exchange, answer)
      : respondStream(exchange, answer);
  }
  if (!isSubscribed(answer)) return respond(exchange, answer);
  respondSubscribed(exchange, answer);
}

/** Sends a whole response; 304 if the client has the body. Throws OVERLOADED for a large one while clients leave too much unread. */
export function respond(exchange: Exchange, answer: Answer): void | Promise<void> {
  const { body, status = 200 } = answer;
  // Bytes exist already, and are the same for all clients.
  const heldFromBytes = isWaiting(exchange.res) ? WAITING_HELD_FROM_BYTES : HELD_FROM_BYTES;
  if (typeof body === 'string' && body.length >= heldFromBytes) holdUntilTaken(exchange, body.length);
  if (exchange.coding === AS_IT_IS && !exchange.isMetadata) {
    sendWhole(exchange, answer, body);
    return;
  }
  const hash = isTagged(exchange, status) ? contentHash(body) : undefined;
  const held = exchange.req.headers['if-none-match'];
  const tag = hash === undefined || held === undefined ? undefined : matchingTag(held, hash);
  if (tag !== undefined) {
    sendNotModified(exchange, answer, tag);
    return;
  }
  const coding = codingOf(exchange, sizeOf(body));
  if (coding === undefined) {
    sendWhole(exchange, answer, body, hash);
    return;
  }
  const compressed = typeof body === 'string' ? compress(Buffer.from(body), coding) : compressOnce(body, coding);
  if (!(compressed instanceof Promise)) sendWhole(exchange, answer, compressed, hash, coding);
  else return compressed.then((bytes) => sendWhole(exchange, answer, bytes, hash, coding));
}

/** Counts a response as unread until it is out or the client has left. */
function holdUntilTaken({ req, res, overload }: Exchange, sizeBytes: number): void {
  if (req.method === 'HEAD' || res.headersSent || isGone(res)) return;
  res.once('close', overload.holdAnswer(sizeBytes));
}

function sendWhole(
  exchange: Exchange,
  answer: Answer,
  body: string | Uint8Array,
  hash?: string,
  coding?: Coding,
): void {
  const { res } = exchange;
  if (res.headersSent || isGone(res)) return;
  const sizeBytes = sizeOf(body);
  const status = answer.status ?? 200;
  const headers = answerHeaders(exchange, answer, status, coding);
  if (hash !== undefined) headers.push('ETag', entityTag(hash, coding));
  const isHead = exchange.req.method === 'HEAD';
  // What a GET would be answered with is not known when it was not run.
  if (!isHead || sizeBytes > 0) headers.push('Content-Length', String(sizeBytes));
  res.writeHead(status, headers);
  const nowMs = exchange.clock.monotonicMs();
  exchange.coalescer.add(() => {
    res.end(body);
    cutOffWhenStuck(exchange);
  }, nowMs);
  tellAnswered(exchange, status, isHead ? 0 : sizeBytes, nowMs - exchange.startMs);
}

function sendNotModified(exchange: Exchange, answer: Answer | StreamedAnswer, tag: string): void {
  const { res } = exchange;
  if (res.headersSent || isGone(res)) return;
  const headers = ['ETag', tag];
  pushCommon(exchange, answer, 200, undefined, headers);
  res.writeHead(304, headers);
  res.end();
  tellAnswered(exchange, 304, 0);
}

function sizeOf(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}

function codingOf({ req, coding: choice }: Exchange, sizeBytes: number): Coding | undefined {
  if (choice?.coding === undefined || sizeBytes === 0) return undefined;
  const isSmall = sizeBytes < COMPRESSED_FROM_BYTES;
  const isSentAsItIs = isSmall || req.headers['cache-control']?.includes('no-transform') === true;
  return isSentAsItIs && !choice.isRequired ? undefined : choice.coding;
}

/** Sends a response whose pieces are iterated twice: first for its entity tag. */
async function respondRepeatable(exchange: Exchange, answer: StreamedAnswer): Promise<void> {
  const digest = await digestOf(answer.pieces, () => isGone(exchange.res));
  if (!digest) return;
  const held = exchange.req.headers['if-none-match'];
  const tag = held === undefined ? undefined : matchingTag(held, digest.hash);
  if (tag === undefined) await respondStream(exchange, answer, digest);
  else sendNotModified(exchange, answer, tag);
}

/** Sends a response as it is made, at the client's speed. Throws errors before the first byte. With a digest, the head has size and tag. */
export async function respondStream(exchange: Exchange, answer: StreamedAnswer, digest?: Digest): Promise<void> {
  const { req, res } = exchange;
  const iterator = answer.pieces[Symbol.asyncIterator]();
  const coding = answer.isCoded === true ? undefined : codingOf(exchange, Infinity);
  const coder = coding && new StreamCoder(coding);
  let sizeBytes = 0;
  let waiting = '';
  let hasPieces = false;
  const begin = (): void => {
    if (hasBegun(res)) return;
    const headers = answerHeaders(exchange, answer, 200, coding);
    if (digest) headers.push('ETag', entityTag(digest.hash, coding));
    if (digest && coding === undefined) headers.push('Content-Length', String(digest.sizeBytes));
    // Where the body is not chunked there are no trailers, and node throws when they are announced.
    if (answer.trailer && res.useChunkedEncodingByDefault && req.method !== 'HEAD' && !digest) {
      headers.push('Trailer', answer.trailer.name);
    }
    res.writeHead(200, headers);
  };
  const write = (bytes: Uint8Array): Promise<void> | undefined => {
    if (bytes.byteLength === 0 || isGone(res)) return undefined;
    begin();
    sizeBytes += bytes.byteLength;
    return res.write(bytes) ? undefined : drained(exchange);
  };
  const send = (piece: string | Uint8Array): Promise<void> | undefined => {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    return coder ? coder.push(bytes).then(write) : write(bytes);
  };
  const end = async (text: string): Promise<void> => {
    // What ends an answer leaves together with its last bytes: it does not wait until they are taken.
    const sending = text === '' ? undefined : send(text);
    if (coder) {
      await sending;
      void write(await coder.finish());
    }
    if (isGone(res)) return;
    begin();
    const value = answer.trailer?.value();
    if (answer.trailer && value !== undefined) res.addTrailers({ [answer.trailer.name]: value });
    res.end();
  };
  try {
    let next = await iterator.next();
    if (hasBegun(res) || isGone(res)) return;
    hasPieces = next.done !== true;
    while (next.done !== true && !isGone(res) && req.method !== 'HEAD') {
      // Texts are small and are gathered; bytes are sent as they come.
      const bytes = typeof next.value === 'string' ? undefined : next.value;
      if (bytes === undefined) waiting += next.value as string;
      if (bytes !== undefined || waiting.length >= GATHERED_LENGTH) {
        const sending = send(waiting);
        waiting = '';
        if (sending) await sending;
        if (bytes !== undefined) await send(bytes);
        if (isGone(res)) break;
      }
      next = await iterator.next();
    }
    if (isGone(res)) return;
    if (req.method !== 'HEAD') await end(waiting);
    else {
      begin();
      res.end();
    }
  } catch (error) {
    // A client that has left gets nothing, and reading stops with an error of its own.
    if (isGone(res)) return;
    // The status says more than last words could, as long as there is nothing that they would have to follow.
    if (!hasBegun(res) && !(hasPieces && answer.lastWords)) throw error;
    tellDefect(exchange, error);
    // Without last words the connection is closed: no one must take the half for the whole.
    if (answer.lastWords) await end(waiting + answer.lastWords(error));
    else res.destroy();
  } finally {
    coder?.close();
    await iterator.return?.();
    if (res.headersSent) tellAnswered(exchange, 200, sizeBytes);
  }
}

/** Pushes a response until either side ends it. Throws subscription errors before anything is sent. */
function respondSubscribed(exchange: Exchange, answer: SubscribedAnswer): void {
  const { req, res } = exchange;
  if (res.headersSent || isGone(res)) return;
  const begin = (): void => void res.writeHead(200, answerHeaders(exchange, answer));
  if (req.method === 'HEAD') {
    begin();
    res.end();
    tellAnswered(exchange, 200, 0);
    return;
  }
  let sentBytes = 0;
  const sink: StreamSink = {
    get waitingBytes() {
      return res.writableLength;
    },
    write: (bytes) => {
      if (isGone(res) || res.writableEnded) return true;
      if (!res.headersSent) begin();
      sentBytes += bytes.byteLength;
      const isTaken = res.write(bytes);
      if (!isTaken) cutOffWhenStuck(exchange);
      return isTaken;
    },
    end: () => {
      if (res.writableNeedDrain) res.destroy();
      else res.end();
    },
    destroy: () => res.destroy(),
  };
  const subscription = answer.subscribe(sink);
  if (!hasBegun(res)) {
    begin();
    res.flushHeaders();
  }
  // The time of such an answer is that to its head: how long the client stayed says nothing of the gateway.
  const durationMs = exchange.clock.monotonicMs() - exchange.startMs;
  res.on('drain', () => {
    // It reads again: it waits for us now.
    res.socket?.setTimeout(0);
    subscription.drained();
  });
  res.once('close', () => {
    subscription.unsubscribe();
    tellAnswered(exchange, 200, sentBytes, durationMs);
  });
}

type AnswerHead = Pick<Answer, 'contentType' | 'cacheControl' | 'headers'>;

function isTagged({ isMetadata }: Exchange, status: number): boolean {
  return isMetadata && status === 200;
}

function answerHeaders(exchange: Exchange, answer: AnswerHead, status = 200, coding?: Coding): string[] {
  const headers = ['Content-Type', answer.contentType, 'X-Content-Type-Options', 'nosniff'];
  if (answer.headers) headers.push(...answer.headers);
  pushCommon(exchange, answer, status, coding, headers);
  if (coding !== undefined) headers.push('Content-Encoding', coding);
  return headers;
}

function pushCommon(
  exchange: Exchange,
  { cacheControl }: AnswerHead,
  status: number,
  coding: Coding | undefined,
  headers: string[],
): void {
  const tagged = isTagged(exchange, status);
  const { origin, authorization } = exchange.req.headers;
  headers.push(
    'Cache-Control',
    cacheControl ?? (tagged ? (authorization === undefined ? 'no-cache' : 'private, no-cache') : 'no-store'),
  );
  pushOwn(exchange, headers);
  const isKept = tagged || cacheControl !== undefined;
  if (origin !== undefined) headers.push(...exchange.cors.answerHeaders(origin));
  // A cache must not serve a response without CORS headers to a page that needs them, nor a compressed one to all clients.
  else if (isKept) headers.push('Vary', 'Origin');
  if (isKept || coding !== undefined) headers.push('Vary', 'Accept-Encoding');
}

/** Adds the header fields of all responses, those to OPTIONS included. */
export function pushOwn({ requestId, strictTransport, wasAlone, fleet }: Exchange, headers: string[]): void {
  headers.push('X-Request-Id', requestId);
  if (strictTransport !== undefined) headers.push('Strict-Transport-Security', strictTransport);
  const isAlone = wasAlone || fleet?.isAlone === true;
  // It may be there already: from the gateway that answered.
  if (isAlone && !headers.includes(CLUSTER)) headers.push(CLUSTER, 'alone');
}

/** Whether the client has left: checked each time, because it may leave during any wait. */
function isGone(res: ServerResponse): boolean {
  return res.destroyed;
}

/** Whether the headers were sent. A function, so that TypeScript does not narrow it. */
function hasBegun(res: ServerResponse): boolean {
  return res.headersSent;
}

/** Responses that wait behind others, with a limit. */
const watched = new WeakSet<ServerResponse>();

/** Disconnects a client that has not read for a while, this response or earlier ones of its connection. */
function cutOffWhenStuck({ req, res, timers, writeTimeoutMs }: Exchange): void {
  const { socket } = res;
  if (writeTimeoutMs > 0 && isWaiting(res)) {
    if (res.writableFinished || watched.has(res)) return;
    watched.add(res);
    const stopTimer = timers.after(writeTimeoutMs, () => {
      if (isWaiting(res)) req.socket.destroy();
    });
    res.once('close', stopTimer);
    return;
  }
  // Node's server destroys a socket whose timeout has no listener; as long as bytes leave it, there is no timeout.
  if (writeTimeoutMs > 0 && socket && socket.writableLength > 0) socket.setTimeout(writeTimeoutMs);
}

function drained(exchange: Exchange): Promise<void> {
  const { res } = exchange;
  cutOffWhenStuck(exchange);
  return new Promise((resolve) => {
    const done = (): void => {
      res.socket?.setTimeout(0);
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    res.on('drain', done);
    res.on('close', done);
  });
}
