import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../../pmapi/index.js';
import type { CorsPolicy } from './cors.js';
import type { Call } from '../contracts.js';

/** What of a call says which page sends it. */
type PageCall = Pick<Call, 'method' | 'headers' | 'principal' | 'isPart'>;

/**
 * Throw FORBIDDEN to pages of foreign origins that would change something. A browser sends the texts, forms, images and links of any page
 * without asking first, and CORS only keeps the answer from the page. Browsers tell the origin or the site of a page; by plain HTTP beyond
 * loopback, and old ones, only Referer does, which a page can leave out: what a browser sends without any of them may be anybody's, and
 * changes nothing by GET. Forms always tell their origin. Programs tell none of it, and may; nothing but a program sends a token.
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
 * Throw FORBIDDEN to pages that could not read the answer: those of foreign origins, and images, scripts and frames of other sites. All
 * that they could do is keep the gateway busy. A link that somebody follows is none of them.
 */
export function refuseUnreadable({ method, headers, principal }: PageCall, cors: CorsPolicy): void {
  const { origin, 'sec-fetch-site': site } = headers;
  // Of nearly all calls, which come from programs.
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

/** Whether a browser says that a page of another origin sends it. */
function isElsewhere(site: string | string[] | undefined): boolean {
  return site !== undefined && site !== 'none' && site !== 'same-origin';
}

/** Whether it fills a window of its own, as a link does that somebody follows; frames and images do not. */
function isOpened(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Whether a browser sends it: all of them say so, and no page can make its own say otherwise without asking us first. */
function isBrowser({ 'user-agent': agent }: IncomingHttpHeaders): boolean {
  return agent?.startsWith('Mozilla/') === true;
}

/** The origin of a page; of what is no URL, the text, which is nobody's origin. */
function originOf(referer: string): string {
  return URL.canParse(referer) ? new URL(referer).origin : referer;
}

/** Host says nothing of HTTP or HTTPS, and a page that came by HTTP may be anybody's: browsers tell when they know better. */
function isSameOrigin(origin: string, { host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site !== undefined && site !== 'same-origin') return false;
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
