import { createHash } from 'node:crypto';
import { parseEventId, type RelayedEvent } from '../../context/stream/index.js';
import type { HandedCall, LinkAnswer } from '../../fleet/link/index.js';
import { GatewayError } from '../../pmapi/index.js';
import type { AnyAnswer, AnyRequest, QueryOf, SourceRequest, SubscribedAnswer } from '../contracts.js';
import { answerOf, COUNTED, handedCall, KIND, TYPE, unlessDead } from '../handing.js';
import type { FleetState } from '../options.js';
import type { Peer } from '../../fleet/index.js';
import { EVENT_STREAM_HEADERS, streamEnds } from '../response/writers/event-stream-writer.js';
import { fieldsWithout, splitUrl, isOnThisMachine, lastEventIdOf } from './request-context.js';

/** Parameters that clients of the same samples may have differently. */
const OWN_PARAMETERS = new Set(['client', 'lastEventId', 'start']);
const MAX_EVENT_BYTES = 64 * 1024 * 1024;
const EVENT_END = Buffer.from('\n\n');
const NEWLINE = 10;

/**
 * Relays a live stream of another gateway's host, shared by clients of the same samples. Undefined where that is impossible. Throws the
 * other gateway's errors, UNAVAILABLE and TOO_MANY_REQUESTS.
 */
export async function relayStream(
  request: SourceRequest,
  fleet: FleetState,
  owner: Peer,
): Promise<AnyAnswer | undefined> {
  const { options, call } = request;
  const query = request.query as QueryOf<'streamValues'>;
  const hub = options.streams;
  if (call.method !== 'GET' || query.archive !== undefined) return undefined;
  const common = commonCall(request);
  const sentId = lastEventIdOf(request.headers, query);
  const lastEventId = sentId === undefined ? undefined : parseEventId(sentId);
  const release = options.guards.clients.stream(call);
  const relaying = hub.relay({
    key: keyOf(request, common, owner),
    format: streamEnds,
    lastEventId,
    // An invalid id is refused by the other gateway.
    hasPast: query.start !== undefined || (sentId !== undefined && lastEventId === undefined),
    begin: (metrics) => withClient(metrics, query.client),
    open: async (whose, signal) => {
      const handed = whose === 'all' ? common : counted(handedCall(call, options.guards.access));
      const onClose = (listener: () => void): void => {
        if (signal.aborted) listener();
        else signal.addEventListener('abort', listener, { once: true });
        if (whose === 'own') call.onClose(listener);
      };
      const answer = await fleet.hand(handed, owner, onClose).catch(unlessDead);
      return answer && eventsOf(await piecesOf(answer), query.changed === true);
    },
  });
  const subscribe = await relaying.catch((error: unknown) => {
    release?.();
    throw error;
  });
  // Otherwise it is counted where it is answered.
  if (subscribe && release) request.onClose(release);
  else release?.();
  return subscribe && ({ ...EVENT_STREAM_HEADERS, subscribe } satisfies SubscribedAnswer);
}

/** The call for all clients: the first one's, without its own parameters. */
function commonCall(request: AnyRequest): HandedCall {
  const { call, options } = request;
  const { headers, ...handed } = handedCall(call, options.guards.access);
  const { authorization } = headers;
  const [path, query] = splitUrl(handed.url);
  return counted({
    ...handed,
    url: `${path}?${fieldsWithout(OWN_PARAMETERS, query).join('&')}`,
    headers: authorization === undefined ? {} : { authorization },
    // Only clients on this machine see why a host cannot be reached.
    client: isOnThisMachine(request) ? handed.client : '',
  });
}

function counted(call: HandedCall): HandedCall {
  return { ...call, headers: { ...call.headers, [COUNTED]: '1' } };
}

/** Equal for requests with the same events: same parameters and permissions, here and at the host. */
function keyOf({ principal }: AnyRequest, { url, headers, client }: HandedCall, owner: Peer): string {
  const credentials = headers.authorization && createHash('sha256').update(headers.authorization).digest('base64');
  return JSON.stringify([owner.id, url, principal?.kind, principal?.roleNames, credentials, client !== '']);
}

/** The first event repeats `client`, as every response does. */
function withClient(metrics: Buffer, client: string | undefined): Uint8Array {
  if (client === undefined) return metrics;
  return Buffer.from(
    metrics.toString().replace(/"context":\d+/, (member) => `${member},"client":${JSON.stringify(client)}`),
  );
}

/** The pieces of a stream. Throws the error of another gateway. */
async function piecesOf(answer: LinkAnswer): Promise<AsyncIterable<Uint8Array>> {
  const { body, headers } = answer;
  if (headers[KIND] === 'events' && !(body instanceof Uint8Array)) return body;
  await answerOf(answer);
  throw new GatewayError('INTERNAL', `no stream: ${headers[TYPE] ?? ''}`);
}

/** Cuts the pieces of a stream into events. Throws for one that is too long. */
async function* eventsOf(
  pieces: AsyncIterable<Uint8Array>,
  isChanges: boolean,
): AsyncGenerator<RelayedEvent, undefined> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const bytes of pieces) {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const isCut = piece[0] === NEWLINE && parts.at(-1)?.at(-1) === NEWLINE;
    parts.push(piece);
    size += piece.length;
    if (size > MAX_EVENT_BYTES) throw new GatewayError('INTERNAL', 'an event of another gateway is too long');
    if (!isCut && !piece.includes(EVENT_END)) continue;
    let rest = parts.length === 1 ? piece : Buffer.concat(parts);
    for (let end = rest.indexOf(EVENT_END); end !== -1; end = rest.indexOf(EVENT_END)) {
      const event = rest.subarray(0, end + EVENT_END.length);
      rest = rest.subarray(event.length);
      yield readEvent(event, isChanges);
    }
    parts = rest.length === 0 ? [] : [rest];
    size = rest.length;
  }
  return undefined;
}

/** Enough for all members of an event that are read. */
const HEAD_BYTES = 200;

/** An event as event-stream-writer.ts writes it. */
function readEvent(bytes: Buffer, isChanges: boolean): RelayedEvent {
  const head = bytes.toString('latin1', 0, HEAD_BYTES);
  const [, idText, isFull] = /^id: (.*)\ndata: \{(?:"reconnected":true,?)?("full":true)?/.exec(head) ?? [];
  const id = idText === undefined ? undefined : parseEventId(idText);
  if (id) return { kind: 'sample', id, bytes, isFull: !isChanges || isFull !== undefined };
  return { kind: kindOf(head), id: undefined, bytes, isFull: true };
}

function kindOf(head: string): RelayedEvent['kind'] {
  if (head.startsWith(':')) return 'heartbeat';
  const name = /^event: (.*)$/m.exec(head)?.[1];
  if (name === 'end') return head.includes('"reason":"shutdown"') ? 'broken' : 'end';
  return name === 'metrics' ? 'metrics' : 'other';
}
