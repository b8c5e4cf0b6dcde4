import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './answer.js';
import type { CorsPolicy } from './cors.js';
import type { HttpObserver } from './options.js';

const LOGGED_URL_LENGTH = 1024;

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
  const { req, res, observer } = exchange;
  if (res.headersSent || res.destroyed) return;
  const sizeBytes = typeof answer.body === 'string' ? Buffer.byteLength(answer.body) : answer.body.byteLength;
  const headers = [
    'Content-Type',
    answer.contentType,
    'Content-Length',
    String(sizeBytes),
    'Cache-Control',
    answer.cacheControl ?? 'no-store',
    'X-Content-Type-Options',
    'nosniff',
  ];
  const { origin } = req.headers;
  if (origin !== undefined) headers.push(...exchange.cors.answerHeaders(origin));
  // A cache must not hand an answer without CORS headers to a page that needs them.
  else if (answer.cacheControl !== undefined) headers.push('Vary', 'Origin');
  if (answer.headers) headers.push(...answer.headers);
  const status = answer.status ?? 200;
  res.writeHead(status, headers);
  res.end(answer.body);
  observer?.answered?.({
    method: req.method ?? '',
    route: exchange.route,
    url: (req.url ?? '').slice(0, LOGGED_URL_LENGTH),
    status,
    durationMs: performance.now() - exchange.startMs,
    sizeBytes,
    remoteAddress: req.socket.remoteAddress,
  });
}
