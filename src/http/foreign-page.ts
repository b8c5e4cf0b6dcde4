import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../pmapi/index.js';
import type { CorsPolicy } from './cors.js';
import type { Call } from './operation-service.js';

/**
 * The origin of the page that sends a request, when it may not change anything: a page that may not read answers. A browser
 * sends plain texts and forms of any page without asking first, and CORS only keeps the answer from it. Programs send no
 * origin, and a page of the gateway's own has the gateway's.
 */
function foreignOrigin(headers: IncomingHttpHeaders, cors: CorsPolicy): string | undefined {
  const { origin } = headers;
  return origin === undefined || isSameOrigin(origin, headers) || cors.allows(origin) ? undefined : origin;
}

/**
 * Throw FORBIDDEN to pages of foreign origins, and to images and links of other sites, which send no origin while their browser says
 * whence they come; `deed` says what they may not do. Nothing but a program sends a token: it may.
 */
export function refuseForeignPage(
  { headers, principal }: Pick<Call, 'headers' | 'principal'>,
  cors: CorsPolicy,
  deed: string,
): void {
  if (principal?.kind === 'token') return;
  const origin = foreignOrigin(headers, cors);
  if (origin !== undefined) throw refusal(origin.slice(0, 200), deed);
  const site = headers['sec-fetch-site'] ?? 'none';
  if (headers.origin === undefined && site !== 'none' && site !== 'same-origin') throw refusal('other sites', deed);
}

function refusal(whence: string, deed: string): GatewayError {
  return new GatewayError('FORBIDDEN', `pages from ${whence} may not ${deed}`, {
    expected: 'an origin on localhost, the gateway itself, or one of cors.origins',
  });
}

/** Host says nothing of HTTP or HTTPS, and a page that came by HTTP may be anybody's: browsers tell when they know better. */
function isSameOrigin(origin: string, { host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site !== undefined && site !== 'same-origin') return false;
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
