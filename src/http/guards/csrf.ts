import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../../pmapi/index.js';
import type { CorsPolicy } from './cors.js';
import type { Call } from '../contracts.js';

/** The parts of a call that identify the page that sent it. */
type PageCall = Pick<Call, 'method' | 'headers' | 'principal' | 'isPart'>;

/**
 * Throws FORBIDDEN for pages of foreign origins that would change something (CSRF). A browser sends the texts, forms, images and
 * links of any page without asking first, and CORS only withholds the response. Browsers send the origin or the site of a page;
 * over plain HTTP beyond loopback, and in old ones, only Referer, which a page can suppress: a browser's request without any of
 * them may come from any page, and must not change anything by GET. Forms always have their origin. Programs send none of these,
 * and are allowed; only programs send a token.
 */
export function refuseForeignPage({ method, headers, principal, isPart }: PageCall, cors: CorsPolicy): void {
  if (principal?.kind === 'token') return;
  const { origin, referer, 'sec-fetch-site': site } = headers;
  const told = origin ?? (site === undefined && referer !== undefined ? originOf(referer) : undefined);
  if (told !== undefined && !isSameOrigin(told, headers) && !cors.allows(told)) throw refusal(told, DEEDS.change);
  if (origin === undefined && isElsewhere(site)) throw refusal('other sites', DEEDS.change);
  // A batch comes by POST, whatever its entries are.
  const isByGet = isRead(method) && isPart !== true;
  if (told === undefined && site === undefined && isByGet && isBrowser(headers)) {
    throw new GatewayError(
      'FORBIDDEN',
      'CSRF protection: GET requests of browsers that do not identify the page may not change anything',
      {
        expected: 'the same request with POST, or over HTTPS',
      },
    );
  }
}

/**
 * Throws FORBIDDEN for pages that could not read the response: those of foreign origins, and images, scripts and frames of other
 * sites. All they could do is keep the gateway busy. Links that a user follows are allowed.
 */
export function refuseUnreadable({ method, headers, principal }: PageCall, cors: CorsPolicy): void {
  const { origin, 'sec-fetch-site': site } = headers;
  // The usual case: a call from a program.
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

/**
 * The Host header does not distinguish HTTP from HTTPS, and anyone can forge a page that came over HTTP: browsers say so if they
 * know better.
 */
function isSameOrigin(origin: string, { host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site !== undefined && site !== 'same-origin') return false;
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
