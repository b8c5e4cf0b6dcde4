/**
 * Calls that another gateway of the fleet answers. Between gateways, an answer has the header fields of HTTP, and some that say what it is; an
 * error is sent as such, so that the first gateway answers it as its own.
 */
import { buffer } from 'node:stream/consumers';
import type { AccessControl } from '../access/index.js';
import type { StreamSink, StreamSubscription } from '../context/stream/index.js';
import type { HandedCall, LinkAnswer } from '../fleet/link/index.js';
import { ERROR_CATALOGUE, GatewayError, type ErrorCode, type ErrorDetails } from '../pmapi/index.js';
import type { AnyAnswer, Call } from './contracts.js';

/** What an answer between gateways is: `whole` if absent. */
export const KIND = 'pmgate-answer';
/** HTTP headers with a dedicated member in `Answer`. */
export const TYPE = 'content-type';
export const CACHE = 'cache-control';
/** Facts of a streamed answer that no field of HTTP tells. */
export const CODED = 'pmgate-coded';
export const HELD = 'pmgate-held-bytes';
export const TRAILER = 'pmgate-trailer';
/** This gateway does not have the context. */
export const NOT_HOME = 'pmgate-not-home';
/** The number of the shared context that answered: no record says which gateway has it. */
export const SHARED = 'pmgate-shared';
/** In a call: the gateway that hands it over has counted the stream as one of its client's. */
export const COUNTED = 'pmgate-counted';
/**
 * In a call: the gateway that hands it over is not alone, so that one that is must not answer. Its value is the version of the global derived metrics
 * that it has: the answer must know of them, too.
 */
export const FROM_MEMBER = 'pmgate-from-member';
/** In a call: the answer is to cover what that gateway alone has. In an answer: it does. */
export const OWN = 'pmgate-own';
/** In a call: the record of the shared context that it names, encoded as in a URL. */
export const RECORD = 'pmgate-record';
/** Header fields of the request that concern one connection, or the body as it came. */
const NOT_HANDED = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'if-none-match',
  'transfer-encoding',
]);
/** A handed call is for a context that this gateway does not have. */
export class NotHome extends Error {
  override name = 'NotHome';
}

/** A call as another gateway gets it: its stages have been passed, its body has been read. */
export function handedCall(call: Call, access: AccessControl | undefined): HandedCall {
  const { method, url, requestId, principal } = call;
  const headers: Record<string, string> = {};
  for (const name in call.headers) {
    const value = call.headers[name];
    // Credentials of users of the gateway were checked; those for hosts are needed where the host is reached.
    const isOwn = name === 'authorization' && access?.hasUsers === true;
    if (value !== undefined && !isOwn && !NOT_HANDED.has(name) && !name.startsWith('pmgate-'))
      headers[name] = String(value);
  }
  const sent = bodyToHand(call);
  if (sent) headers[TYPE] = sent.type;
  return {
    method,
    url,
    headers,
    client: call.remoteAddress ?? '',
    requestId,
    ...(sent && { body: sent.bytes }),
    ...(principal && { principal: principal.describe() }),
  };
}

/** A body that was read, as bytes that are read as the same. */
function bodyToHand({ body, request, headers }: Call): { type: string; bytes: Uint8Array } | undefined {
  const document = request?.document;
  if (document instanceof Uint8Array) return { type: headers[TYPE] ?? '', bytes: document };
  if (document !== undefined) return { type: 'application/json', bytes: Buffer.from(JSON.stringify(document)) };
  if (!body) return undefined;
  if ('json' in body) return { type: 'application/json', bytes: Buffer.from(JSON.stringify(body.json)) };
  if ('form' in body) return { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(body.form) };
  return { type: 'text/plain', bytes: Buffer.from(body.text) };
}

/** For what may be done twice: undefined where the other gateway died over a call. Throws other errors. */
export function unlessDead(error: unknown): undefined {
  if ((error as Error).name === 'LinkError') return undefined;
  throw error;
}

interface Handed {
  readonly answer: AnyAnswer;
  /** The shared context of that gateway that it is about. */
  readonly shared: number | undefined;
}

/** Reads the answer of another gateway; undefined if that gateway does not have the context. Throws its error. */
export async function answerOf(handed: LinkAnswer): Promise<Handed | undefined> {
  const { [NOT_HOME]: notHome, [SHARED]: shared } = handed.headers;
  if (notHome !== undefined) return undefined;
  return { answer: await readAnswer(handed), shared: shared === undefined ? undefined : Number(shared) };
}

async function readAnswer(handed: LinkAnswer): Promise<AnyAnswer> {
  const { [KIND]: kind, [TYPE]: contentType = '', [CACHE]: cacheControl, ...rest } = handed.headers;
  const { body, status } = handed;
  if (kind === 'error') throw errorOf(await wholeBody(body));
  const names = Object.keys(rest).filter((name) => !name.startsWith('pmgate-'));
  const headers = names.flatMap((name) => [name, rest[name]!]);
  const common = { contentType, ...(headers.length > 0 && { headers }) };
  if (kind === 'events') return { ...common, subscribe: (sink) => forwardEvents(sink, piecesOf(body)) };
  if (kind === undefined)
    return { ...common, status, body: await wholeBody(body), ...(cacheControl !== undefined && { cacheControl }) };
  const { [HELD]: held, [TRAILER]: trailer } = rest;
  return {
    ...common,
    pieces: piecesOf(body),
    ...(rest[CODED] !== undefined && { isCoded: true }),
    ...(held !== undefined && { heldBytes: Number(held) }),
    ...(trailer !== undefined && { trailer: { name: trailer, value: () => handed.trailer?.() } }),
  };
}

/** A whole answer that is long arrives in pieces, too. */
function wholeBody(body: LinkAnswer['body']): Uint8Array | Promise<Uint8Array> {
  return body instanceof Uint8Array ? body : buffer(body);
}

function piecesOf(body: LinkAnswer['body']): AsyncIterable<Uint8Array> {
  if (!(body instanceof Uint8Array)) return body;
  throw new Error('pieces in a whole answer');
}

function errorOf(body: Uint8Array): GatewayError {
  const { code, message, details } = JSON.parse(Buffer.from(body).toString('utf8')) as {
    readonly code: string;
    readonly message: string;
    readonly details: ErrorDetails;
  };
  const known: ErrorCode = Object.hasOwn(ERROR_CATALOGUE, code) ? (code as ErrorCode) : 'INTERNAL';
  return new GatewayError(known, message, details);
}

/** Pushes the events of another gateway to a client as fast as it takes them. A stream that breaks ends: its client reconnects. */
function forwardEvents(sink: StreamSink, pieces: AsyncIterable<Uint8Array>): StreamSubscription {
  const iterator = pieces[Symbol.asyncIterator]();
  let hasLeft = false;
  let wake = (): void => undefined;
  const forward = async (): Promise<void> => {
    for (;;) {
      const next = await iterator.next();
      if (next.done === true || hasLeft) return;
      if (!sink.write(next.value)) await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const end = (): void => {
    if (!hasLeft) sink.end();
  };
  void forward().then(end, end);
  return {
    drained: () => wake(),
    unsubscribe: () => {
      hasLeft = true;
      wake();
      void iterator.return?.();
    },
  };
}
