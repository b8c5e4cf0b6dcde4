import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../pmapi/index.js';
import { CorsPolicy } from './cors.js';
import type { OperationRequest } from './operation.js';

/**
 * The origin of the page that sends a request, when it may not change anything: a page that may not read answers. A browser
 * sends plain texts and forms of any page without asking first, and CORS only keeps the answer from it. Programs send no
 * origin, and a page of the gateway's own has the gateway's.
 */
export function foreignOrigin({ origin, host }: IncomingHttpHeaders, cors: CorsPolicy): string | undefined {
  return origin === undefined || isSameOrigin(origin, host) || cors.allows(origin) ? undefined : origin;
}

/** The error for a page of a foreign origin; `deed` says what it may not do. */
export function foreignPageError(origin: string, deed: string): GatewayError {
  return refusal(origin.slice(0, 200), deed);
}

/** Throw FORBIDDEN to pages of foreign origins, and to images and links of other sites, which send no origin but say so. */
export function refuseForeignPage({ headers, options }: OperationRequest<object>, deed: string): void {
  const origin = foreignOrigin(headers, new CorsPolicy(options.cors.origins));
  if (origin !== undefined) throw foreignPageError(origin, deed);
  if (headers.origin === undefined && headers['sec-fetch-site'] === 'cross-site') throw refusal('other sites', deed);
}

function refusal(whence: string, deed: string): GatewayError {
  return new GatewayError('FORBIDDEN', `pages from ${whence} may not ${deed}`, {
    expected: 'an origin on localhost, the gateway itself, or one of cors.origins',
  });
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
