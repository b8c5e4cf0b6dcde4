/**
 * Calls that another gateway of the fleet answers, and those that others have this one answer. Between gateways, an answer has the header
 * fields of HTTP, and some that say what it is; an error is sent as such, so that the first gateway answers it as its own.
 */
import type { AccessControl, DescribedPrincipal } from '../access/index.js';
import type { StreamSink, StreamSubscription } from '../context/stream/index.js';
import type { HandedCall, LinkAnswer } from '../fleet/link/index.js';
import { ERROR_CATALOGUE, GatewayError } from '../pmapi/index.js';
import type { ErrorCode, ErrorDetails } from '../pmapi/index.js';
import type { AnyAnswer, Call, OperationFinder, StreamedAnswer, SubscribedAnswer } from './contracts.js';
import type { HttpOptions } from './options.js';
import { repeatedFacts } from './request/named-context.js';
import { parseParameterBody } from './request/read-body.js';
import type { RequestBody } from './contracts.js';
import { isStreamed, isSubscribed } from './response/answer.js';
import { viewError } from './response/error-response.js';

/** What an answer between gateways is: `whole` if absent. */
const KIND = 'pmgate-answer';
/** Fields of HTTP that have a place of their own in an answer. */
const TYPE = 'content-type';
const CACHE = 'cache-control';
/** Facts of a streamed answer that no field of HTTP tells. */
const CODED = 'pmgate-coded';
const REPEATABLE = 'pmgate-repeatable';
const HELD = 'pmgate-held-bytes';
const TRAILER = 'pmgate-trailer';
/** This gateway does not have the context. */
const NOT_HOME = 'pmgate-not-home';
/** Header fields of the request that concern one connection, or the body as it came. */
const NOT_HANDED = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'if-none-match',
  'transfer-encoding',
]);
/** Events that wait for the link before their stream is asked to wait. */
const WAITING_BYTES = 16_384;

/** A call as another gateway gets it: its stages have been passed, its body has been read. */
export function handedCall({ call, access }: { readonly call: Call; readonly access: AccessControl | undefined }): HandedCall {
  const { method, url, requestId, principal, body, request } = call;
  const headers: Record<string, string> = {};
  for (const name in call.headers) {
    const value = call.headers[name];
    // Credentials of users of the gateway were checked; those for hosts are needed where the host is reached.
    const isOwn = name === 'authorization' && access?.hasUsers === true;
    if (value !== undefined && !isOwn && !NOT_HANDED.has(name)) headers[name] = String(value);
  }
  const sent = bodyToHand(body, request?.document);
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
function bodyToHand(body: RequestBody, document: unknown): { type: string; bytes: Uint8Array } | undefined {
  if (document instanceof Uint8Array) return { type: 'application/octet-stream', bytes: document };
  if (document !== undefined) return { type: 'application/json', bytes: Buffer.from(JSON.stringify(document)) };
  if (!body) return undefined;
  if ('json' in body) return { type: 'application/json', bytes: Buffer.from(JSON.stringify(body.json)) };
  if ('form' in body) return { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(body.form) };
  return { type: 'text/plain', bytes: Buffer.from(body.text) };
}

/** The answer of another gateway, as if this one had made it; undefined if that gateway does not have the context. Throws its error. */
export function answerOf(handed: LinkAnswer): AnyAnswer | undefined {
  const { [KIND]: kind, [TYPE]: contentType = '', [CACHE]: cacheControl, ...rest } = handed.headers;
  if (rest[NOT_HOME] !== undefined) return undefined;
  const { body, status } = handed;
  if (kind === 'error') throw errorOf(wholeBody(body));
  const names = Object.keys(rest).filter((name) => !name.startsWith('pmgate-'));
  const headers = names.flatMap((name) => [name, rest[name]!]);
  const common = { contentType, ...(headers.length > 0 && { headers }) };
  if (kind === 'events') return { ...common, subscribe: (sink) => new HandedEvents(sink, piecesOf(body)) };
  if (kind === undefined) return { ...common, status, body: wholeBody(body), ...(cacheControl !== undefined && { cacheControl }) };
  const { [HELD]: held, [TRAILER]: trailer } = rest;
  return {
    ...common,
    pieces: piecesOf(body),
    ...(rest[CODED] !== undefined && { isCoded: true }),
    ...(held !== undefined && { heldBytes: Number(held) }),
    ...(trailer !== undefined && { trailer: { name: trailer, value: () => handed.trailer?.() } }),
  };
}

function wholeBody(body: LinkAnswer['body']): Uint8Array {
  if (body instanceof Uint8Array) return body;
  throw new Error('a whole answer in pieces');
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

/** The events of another gateway, pushed to a client as fast as it takes them. */
class HandedEvents implements StreamSubscription {
  readonly #iterator: AsyncIterator<Uint8Array>;
  #wake: (() => void) | undefined;
  #hasLeft = false;

  constructor(sink: StreamSink, pieces: AsyncIterable<Uint8Array>) {
    this.#iterator = pieces[Symbol.asyncIterator]();
    void this.#forward(sink);
  }

  drained(): void {
    this.#wake?.();
  }

  unsubscribe(): void {
    this.#hasLeft = true;
    this.#wake?.();
    void this.#iterator.return?.();
  }

  /** Never rejects: a stream that breaks ends, and its client reconnects. */
  async #forward(sink: StreamSink): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#iterator.next();
        if (done === true || this.#hasLeft) break;
        if (!sink.write(value)) await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } catch {
      // The link is gone, and with it the gateway that has the stream.
    }
    if (!this.#hasLeft) sink.end();
  }
}

/** What a handed call is answered with. */
export interface HandedAnswerer {
  readonly options: HttpOptions;
  readonly directory: OperationFinder;
}

/** Answers a call that another gateway handed over: it has passed that gateway's stages, and is never handed on. */
export async function answerHanded(
  { options, directory }: HandedAnswerer,
  handed: HandedCall,
  onClose: Call['onClose'],
): Promise<LinkAnswer> {
  let call: Call | undefined;
  try {
    const { method, url } = handed;
    const { service, path } = directory.find(method === 'HEAD' ? 'GET' : method, url);
    call = callOf(handed, path, options.access, onClose);
    const answer = await service.answer(call);
    return isSubscribed(answer) ? eventsToHand(answer, onClose) : isStreamed(answer) ? await piecesToHand(answer) : wholeToHand(answer);
  } catch (error) {
    if (error instanceof NotHome) return { status: 503, headers: { [NOT_HOME]: '1' }, body: new Uint8Array() };
    return errorToHand(error, call, options, handed);
  }
}

/** A handed call is for a context that this gateway does not have. */
export class NotHome extends Error {}

function callOf(
  { method, url, headers, body = new Uint8Array(), principal, client, requestId }: HandedCall,
  path: Call['path'],
  access: AccessControl | undefined,
  onClose: Call['onClose'],
): Call {
  return {
    method,
    url,
    path,
    headers,
    remoteAddress: client,
    requestId,
    readBody: async (_maxBytes, described) => Promise.resolve(parseParameterBody(body, headers, described)),
    readDocument: async () => Promise.resolve(JSON.parse(Buffer.from(body).toString('utf8')) as unknown),
    readBytes: () => Promise.resolve(body),
    connection: onClose,
    onClose,
    isHanded: true,
    principal: access && access.principalOf(principal as DescribedPrincipal),
  };
}

/** Header fields as the link has them; those of one name are joined, as RFC 9110 allows. */
function headersToHand({ contentType, headers = [] }: Pick<AnyAnswer, 'contentType' | 'headers'>): Record<string, string> {
  const fields: Record<string, string> = { [TYPE]: contentType };
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name, value] = [headers[i]!, headers[i + 1]!];
    fields[name] = name in fields ? `${fields[name]!}, ${value}` : value;
  }
  return fields;
}

