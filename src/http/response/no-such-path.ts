import { GatewayError } from '../../pmapi/index.js';
import type { Answer } from '../contracts.js';
import { negotiate } from '../request/media-type.js';
import { toRoot } from '../request/path-prefix.js';

const OFFERS = [{ name: 'application/json' }, { name: 'text/html' }] as const;
/** These pages contain only a link. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The error for a path that does not exist. */
export function noSuchPath(pathname: string): GatewayError {
  return new GatewayError('NOT_FOUND', `no such path: ${pathname.slice(0, 200)}`, {
    expected: 'a path listed in /openapi.yaml (in a browser: /docs)',
  });
}

/**
 * The response of browsers for an unknown path: the root redirects to the console (to /docs without one), others get a page with
 * a link to /docs. Undefined for clients that prefer JSON or accept anything, and for methods other than GET and HEAD. All is relative, so
 * that it works below a path prefix; at the root, only a known prefix tells whether the client's URL ends in a slash.
 */
export function pageForBrowsers(
  wanted: { method: string; path: string; accept: string | undefined; prefix?: string | undefined },
  hasConsole: boolean,
): Answer | undefined {
  const { method, path: pathname, accept, prefix } = wanted;
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (negotiate(accept, OFFERS).name !== 'text/html') return undefined;
  const isRoot = pathname === '/';
  const root = isRoot && prefix !== undefined ? `${prefix}/` : toRoot(pathname);
  const title = isRoot ? 'pmgate' : 'No such page';
  return {
    status: !isRoot ? 404 : hasConsole ? 303 : 302,
    contentType: 'text/html; charset=utf-8',
    body: `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>${title}</title>
<p>${title}: see <a href="${root}docs">the documentation of pmgate</a>.</p>
</html>
`,
    headers: [
      'Content-Security-Policy',
      CONTENT_SECURITY_POLICY,
      ...(isRoot ? ['Location', root + (hasConsole ? 'console/' : 'docs')] : []),
    ],
  };
}
