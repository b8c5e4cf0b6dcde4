import { buffer } from 'node:stream/consumers';
import type { AccessControl, DescribedPrincipal, Principal } from '../access/index.js';
import type { StreamSink } from '../context/stream/index.js';
import type { HandedCall, LinkAnswer } from '../fleet/link/index.js';
import { GatewayError } from '../pmapi/index.js';
import type { AnyAnswer, AppOptions, Call, StreamedAnswer, SubscribedAnswer } from './contracts.js';
import { CACHE, CODED, HELD, KIND, NOT_HOME, NotHome, SHARED, TRAILER, TYPE } from './handing.js';
import { OperationDirectory } from './operation-directory.js';
import type { HttpOptions } from './options.js';
import { repeatedFacts } from './request/request-context.js';
import { parseParameterBody } from './request/read-body.js';
import { CLUSTER, isStreamed, isSubscribed } from './response/answer.js';
import { viewError } from './response/error-response.js';
import { CORE_ROUTES } from './routes.js';

/** Events that wait for the link before their stream is asked to wait. */
const WAITING_BYTES = 16_384;

/** Answers calls that other gateways handed over: they have passed those gateways' stages, and are never handed on. */
export function handedAnswerer(
  options: AppOptions,
): (call: HandedCall, onClose: Call['onClose']) => Promise<LinkAnswer> {
  const directory = new OperationDirectory(options, { ...CORE_ROUTES, ...options.routes });
  const { fleet, guards, observer } = options;
  return async (handed, onClose) => {
    let isAlone = fleet?.isAlone === true;
    let call: Call | undefined;
    try {
      const { method, url, client } = handed;
      const { service, path } = directory.find(method === 'HEAD' ? 'GET' : method, url);
      call = callOf(
        handed,
        path,
        service.needsIdentity({ remoteAddress: client }) ? guards.access : undefined,
        onClose,
      );
      const answer = await service.answer(call);
      const handing = isSubscribed(answer)
        ? eventsToHand(answer, onClose)
        : isStreamed(answer)
          ? await piecesToHand(answer)
          : wholeToHand(answer);
      // It may have lost its lease meanwhile: what it acknowledges now, the others do not know.
      isAlone ||= fleet?.isAlone === true;
      const { context } = call.request!;
      const more = {
        ...(context?.isShared === true && { [SHARED]: String(context.id) }),
        ...(isAlone && { [CLUSTER]: 'alone' }),
      };
      return { ...handing, headers: { ...handing.headers, ...more } };
    } catch (error) {
      return error instanceof NotHome ? answerNotHome() : errorToHand(error, call, observer, handed.requestId);
    }
  };
}

/** Tells the gateway that handed a call over that nothing was done here, and to look elsewhere. */
export function answerNotHome(): Promise<LinkAnswer> {
  return Promise.resolve({ status: 503, headers: { [NOT_HOME]: '1' }, body: new Uint8Array() });
}

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
    headers: body.length > 0 ? { ...headers, 'content-length': String(body.length) } : headers,
    remoteAddress: client,
    requestId,
    readBody: async (_maxBytes, described) => Promise.resolve(parseParameterBody(body, headers, described)),
    readDocument: async () => Promise.resolve(JSON.parse(Buffer.from(body).toString('utf8')) as unknown),
    readBytes: () => Promise.resolve(body),
    connection: onClose,
    onClose,
    isHanded: true,
    principal: access && principalIn(access, principal),
  };
}

/** Throws FORBIDDEN for a call without one: the gateways of a fleet have access control, or none of them has. */
function principalIn(access: AccessControl, described: unknown): Principal {
  const { kind, name, roles } = (described ?? {}) as Partial<DescribedPrincipal>;
  const isKnown = kind === 'anonymous' || kind === 'user' || kind === 'token';
  if (isKnown && typeof name === 'string' && Array.isArray(roles)) return access.principalOf({ kind, name, roles });
  throw new GatewayError('FORBIDDEN', 'the gateway that handed the request over has no access control');
}

/** Header fields as the link has them; those of one name are joined, as RFC 9110 allows. */
function headersToHand(answer: Pick<AnyAnswer, 'contentType' | 'headers'>): Record<string, string> {
  const { contentType, headers = [] } = answer;
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
  return { status, headers, body: bytesOf(body) };
}

/** The first piece is made before the answer: what it throws is an error of the call. */
async function piecesToHand(answer: StreamedAnswer): Promise<LinkAnswer> {
  const { isCoded, heldBytes, trailer, lastWords } = answer;
  // Metadata is handed over whole, so that its entity tag is that of any other answer.
  if (answer.isRepeatable === true) return wholeToHand({ ...answer, body: await buffer(answer.pieces) });
  const headers = headersToHand(answer);
  headers[KIND] = 'pieces';
  if (isCoded === true) headers[CODED] = '1';
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
function errorToHand(
  error: unknown,
  call: Call | undefined,
  observer: HttpOptions['observer'],
  requestId: string,
): LinkAnswer {
  const { code, status, message, details } = viewError(error);
  if (code === 'INTERNAL') observer?.defect?.({ requestId, route: 'handed', url: '', error });
  const { context = call && repeatedFacts(call).context } = details;
  const body = Buffer.from(JSON.stringify({ code, message, details: { ...details, context } }));
  return { status, headers: { [KIND]: 'error' }, body };
}
