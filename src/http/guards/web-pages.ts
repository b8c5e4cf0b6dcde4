import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { Permission } from '../../access/index.js';
import { GatewayError } from '../../pmapi/index.js';
import type { Call, Effect } from '../contracts.js';
import type { Guards } from '../options.js';

type PageCall = Pick<Call, 'method' | 'headers' | 'principal' | 'isPart'>;

/** Permissions of web pages, and the gateway's names for them. */
export class WebPages {
  readonly #cors: CorsPolicy;
  readonly #hostNames: HostNames | undefined;

  constructor({ corsOrigins, hostNames }: Pick<Guards, 'corsOrigins' | 'hostNames'>) {
    this.#cors = new CorsPolicy(corsOrigins);
    this.#hostNames = hostNames && new HostNames(hostNames);
  }

  /** Throws FORBIDDEN and WRONG_HOST for calls that a page of another origin may have sent. */
  check(call: PageCall, permission: Permission | 'none', effect: Effect = 'reads'): void {
    if (effect === 'changes') refuseForeignPage(call, this.#cors);
    else if (permission !== 'none') refuseUnreadable(call, this.#cors);
    const { authorization, host } = call.headers;
    // Operations that reveal nothing about sources do not check credentials; a batch does so for each of its entries.
    const isUnread = permission === 'none' && authorization !== undefined;
    if (call.principal?.name === undefined && !isUnread) this.#hostNames?.check(host);
  }
}

/**
 * Throws FORBIDDEN for foreign pages that would change something (CSRF): browsers send texts, forms, images and links without asking, and
 * CORS only withholds the response. They send a page's origin or site, or (old ones, plain HTTP) only Referer, which a page can suppress: a
 * browser's GET without any of them must not change anything. Programs send none, and are allowed.
 */
function refuseForeignPage({ method, headers, principal, isPart }: PageCall, cors: CorsPolicy): void {
  if (principal?.kind === 'token') return;
  const { origin, referer, 'sec-fetch-site': site } = headers;
  const told = origin ?? (site === undefined && referer !== undefined ? originOf(referer) : undefined);
  if (told !== undefined && !isSameOrigin(told, headers) && !cors.allows(told)) throw refusal(told, DEEDS.change);
  if (origin === undefined && isElsewhere(site)) throw refusal('other sites', DEEDS.change);
  // A batch comes by POST, whatever its entries are.
  const isByGet = isRead(method) && isPart !== true;
  if (told === undefined && site === undefined && isByGet && isBrowser(headers)) {
    const message = 'CSRF protection: GET requests of browsers that do not identify the page may not change anything';
    throw new GatewayError('FORBIDDEN', message, { expected: 'the same request with POST, or over HTTPS' });
  }
}

/** Throws FORBIDDEN for foreign pages, images, scripts and frames, which could only keep the gateway busy. Followed links are allowed. */
function refuseUnreadable({ method, headers, principal }: PageCall, cors: CorsPolicy): void {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin === undefined && site === undefined) return;
  if (principal?.kind === 'token' || site === 'same-origin' || site === 'none') return;
  if (origin !== undefined) {
    if (isSameOrigin(origin, headers) || cors.allows(origin)) return;
    throw refusal(origin, DEEDS.read);
  }
  if (!isRead(method) || !isOpened(headers)) throw refusal('other sites', DEEDS.read);
}

const DEEDS = { change: 'change anything here', read: 'send requests whose responses they cannot read' };

function refusal(origin: string, deed: string): GatewayError {
  return new GatewayError('FORBIDDEN', `pages from ${origin.slice(0, 200)} may not ${deed}`, {
    expected: 'an origin on localhost, the gateway itself, or one of cors.origins',
  });
}

/** Whether a browser reports a page of another origin as the sender. */
function isElsewhere(site: string | string[] | undefined): boolean {
  return site !== undefined && site !== 'none' && site !== 'same-origin';
}

/** Whether the response fills a window of its own, as when following a link; frames and images do not. */
function isOpened(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Whether a browser sent it: all of them say so, and no page can suppress that without a preflight. */
function isBrowser({ 'user-agent': agent }: IncomingHttpHeaders): boolean {
  return agent?.startsWith('Mozilla/') === true;
}

/** The origin of a page; an invalid URL is returned as it is, which matches no origin. */
function originOf(referer: string): string {
  return URL.canParse(referer) ? new URL(referer).origin : referer;
}

/** Ignores the scheme, which Host lacks: anyone can forge a page over HTTP, and browsers say so if they know better. */
function isSameOrigin(origin: string, { host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site !== undefined && site !== 'same-origin') return false;
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

/** Host headers whose verdict is cached: clients send the same few. */
const REMEMBERED = 100;

/**
 * The gateway's names. A page can make its own name resolve here (DNS rebinding), but its browser sends that name. Addresses, `localhost`
 * and names without a dot cannot be obtained that way; others have to be listed.
 */
class HostNames {
  readonly #names: ReadonlySet<string>;
  readonly #verdicts = new Map<string, boolean>();

  /** `names` are host names without a port, in lower case. */
  constructor(names: readonly string[]) {
    this.#names = new Set(names);
  }

  /** Throws WRONG_HOST if the Host header names another host. Clients without one are not browsers. */
  check(header: string | undefined): void {
    if (header === undefined) return;
    let verdict = this.#verdicts.get(header);
    if (verdict === undefined) {
      verdict = this.#isOurs(header);
      if (this.#verdicts.size >= REMEMBERED) this.#verdicts.clear();
      this.#verdicts.set(header, verdict);
    }
    if (verdict) return;
    const message = `unknown host name ${JSON.stringify(header.slice(0, 100))}: add it to listen.names`;
    throw new GatewayError('WRONG_HOST', message, { expected: 'localhost, an address, or one of listen.names' });
  }

  #isOurs(header: string): boolean {
    const host = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(header.toLowerCase())?.[1]?.replace(/\.$/, '');
    if (host === undefined) return false;
    const isAddress = isIP(host.replace(/^\[|\]$/g, '')) !== 0;
    const isLocalName = /^[\w-]*$/.test(host) || host.endsWith('.localhost');
    return isAddress || isLocalName || this.#names.has(host);
  }
}

const LOCAL_ORIGIN = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/;

/** pmproxy's list, plus what browsers need for passwords, what Grafana and tracing send, and what resumes a stream. */
const ALLOWED_HEADERS =
  'Accept, Accept-Language, Content-Language, Content-Type, Authorization, If-None-Match, Last-Event-ID, X-Request-Id, ' +
  'Traceparent, Tracestate, Pmgate-Definitions, X-Grafana-Device-ID, X-Grafana-Org-Id';
const EXPOSED_HEADERS = 'ETag, X-Request-Id, Retry-After, X-Pmgate-Warnings, Pmgate-Cluster, Pmgate-Definitions';
const PREFLIGHT_MAX_AGE_SEC = '86400';

/** Pages that may read responses: from localhost and listed origins. Differs from PCP: pmproxy allows every origin, without credentials. */
export class CorsPolicy {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  allows(origin: string): boolean {
    return LOCAL_ORIGIN.test(origin) || this.#origins.has(origin);
  }

  /** Header fields (names and values in turn) of a response to a request from `origin`. */
  answerHeaders(origin: string): readonly string[] {
    if (!this.allows(origin)) return ['Vary', 'Origin'];
    return [
      'Vary',
      'Origin',
      'Access-Control-Allow-Origin',
      origin,
      'Access-Control-Allow-Credentials',
      'true',
      'Access-Control-Expose-Headers',
      EXPOSED_HEADERS,
    ];
  }

  /** Header fields of the response to a preflight: what `origin` may send to a path with these methods. */
  preflightHeaders(origin: string, methods: readonly string[]): readonly string[] {
    if (!this.allows(origin)) return ['Vary', 'Origin'];
    return [
      ...this.answerHeaders(origin),
      'Access-Control-Allow-Methods',
      methods.join(', '),
      'Access-Control-Allow-Headers',
      ALLOWED_HEADERS,
      'Access-Control-Max-Age',
      PREFLIGHT_MAX_AGE_SEC,
    ];
  }
}
