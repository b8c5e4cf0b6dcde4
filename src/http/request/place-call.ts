import { getOrMake } from '../../kit/index.js';
import { unknownContext } from '../../context/index.js';
import type { HandedCall } from '../../fleet/link/index.js';
import { GatewayError } from '../../pmapi/index.js';
import type { Answer, AnyAnswer, Call, Route, SourceRequest } from '../contracts.js';
import { answerOf, FROM_MEMBER, handedCall, NotHome, RECORD, unlessDead } from '../handing.js';
import { DEFINITIONS } from '../response/answer.js';
import type { FleetState } from '../options.js';
import type { Peer } from '../../fleet/index.js';
import { fieldsWithout, splitUrl, newSpecOf, recordedPlace, restoreContext, untilGone } from './request-context.js';
import { relayStream } from './relay-stream.js';

/** How long a request waits for the version of the definitions that it names, and a call of another gateway for that gateway's. */
const WAIT_MS = 3000;
const HANDED_WAIT_MS = 1000;
/** Shared contexts of other gateways that are remembered. */
const MOST_SHARED = 10_000;

/** By fleet: gateways whose shared contexts this one has named, because no record says where those are. */
const sharedAt = new WeakMap<FleetState, Map<number, Peer>>();

interface Placed {
  readonly request: SourceRequest;
  readonly fleet: FleetState;
  /** A request without a context is about one host or archive. */
  readonly isAboutSource: boolean;
  readonly route: Pick<Route, 'isRelayed' | 'effect'>;
  readonly here: () => Answer | Promise<AnyAnswer>;
}

/** Answers at the gateway of the context or source, or here; at once if possible. Throws UNKNOWN_CONTEXT, UNAVAILABLE, … */
export function answerPlaced(placed: Placed): Answer | Promise<AnyAnswer> {
  const { headers, call } = placed.request;
  const wanted = Number(headers[call.isHanded === true ? FROM_MEMBER : DEFINITIONS]);
  return wanted > placed.fleet.version ? answerLater(placed, wanted) : answerNow(placed);
}

/** Answers once this gateway has a version of the definitions: the client, or the gateway that handed the call over, has seen it. */
async function answerLater(placed: Placed, version: number): Promise<AnyAnswer> {
  const { query, path, call } = placed.request;
  const isHanded = call.isHanded === true;
  const isReached = await placed.fleet.reached(version, isHanded ? HANDED_WAIT_MS : WAIT_MS);
  if (!isReached && !isHanded) {
    const message = `this gateway does not have version ${version} of the global derived metrics yet`;
    throw new GatewayError('UNAVAILABLE', message, { retryAfterSec: 1 });
  }
  // What is about a source can be answered by the other gateway.
  if (!isReached && (query.context ?? path.context) === undefined) throw new NotHome();
  return answerNow(placed);
}

function answerNow(placed: Placed): Answer | Promise<AnyAnswer> {
  const { request, fleet, here, isAboutSource } = placed;
  const { query, path, options, call } = request;
  // The contexts of a gateway that is alone get another home, which knows nothing of what this one acknowledges now.
  if (call.isHanded === true && fleet.isAlone && request.headers[FROM_MEMBER] !== undefined) throw new NotHome();
  const id = query.context ?? path.context;
  if (id === undefined) {
    if (!isAboutSource || call.isHanded === true) return here();
    const owner = ownerOf(request, fleet);
    return owner ? answerAtOwner(placed, owner) : here();
  }
  const openAs = options.contexts.openAs(id);
  if (openAs === 'shared' || (openAs === 'own' && fleet.isHome(id) === true)) return here();
  request.contextId = id;
  return call.isHanded === true ? answerIfHome(placed, id) : answerAtHome(placed, id);
}

const OF_ALL_HOSTS: ReadonlySet<string> = new Set(['hostspec', 'hostname', 'client']);

/** Answers one host's part of a request at the host's gateway. Throws as {@link answerPlaced}. */
export function answerPart(part: SourceRequest, here: () => Promise<AnyAnswer>): Promise<AnyAnswer> {
  const { fleet } = part.options;
  const owner = fleet && ownerOf(part, fleet);
  if (!owner) return here();
  const call = { ...part.call, ...forHost(part.call, part.query.hostspec!) };
  return answerAtOwner({ request: { ...part, call }, fleet, here, isAboutSource: true, route: {} }, owner);
}

function forHost({ url, body }: Call, hostspec: string): Pick<Call, 'url' | 'body'> {
  const [path, query] = splitUrl(url);
  const host = `hostspec=${encodeURIComponent(hostspec)}`;
  return {
    url: `${path}?${[host, ...fieldsWithout(OF_ALL_HOSTS, query)].join('&')}`,
    ...(body && { body: withoutHosts(body) }),
  };
}

