import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError, PmError } from '../../pmapi/index.js';
import { chooseCoding } from '../response/content-coding.js';
import type { CodingChoice } from '../response/content-coding.js';
import type { CorsPolicy } from '../guards/cors.js';
import type { HttpObserver } from '../options.js';
import type { WriteCoalescer } from '../server/write-coalescer.js';
import type { OverloadGuard } from '../guards/overload/overload-guard.js';
import { requestIdOf, traceOf } from './request-identity.js';
import type { Trace } from './request-identity.js';

const LOGGED_URL_LENGTH = 1024;

/** One request on its way through the gateway: made when its route is known, ended by respond(). */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The path as openapi.yaml writes it, or `unmatched`. */
  readonly route: string;
  /** Whether its answer changes seldom: it gets an entity tag, and may be kept if it is asked for again before use. */
  readonly isMetadata: boolean;
  readonly startMs: number;
  readonly requestId: string;
  readonly trace: Trace | undefined;
  /** How the client wants bodies; undefined: it refuses every way, and gets an error as it is. */
  readonly coding: CodingChoice | undefined;
  readonly observer: HttpObserver | undefined;
  readonly cors: CorsPolicy;
  readonly coalescer: WriteCoalescer;
  /** Where large answers find room; absent: anywhere. */
  readonly overload: OverloadGuard | undefined;
  /** The value of Strict-Transport-Security; undefined: browsers are not told how to come. */
  readonly strictTransport: string | undefined;
  /** How long the client may take nothing of its answer, in milliseconds; 0: for ever. */
  readonly writeTimeoutMs: number;
}

/** What every exchange of an application has. */
export interface ExchangeBasis {
  readonly observer: HttpObserver | undefined;
  readonly cors: CorsPolicy;
  readonly coalescer: WriteCoalescer;
  readonly overload?: OverloadGuard | undefined;
  readonly strictTransport?: string | undefined;
  /** Absent: clients may take their time. */
  readonly writeTimeoutMs?: number;
}

/** Begin an exchange. */
export function beginExchange(
  { observer, cors, coalescer, overload, strictTransport, writeTimeoutMs = 0 }: ExchangeBasis,
  req: IncomingMessage,
  res: ServerResponse,
  route: string,
  isMetadata = false,
): Exchange {
  const { headers } = req;
  return {
    req,
    res,
    route,
    isMetadata,
    startMs: performance.now(),
    requestId: requestIdOf(headers),
    trace: traceOf(headers),
    coding: chooseCoding(headers['accept-encoding']),
    observer,
    cors,
    coalescer,
    overload,
    strictTransport,
    writeTimeoutMs,
  };
}

/** Tell the observer that an exchange is over; `sizeBytes` are those that were sent. */
export function tellAnswered(
  exchange: Exchange,
  status: number,
  sizeBytes: number,
  durationMs = performance.now() - exchange.startMs,
): void {
  const { req, route, requestId, trace, observer } = exchange;
  // Few want all of it, and what is not made costs nothing.
  observer?.answered?.({ route, status, durationMs }, () => ({
    method: req.method ?? '',
    route,
    url: loggedUrl(req.url),
    status,
    durationMs,
    sizeBytes,
    remoteAddress: req.socket.remoteAddress,
    requestId,
    traceId: trace?.traceId,
    spanId: trace?.spanId,
  }));
}

/** Tell the observer of a defect of the gateway; errors that are meant for clients are none. */
export function tellDefect({ req, route, requestId, trace, observer }: Exchange, error: unknown): void {
  if (error instanceof GatewayError || error instanceof PmError) return;
  const { traceId, spanId } = trace ?? {};
  observer?.defect?.({ requestId, traceId, spanId, route, url: loggedUrl(req.url), error });
}

/** Path and query for the log, cut: attributes of a hostspec may hold a password, and so may what was not encoded in one. */
export function loggedUrl(url = ''): string {
  return url
    .slice(0, LOGGED_URL_LENGTH)
    .replace(/([?&]host(?:spec|name)=[^&?]*?)(?:\?|%3f|%26)[^&]*/gi, '$1')
    .replace(/([?&]pass(?:word)?=)[^&]*/gi, '$1');
}
