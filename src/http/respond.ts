import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError, PmError } from '../pmapi/index.js';
import type { StreamSink } from '../context/stream/index.js';
import { isStreamed, isSubscribed } from './answer.js';
import type { Answer, AnyAnswer, StreamedAnswer, SubscribedAnswer } from './answer.js';
import type { CorsPolicy } from './cors.js';
import type { HttpObserver } from './options.js';

const LOGGED_URL_LENGTH = 1024;
/** Characters that are gathered before they are written. */
const PIECE_LENGTH = 16_384;

/** One request on its way through the gateway: made when its route is known, ended by {@link respond}. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The path as openapi.yaml writes it, or `unmatched`. */
  readonly route: string;
  readonly startMs: number;
  readonly observer: HttpObserver | undefined;
  readonly cors: CorsPolicy;
}

/** Send an answer of whatever kind. Throws, or rejects with, what is to be answered as an error. */
export function respondAny(exchange: Exchange, answer: AnyAnswer): void | Promise<void> {
  if (isStreamed(answer)) return respondStream(exchange, answer);
  if (isSubscribed(answer)) respondSubscribed(exchange, answer);
  else respond(exchange, answer);
}

/** Send an answer, whole: one writeHead, one end. A client that has gone gets nothing. */
export function respond(exchange: Exchange, answer: Answer): void {
  const { res } = exchange;
  if (res.headersSent || res.destroyed) return;
  const sizeBytes = typeof answer.body === 'string' ? Buffer.byteLength(answer.body) : answer.body.byteLength;
  const headers = headersOf(exchange, answer);
  headers.push('Content-Length', String(sizeBytes));
  const status = answer.status ?? 200;
  res.writeHead(status, headers);
  res.end(answer.body);
  tellAnswered(exchange, status, sizeBytes);
}

/**
 * Send an answer as it is made: no more of it is asked for than the client takes. Throws what is thrown before the first byte;
 * nothing has been sent then.
 */
export async function respondStream(exchange: Exchange, answer: StreamedAnswer): Promise<void> {
  const { req, res } = exchange;
  const iterator = answer.pieces[Symbol.asyncIterator]();
  let sizeBytes = 0;
  let waiting = '';
  const send = (text: string): Promise<void> | undefined => {
    const bytes = Buffer.from(text);
    sizeBytes += bytes.length;
    return res.write(bytes) ? undefined : drained(res);
  };
  try {
    let next = await iterator.next();
    if (res.headersSent || isGone(res)) return;
    res.writeHead(200, headersOf(exchange, answer));
    while (next.done !== true && !isGone(res) && req.method !== 'HEAD') {
      waiting += next.value;
      if (waiting.length >= PIECE_LENGTH) {
        const draining = send(waiting);
        waiting = '';
        if (draining) await draining;
        if (isGone(res)) break;
      }
      next = await iterator.next();
    }
    if (isGone(res)) return;
    if (waiting !== '') void send(waiting);
    res.end();
  } catch (error) {
    // Whoever has gone is told nothing, and reading for nobody ends with an error of its own.
    if (isGone(res)) return;
    if (!res.headersSent) throw error;
    tellDefect(exchange, error);
    // Without last words the connection is broken off: nobody must take the half for the whole.
    if (answer.lastWords) {
      void send(waiting + answer.lastWords(error));
      res.end();
    } else {
      res.destroy();
    }
  } finally {
    await iterator.return?.();
    if (res.headersSent) tellAnswered(exchange, 200, sizeBytes);
  }
}

/**
 * Have an answer pushed to the client until either side ends it. Throws what subscribing throws; nothing has been sent then.
 */
export function respondSubscribed(exchange: Exchange, answer: SubscribedAnswer): void {
  const { req, res } = exchange;
  if (res.headersSent || isGone(res)) return;
  const begin = (): void => void res.writeHead(200, headersOf(exchange, answer));
  if (req.method === 'HEAD') {
    begin();
    res.end();
    tellAnswered(exchange, 200, 0);
    return;
  }
  const sink = new ResponseSink(res, begin);
  const subscription = answer.subscribe(sink);
  if (!hasBegun(res)) {
    begin();
    res.flushHeaders();
  }
  // The time of such an answer is that to its head: how long the client stayed says nothing of the gateway.
  const durationMs = performance.now() - exchange.startMs;
  res.on('drain', () => subscription.drained());
  res.once('close', () => {
    subscription.unsubscribe();
    tellAnswered(exchange, 200, sink.sentBytes, durationMs);
  });
}

/** A response as what events are pushed into; its head goes with the first of them. */
class ResponseSink implements StreamSink {
  sentBytes = 0;
  readonly #res: ServerResponse;
  readonly #begin: () => void;

  constructor(res: ServerResponse, begin: () => void) {
    this.#res = res;
    this.#begin = begin;
  }

  get waitingBytes(): number {
    return this.#res.writableLength;
  }

  write(bytes: Uint8Array): boolean {
    const res = this.#res;
    if (isGone(res) || res.writableEnded) return true;
    if (!res.headersSent) this.#begin();
    this.sentBytes += bytes.byteLength;
    return res.write(bytes);
  }

  end(): void {
    if (this.#res.writableNeedDrain) this.#res.destroy();
    else this.#res.end();
  }

  destroy(): void {
    this.#res.destroy();
  }
}

function tellDefect({ req, route, observer }: Exchange, error: unknown): void {
  if (error instanceof GatewayError || error instanceof PmError) return;
  observer?.defect?.({ requestId: 'none', route, url: req.url ?? '', error });
}

/** Whether the client has gone: a question of its own each time, for it may go during any wait. */
function isGone(res: ServerResponse): boolean {
  return res.destroyed;
}

/** Whether the head is out; a question of its own each time, too. */
function hasBegun(res: ServerResponse): boolean {
  return res.headersSent;
}

/** Resolves when the client has taken what was written, or has gone. */
function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    res.on('drain', done);
    res.on('close', done);
  });
}

function headersOf(exchange: Exchange, answer: Pick<Answer, 'contentType' | 'cacheControl' | 'headers'>): string[] {
  const headers = [
    'Content-Type',
    answer.contentType,
    'Cache-Control',
    answer.cacheControl ?? 'no-store',
    'X-Content-Type-Options',
    'nosniff',
  ];
  const { origin } = exchange.req.headers;
  if (origin !== undefined) headers.push(...exchange.cors.answerHeaders(origin));
  // A cache must not hand an answer without CORS headers to a page that needs them.
  else if (answer.cacheControl !== undefined) headers.push('Vary', 'Origin');
  if (answer.headers) headers.push(...answer.headers);
  return headers;
}

function tellAnswered(
  { req, route, startMs, observer }: Exchange,
  status: number,
  sizeBytes: number,
  durationMs = performance.now() - startMs,
): void {
  observer?.answered?.({
    method: req.method ?? '',
    route,
    url: (req.url ?? '').slice(0, LOGGED_URL_LENGTH),
    status,
    durationMs,
    sizeBytes,
    remoteAddress: req.socket.remoteAddress,
  });
}