function withoutHosts(body: NonNullable<Call['body']>): NonNullable<Call['body']> {
  if ('form' in body) return { form: fieldsWithout(OF_ALL_HOSTS, body.form).join('&') };
  if (!('json' in body)) return body;
  return { json: Object.fromEntries(Object.entries(body.json).filter(([name]) => !OF_ALL_HOSTS.has(name))) };
}

/** Answers at the source's owner, or here if that is not reached. */
async function answerAtOwner(placed: Placed, owner: Peer): Promise<AnyAnswer> {
  const { request, fleet, here, route } = placed;
  const relayed = route.isRelayed === true ? await relayStream(request, fleet, owner) : undefined;
  return relayed ?? (await hand(placed, owner)) ?? here();
}

/** The gateway of a source, undefined for this one. Throws opening errors. */
function ownerOf(request: SourceRequest, fleet: FleetState): Peer | undefined {
  const { hostspec, hostname, archive } = request.query;
  const isNamed = (hostspec ?? hostname ?? archive) !== undefined;
  return fleet.owner(isNamed ? request.options.contexts.placeOf(newSpecOf(request)) : undefined);
}

/** Answers a call that another gateway sent here as a context's home. Never passed on. */
async function answerIfHome(placed: Placed, id: number): Promise<AnyAnswer> {
  const { request, fleet, here } = placed;
  const record = request.headers[RECORD];
  if (typeof record === 'string') {
    await restoreContext(request, id, decodeURIComponent(record));
    return here();
  }
  if (request.options.contexts.openAs(id) === 'own' && (await fleet.isHome(id))) return here();
  throw new NotHome();
}

async function answerAtHome(placed: Placed, id: number): Promise<AnyAnswer> {
  const { fleet } = placed;
  const member = sharedAt.get(fleet)?.get(id);
  const answer = member && (await hand(placed, member));
  if (answer) return answer;
  try {
    return await atHome(placed, id);
  } catch (error) {
    const isUnknown = error instanceof GatewayError && error.code === 'UNAVAILABLE';
    // This gateway may be alone by now: it knows of no other place, and one that is alone answers for it.
    const again = isUnknown && member && fleet.isAlone ? await hand(placed, member) : undefined;
    if (!again) throw error;
    return again;
  }
}

function atHome(placed: Placed, id: number): Promise<AnyAnswer> {
  const { request, fleet, here } = placed;
  return fleet.atHome<AnyAnswer>(id, {
    here: () => here(),
    restore: (record) => restoreContext(request, id, record),
    hand: (home) => hand(placed, home),
    shared: (record) => answerShared(placed, id, record),
    gone: (how) => {
      sharedAt.get(fleet)?.delete(id);
      throw unknownContext(id, how);
    },
  });
}

/** Answers at the gateway of the context's source, which may open it, or else here. */
async function answerShared(placed: Placed, id: number, record: string): Promise<AnyAnswer> {
  const { request, fleet, here } = placed;
  const place = recordedPlace(request, record);
  const owner = place === undefined ? undefined : fleet.owner(place);
  const answer = owner && (await hand(placed, owner, { [RECORD]: encodeURIComponent(record) }));
  if (answer) return answer;
  await restoreContext(request, id, record);
  return here();
}

/** Passes a request to another gateway; undefined if nothing was done there, or that gateway died and it can be done again. */
async function hand(placed: Placed, to: Peer, headers?: HandedCall['headers']): Promise<AnyAnswer | undefined> {
  const { request, fleet } = placed;
  const { call, options } = request;
  const sent = handedCall(call, options.guards.access);
  const told = fleet.isAlone ? headers : { ...headers, [FROM_MEMBER]: String(fleet.version) };
  const handing = { ...sent, headers: { ...sent.headers, ...told } };
  const answering = fleet.hand(handing, to, call.onClose);
  const answer = await (isRepeatable(placed) ? answering.catch(unlessDead) : answering);
  // Nothing is done again for a client that has left.
  if (!answer) untilGone(call).throwIfAborted();
  const handed = answer && (await answerOf(answer));
  if (handed?.shared !== undefined) rememberShared(fleet, handed.shared, to);
  return handed?.answer;
}

/** Whether a request only reads, and moves the position of no context. */
function isRepeatable({ request: { call, query, path }, route: { effect = 'reads' } }: Placed): boolean {
  const isMoved = effect === 'moves' && (query.context ?? path.context) !== undefined;
  return call.method === 'GET' && effect !== 'changes' && !isMoved;
}

function rememberShared(fleet: FleetState, id: number, member: Peer): void {
  const shared = getOrMake(sharedAt, fleet, () => new Map<number, Peer>());
  shared.delete(id);
  shared.set(id, member);
  if (shared.size > MOST_SHARED) shared.delete(shared.keys().next().value!);
}
