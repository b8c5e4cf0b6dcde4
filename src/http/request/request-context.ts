import type { IncomingHttpHeaders } from 'node:http';
import { readRecord, unknownContext, type Context, type RecordedContext } from '../../context/index.js';
import { badParameter, GatewayError } from '../../pmapi/index.js';
import { holdsCredentials, type Principal, type Visibility } from '../../access/index.js';
import type { SourceSpec } from '../../sources/index.js';
import { originOf } from '../guards/client-limits.js';
import type { AnyRequest, Call, ContextParameters, QueryOf, SourceRequest } from '../contracts.js';
import { attempt, getOrMake } from '../../kit/index.js';
import type { RawParameters } from './validate.js';
import { isEqual, readAuthorization, type Credentials } from './node/authorization.js';

const USERNAME = /[?&]username=/;
const PASSWORD = /[?&]password=/;

/** The context that a request names, or one on its hostspec: `shared` for requests without changes, else `own`. */
export function contextOf(request: SourceRequest, otherwise: 'shared' | 'own'): Context | Promise<Context> {
  const { query, path, options } = request;
  refuseBoth(query);
  const { principal } = request;
  const credentials = credentialsOf(request);
  const id = query.context ?? path.context;
  if (id !== undefined) {
    request.contextId = id;
    const context = options.contexts.use(id);
    if (principal) requireOwner(context, principal);
    requireSameUser(context.spec, credentials);
    keepOpen(request, context);
    waitForHost(request, context);
    return context;
  }
  const spec = newSpecOf(request, credentials);
  if (otherwise === 'shared') {
    const shared = openedWithCare(request, spec, () => options.contexts.shared(spec, () => untilGone(request)));
    return shared instanceof Promise ? rememberOpened(request, shared) : remember(request, shared);
  }
  const pollTimeoutMs = query.polltimeout === undefined ? undefined : query.polltimeout * 1000;
  const settings = pollTimeoutMs === undefined ? {} : { pollTimeoutMs };
  const how = { ...settings, owner: principal?.name, signal: untilGone(request) };
  const create = (): Promise<Context> => countedContext(request, () => options.contexts.create(spec, how));
  return rememberOpened(request, openedWithCare(request, spec, create));
}

/** Opens a named context from its record, with the request's credentials, if its gateway is gone. Throws UNKNOWN_CONTEXT, … */
export async function restoreContext(request: AnyRequest, id: number, text: string): Promise<void> {
  const { options, principal } = request;
  const recorded = readRecord(text);
  const { owner, isShared } = recorded;
  const isTheirs = isShared || !principal || owner === principal.name || principal.may('admin');
  if (!isTheirs) throw unknownContext(id);
  const spec = recordedSpec(request, id, recorded);
  const restore = (): Promise<Context> =>
    countedContext(request, () => options.contexts.restore(id, spec, recorded, untilGone(request)));
  const share = (): Context | Promise<Context> => options.contexts.shared(spec, () => untilGone(request));
  const context = await openedWithCare(request, spec, isShared ? share : restore);
  // It was a source that is another one here, or one of another password.
  if (context.id !== id) throw unknownContext(id);
}

/** The source of another gateway's context, with a request's credentials. Throws as {@link restoreContext}. */
function recordedSpec(
  request: AnyRequest,
  id: number,
  { target, username, isComplete, filterKey }: RecordedContext,
): SourceSpec {
  const { principal } = request;
  const credentials = credentialsOf(request);
  if (!isComplete) throw unknownContext(id);
  if (username !== undefined && !credentials) {
    throw new GatewayError('AUTHENTICATION_REQUIRED', 'authentication required');
  }
  if (username !== undefined && credentials?.username !== username) {
    throw new GatewayError('FORBIDDEN', 'authentication failed');
  }
  const login = username === undefined ? {} : credentials;
  const spec = visibleSpec(
    target.kind === 'host'
      ? { kind: 'host', hostspec: target.name, ...login }
      : { kind: 'archive', archive: target.name },
    principal,
  );
  if (spec.filter?.key !== filterKey) throw unknownContext(id);
  return spec;
}

/** The place of the source of a shared context, by its record. Throws UNAVAILABLE for one of another release. */
export function recordedPlace({ options }: AnyRequest, text: string): string | undefined {
  const { kind, name } = readRecord(text).target;
  return options.contexts.placeOf(kind === 'host' ? { kind, hostspec: name } : { kind, archive: name });
}

/** The source of a request without a context, as its client may see it. Throws as {@link contextOf}, without opening. */
export function newSpecOf(request: SourceRequest, credentials = credentialsOf(request)): SourceSpec {
  return visibleSpec(sourceSpec(request.query, credentials), request.principal);
}

/** Basic credentials for pmcd; with users of the gateway's own, they are for the gateway. */
function credentialsOf({ options, headers }: AnyRequest): Credentials | undefined {
  const { authorization } = headers;
  const isNone = authorization === undefined || options.guards.access?.hasUsers === true;
  return isNone ? undefined : readAuthorization(authorization);
}