function wholeToHand(answer: Exclude<AnyAnswer, StreamedAnswer | SubscribedAnswer>): LinkAnswer {
  const { status = 200, body, cacheControl } = answer;
  const headers = headersToHand(answer);
  if (cacheControl !== undefined) headers[CACHE] = cacheControl;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return { status, headers, body: bytes };
}

/** The first piece is made before the answer: what it throws is an error of the call. */
async function piecesToHand(answer: StreamedAnswer): Promise<LinkAnswer> {
  const { isCoded, isRepeatable, heldBytes, trailer, lastWords } = answer;
  const headers = headersToHand(answer);
  headers[KIND] = 'pieces';
  if (isCoded === true) headers[CODED] = '1';
  if (isRepeatable === true) headers[REPEATABLE] = '1';
  if (heldBytes !== undefined) headers[HELD] = String(heldBytes);
  if (trailer) headers[TRAILER] = trailer.name;
  const iterator = answer.pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      for (let next = first; next.done !== true; next = await iterator.next()) yield bytesOf(next.value);
    } catch (error) {
      if (!lastWords) throw error;
      yield bytesOf(lastWords(error));
    } finally {
      await iterator.return?.();
    }
  }
  return { status: 200, headers, body: pieces(), ...(trailer && { trailer: trailer.value }) };
}

function eventsToHand(answer: SubscribedAnswer, onClose: Call['onClose']): LinkAnswer {
  const events = new WaitingEvents();
  const subscription = answer.subscribe(events);
  events.onDrained = () => subscription.drained();
  onClose(() => {
    subscription.unsubscribe();
    events.end();
  });
  return { status: 200, headers: { ...headersToHand(answer), [KIND]: 'events' }, body: events };
}

/** Events that wait for the link to take them. */
class WaitingEvents implements StreamSink, AsyncIterableIterator<Uint8Array> {
  onDrained: () => void = () => undefined;
  waitingBytes = 0;
  readonly #events: Uint8Array[] = [];
  #hasEnded = false;
  #mustDrain = false;
  #wake: (() => void) | undefined;

  write(bytes: Uint8Array): boolean {
    if (this.#hasEnded) return true;
    this.#events.push(bytes);
    this.waitingBytes += bytes.byteLength;
    this.#wake?.();
    this.#mustDrain ||= this.waitingBytes > WAITING_BYTES;
    return !this.#mustDrain;
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }

  destroy(): void {
    this.#events.length = 0;
    this.end();
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    while (this.#events.length === 0 && !this.#hasEnded) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
    const event = this.#events.shift();
    if (!event) return { done: true, value: undefined };
    this.waitingBytes -= event.byteLength;
    if (this.#mustDrain && this.waitingBytes === 0) {
      this.#mustDrain = false;
      this.onDrained();
    }
    return { done: false, value: event };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

function bytesOf(piece: string | Uint8Array): Uint8Array {
  return typeof piece === 'string' ? Buffer.from(piece) : piece;
}

/** An error for the gateway that handed the call over; an internal one is reported here, where its stack is. */
function errorToHand(error: unknown, call: Call | undefined, { observer }: HttpOptions, handed: HandedCall): LinkAnswer {
  const { code, status, message, details } = viewError(error);
  if (code === 'INTERNAL') {
    const { requestId } = handed;
    observer?.defect?.({ requestId, traceId: undefined, spanId: undefined, route: 'handed', url: '', error });
  }
  const { context = call && repeatedFacts(call).context } = details;
  const body = Buffer.from(JSON.stringify({ code, message, details: { ...details, context } }));
  return { status, headers: { [KIND]: 'error' }, body };
}
