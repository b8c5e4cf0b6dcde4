import { GatewayError } from '../pmapi/index.js';
import { CorsPolicy } from './cors.js';
import type { OperationRequest } from './operation.js';

/**
 * Throw FORBIDDEN to pages of foreign origins: a browser sends their plain texts and forms without asking first, and CORS only
 * keeps the answer from them. `deed` says what they may not do.
 */
export function refuseForeignPage({ headers, options }: OperationRequest<object>, deed: string): void {
  const { origin, host, 'sec-fetch-site': site } = headers;
  // An image or a link of another site sends no origin, but says so.
  if (origin === undefined && site === 'cross-site') throw refusal('other sites', deed);
  if (origin === undefined || isSameOrigin(origin, host) || new CorsPolicy(options.cors.origins).allows(origin)) return;
  throw refusal(origin.slice(0, 200), deed);
}

function refusal(whence: string, deed: string): GatewayError {
  return new GatewayError('FORBIDDEN', `pages from ${whence} may not ${deed}`, {
    expected: 'an origin on localhost, the gateway itself, or one of cors.origins',
  });
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
