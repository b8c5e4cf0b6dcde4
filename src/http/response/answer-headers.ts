import type { Answer } from '../contracts.js';
import type { Coding } from './content-coding.js';
import type { Exchange } from '../request/exchange.js';

/** The headers of a response. */
type AnswerHead = Pick<Answer, 'contentType' | 'cacheControl' | 'headers'>;

/** Whether a response with this status gets an entity tag. */
export function isTagged({ isMetadata }: Exchange, status: number): boolean {
  return isMetadata && status === 200;
}

/** The header fields of a response, as a flat list of names and values, without Content-Length. */
export function answerHeaders(exchange: Exchange, answer: AnswerHead, status = 200, coding?: Coding): string[] {
  const headers = ['Content-Type', answer.contentType, 'X-Content-Type-Options', 'nosniff'];
  pushCommon(exchange, answer, status, coding, headers);
  if (coding !== undefined) headers.push('Content-Encoding', coding);
  if (answer.headers) headers.push(...answer.headers);
  return headers;
}

/** The header fields of 304 Not Modified. @see RFC 9110, 15.4.5 */
export function notModifiedHeaders(exchange: Exchange, answer: AnswerHead, tag: string): string[] {
  const headers = ['ETag', tag];
  pushCommon(exchange, answer, 200, undefined, headers);
  return headers;
}

/** The fields of a response with or without a body. */
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

/** Adds the fields of all responses, including those to OPTIONS. */
export function pushOwn({ requestId, strictTransport }: Exchange, headers: string[]): void {
  headers.push('X-Request-Id', requestId);
  if (strictTransport !== undefined) headers.push('Strict-Transport-Security', strictTransport);
}
