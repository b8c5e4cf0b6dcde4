import type { Answer } from '../contracts.js';
import type { Coding } from './content-coding.js';
import type { Exchange } from '../request/exchange.js';

/** What an answer says of itself. */
type AnswerHead = Pick<Answer, 'contentType' | 'cacheControl' | 'headers'>;

/** Whether an answer with this status gets an entity tag. */
export function isTagged({ isMetadata }: Exchange, status: number): boolean {
  return isMetadata && status === 200;
}

/** The header fields of an answer, as a flat list of names and values; all but the length of its body. */
export function answerHeaders(exchange: Exchange, answer: AnswerHead, status = 200, coding?: Coding): string[] {
  const headers = ['Content-Type', answer.contentType, 'X-Content-Type-Options', 'nosniff'];
  pushCommon(exchange, answer, status, coding, headers);
  if (coding !== undefined) headers.push('Content-Encoding', coding);
  if (answer.headers) headers.push(...answer.headers);
  return headers;
}

/** The header fields that say: what the client has is still right. @see RFC 9110, 15.4.5 */
export function notModifiedHeaders(exchange: Exchange, answer: AnswerHead, tag: string): string[] {
  const headers = ['ETag', tag];
  pushCommon(exchange, answer, 200, undefined, headers);
  return headers;
}

/** What an answer has with and without a body. */
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
  // A cache must not hand an answer without CORS headers to a page that needs them, nor one that is compressed to everybody.
  else if (isKept) headers.push('Vary', 'Origin');
  if (isKept || coding !== undefined) headers.push('Vary', 'Accept-Encoding');
}

/** Add what every answer tells, also one to a question of which methods there are. */
export function pushOwn({ requestId, strictTransport }: Exchange, headers: string[]): void {
  headers.push('X-Request-Id', requestId);
  if (strictTransport !== undefined) headers.push('Strict-Transport-Security', strictTransport);
}