/** Opens a context; if a host checks a password for it, failures count as failed logins. Throws TOO_MANY_REQUESTS. */
function openedWithCare(
  { options, call }: AnyRequest,
  spec: SourceSpec,
  open: () => Context | Promise<Context>,
): Context | Promise<Context> {
  const { access, clients } = options.guards;
  if (!access || spec.kind !== 'host' || !holdsCredentials(spec)) return open();
  return access.openAtHost(spec, originOf(call, clients), async () => open());
}

/** Creates a context for a client within the limit for clients. Throws TOO_MANY_CONTEXTS. */
export async function countedContext({ options, call }: AnyRequest, make: () => Promise<Context>): Promise<Context> {
  const release = options.guards.clients.context(call);
  try {
    const context = await make();
    if (release) context.onClose(release);
    return context;
  } catch (error) {
    release?.();
    throw error;
  }
}

async function rememberOpened(request: AnyRequest, opening: Context | Promise<Context>): Promise<Context> {
  try {
    return remember(request, await opening);
  } catch (error) {
    throw explained(request, error);
  }
}

function remember(request: AnyRequest, context: Context): Context {
  request.contextId = context.id;
  keepOpen(request, context);
  waitForHost(request, context);
  return context;
}

/** Keeps a context from expiring until the response: look-ups of a slow source may outlast its time-out. */
export function keepOpen(request: AnyRequest, context: Context): void {
  request.context = context;
  request.held.push(context.hold());
}

/** The id of the client's last event: the header, sent by reconnecting browsers, is newer than the parameter. */
export function lastEventIdOf(
  { 'last-event-id': header }: IncomingHttpHeaders,
  query: { readonly lastEventId?: string },
): string | undefined {
  return typeof header === 'string' && header !== '' ? header : query.lastEventId;
}

const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/** Whether a proxy has passed a request on. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return FORWARDING.some((name) => headers[name] !== undefined);
}

/** Whether the client, not only its proxy, is on this machine. */
export function isOnThisMachine(request: AnyRequest): boolean {
  return request.isLoopback() && !isForwarded(request.headers);
}

/** Adds why a host cannot be reached, for local clients and administrators; other errors are unchanged. */
function explained(request: AnyRequest, error: unknown): unknown {
  if (!(error instanceof GatewayError && error.code === 'SOURCE_UNREACHABLE' && error.cause instanceof Error))
    return error;
  const { principal } = request;
  const isHere = isOnThisMachine(request);
  if (!isHere && principal?.may('admin') !== true) return error;
  const message = `cannot connect to PMCD: ${error.cause.message}`;
  return new GatewayError(error.code, message, error.details, { cause: error });
}

/** Counts a request as waiting for its host. Throws OVERLOADED for too many. */
function waitForHost({ held, waitsForHost, options }: AnyRequest, context: Context): void {
  if (!waitsForHost || context.kind !== 'host') return;
  held.push(options.guards.overload.enterHost(context.origin, () => hostspecOf(context)));
}

/** The hostspec or archive of a context, without attributes, which may contain a password. */
export function hostspecOf({ spec }: Context): string {
  return spec.kind === 'host' ? spec.hostspec.replace(/[?&].*$/s, '') : spec.archive;
}

function refuseBoth({ archive, hostspec, hostname }: ContextParameters): void {
  if (archive === undefined || (hostspec ?? hostname) === undefined) return;
  const message = `'archive' and '${hostspec === undefined ? 'hostname' : 'hostspec'}' are mutually exclusive`;
  throw badParameter('archive', message, 'an archive or a host, not both');
}

function sourceSpec(query: ContextParameters, credentials: Credentials | undefined): SourceSpec {
  if (query.archive !== undefined) return { kind: 'archive', archive: query.archive };
  const hostspec = query.hostspec ?? query.hostname ?? 'localhost';
  if (!credentials && USERNAME.test(hostspec) && !PASSWORD.test(hostspec)) {
    const expected = 'an Authorization header of the Basic scheme';
    throw new GatewayError('AUTHENTICATION_REQUIRED', 'authentication required', { parameter: 'hostspec', expected });
  }
  return { kind: 'host', hostspec, ...credentials };
}

/** A source with the principal's filter. Throws AUTHENTICATION_REQUIRED and FORBIDDEN if nothing of it may be seen. */
function visibleSpec(spec: SourceSpec, principal: Principal | undefined): SourceSpec {
  const filter = principal?.see(spec).filter;
  return filter ? { ...spec, filter } : spec;
}

/** Throws UNKNOWN_CONTEXT unless the context is the principal's, or a shared one that shows the principal the same. */
function requireOwner(context: Context, principal: Principal): void {
  const { id, spec, owner, isShared } = context;
  const isTheirs = isShared || owner === principal.name || principal.may('admin');
  if (isTheirs && isSeenAlike(spec, principal)) return;
  throw unknownContext(id);
}

