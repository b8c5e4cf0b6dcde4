import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError, PmError } from '../pmapi/index.js';
import type { Answer, StreamedAnswer } from './answer.js';
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

function tellDefect({ req, route, observer }: Exchange, error: unknown): void {
  if (error instanceof GatewayError || error instanceof PmError) return;
  observer?.defect?.({ requestId: 'none', route, url: req.url ?? '', error });
}

/** Whether the client has gone: a question of its own each time, for it may go during any wait. */
function isGone(res: ServerResponse): boolean {
  return res.destroyed;
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

function tellAnswered({ req, route, startMs, observer }: Exchange, status: number, sizeBytes: number): void {
  observer?.answered?.({
    method: req.method ?? '',
    route,
    url: (req.url ?? '').slice(0, LOGGED_URL_LENGTH),
    status,
    durationMs: performance.now() - startMs,
    sizeBytes,
    remoteAddress: req.socket.remoteAddress,
  });
}