/** Whether a source shows exactly what a principal may see of it. Throws as {@link Principal.see} for nothing. */
export function isSeenAlike(spec: SourceSpec, principal: Principal): boolean {
  return principal.see(spec).filter?.key === spec.filter?.key;
}

/** A context created with a password requires it with every request: its number is not enough. */
function requireSameUser(spec: SourceSpec, credentials: Credentials | undefined): void {
  if (spec.kind !== 'host' || spec.username === undefined) return;
  if (!credentials) throw new GatewayError('AUTHENTICATION_REQUIRED', 'authentication required');
  const sameUser = isEqual(spec.username, credentials.username);
  const samePassword = isEqual(spec.password ?? '', credentials.password);
  if (!sameUser || !samePassword) throw new GatewayError('FORBIDDEN', 'authentication failed');
}

/** The visible part of a host or archive: undefined for nothing, all of it without access control. */
export function visibilityOf(spec: SourceSpec, principal: Principal | undefined): Visibility | undefined {
  if (!principal) return { filter: undefined };
  if (principal.sees(spec)) return principal.see(spec);
  const slash = spec.kind === 'archive' ? spec.archive.lastIndexOf('/') : -1;
  if (spec.kind === 'host' || slash < 0) return undefined;
  const directory = { kind: 'archive', archive: spec.archive.slice(0, slash) } as const;
  return principal.sees(directory) ? principal.see(directory) : undefined;
}

/** Why work ends when its client has left; not an internal error, so it is not logged. */
const GONE = new GatewayError('UNAVAILABLE', 'the client disconnected');

/** One signal per request, because responses warn about many listeners. */
const signals = new WeakMap<AnyRequest['onClose'], AbortSignal>();

/** A signal aborted when the response is complete or the client has left; the same one throughout a request. */
export function untilGone({ onClose }: Pick<AnyRequest, 'onClose'>): AbortSignal {
  return getOrMake(signals, onClose, () => {
    const gone = new AbortController();
    onClose(() => gone.abort(GONE));
    return gone.signal;
  });
}

/** A longer text is not a valid `client`: see openapi.yaml. */
const MAX_CLIENT_LENGTH = 1024;

/** What an error response repeats of its request. */
export interface RepeatedFacts {
  readonly context?: number | undefined;
  readonly client?: string | undefined;
}

/** What an error response repeats of a call, with or without parsed parameters. */
export function repeatedFacts(call: Pick<Call, 'url' | 'path' | 'body' | 'request'>): RepeatedFacts {
  const { url, path, body, request } = call;
  const { client = namedClient(url, body) } = (request?.query ?? {}) as { readonly client?: string };
  return { context: request?.contextId ?? namedContext(url, path), client };
}

/** The `client` of a request whose parameters may be invalid; undefined if it is invalid itself. */
function namedClient(url: string, body: RawParameters['body']): string | undefined {
  const client = clientIn(splitUrl(url)[1]) ?? (body && 'form' in body ? clientIn(body.form) : memberClient(body));
  return client !== undefined && client.length <= MAX_CLIENT_LENGTH ? client : undefined;
}

function clientIn(encoded: string): string | undefined {
  const text = /(?:^|&)client=([^&]*)/.exec(encoded)?.[1];
  return text && attempt(() => decodeURIComponent(text.replaceAll('+', ' ')));
}

function memberClient(body: RawParameters['body']): string | undefined {
  if (!body || !('json' in body) || !Object.hasOwn(body.json, 'client')) return undefined;
  const { client } = body.json as { readonly client: unknown };
  return typeof client === 'string' ? client : undefined;
}

/** A URL's path, and its query as it was written. */
export function splitUrl(url: string): readonly [path: string, query: string] {
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** The fields of a query or form as they were written, without some names. */
export function fieldsWithout(names: ReadonlySet<string>, text: string): readonly string[] {
  return text.split('&').filter((field) => {
    const name = field.split('=', 1)[0]!;
    return field !== '' && !names.has(attempt(() => decodeURIComponent(name)) ?? name);
  });
}

/** The context of a request, for errors before its parameters are parsed. */
export function namedContext(
  url: string,
  path: Readonly<Record<string, string | string[] | undefined>>,
): number | undefined {
  const named = /[?&]context=(\d+)(?:&|$)/.exec(url)?.[1] ?? path.context;
  const id = typeof named === 'string' && /^\d+$/.test(named) ? Number(named) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}

/** The parameters of a query that name its source, for addresses of the same. */
export function sourceParameters({
  context,
  hostspec,
  hostname,
  archive,
}: Partial<QueryOf<'diagnose'>>): Readonly<Record<string, string>> {
  if (context !== undefined) return { context: String(context) };
  if (archive !== undefined) return { archive };
  const host = hostspec ?? hostname;
  return host === undefined ? {} : { hostspec: host };
}

export function addressOf(path: string, parameters: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(parameters).toString()}`;
}
