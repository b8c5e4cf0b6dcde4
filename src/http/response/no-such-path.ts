import { createHash } from 'node:crypto';
import { GatewayError } from '../../pmapi/index.js';
import type { Answer } from '../contracts.js';
import { negotiate } from '../request/media-type.js';
import { toRoot } from '../request/path-prefix.js';

const OFFERS = [{ name: 'application/json' }, { name: 'text/html' }] as const;
/** These pages contain only a link. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function noSuchPath(pathname: string): GatewayError {
  const message = `no such path: ${pathname.slice(0, 200)}`;
  return new GatewayError('NOT_FOUND', message, { expected: 'a path listed in /openapi.yaml (in a browser: /docs)' });
}

/**
 * The response of browsers for an unknown path: / redirects to the console (or /docs), others get a page with links; undefined for JSON
 * clients and other methods. URLs are relative, for path prefixes; at the root, only a known prefix tells whether the client's URL ends in
 * a slash.
 */
export function pageForBrowsers(
  wanted: {
    readonly method: string;
    readonly path: string;
    readonly accept: string | undefined;
    readonly prefix?: string | undefined;
    readonly isProxied?: boolean;
  },
  hasConsole: boolean,
): Answer | undefined {
  const { method, path: pathname, accept, prefix, isProxied = false } = wanted;
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (negotiate(accept, OFFERS).name !== 'text/html') return undefined;
  const isRoot = pathname === '/';
  const root = isRoot && prefix !== undefined ? `${prefix}/` : toRoot(pathname);
  const title = isRoot ? 'pmgate' : 'No such page';
  const ways = [...(hasConsole ? [['console/', 'the console'] as const] : []), ['docs', 'the documentation'] as const]
    .map(([target, text]) => `<a href="${root}${target}">Go to ${text}</a>`)
    .join(' · ');
  const target = hasConsole ? 'console/' : 'docs';
  // A proxy that removed an unknown prefix leaves the browser to say where the client is: `/prefix` or `/prefix/`.
  const asks = isRoot && prefix === undefined && isProxied;
  const script = `location.replace(location.pathname.replace(/\\/*$/, '/') + '${target}')`;
  const policy = asks ? `${CONTENT_SECURITY_POLICY}; script-src 'sha256-${hashOf(script)}'` : CONTENT_SECURITY_POLICY;
  return {
    status: asks ? 200 : !isRoot ? 404 : hasConsole ? 303 : 302,
    contentType: 'text/html; charset=utf-8',
    body: `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<h1>${title}</h1>
<p>${ways}</p>${asks ? `\n<script>${script}</script>` : ''}
</html>
`,
    headers: ['Content-Security-Policy', policy, ...(isRoot && !asks ? ['Location', root + target] : [])],
  };
}

function hashOf(script: string): string {
  return createHash('sha256').update(script).digest('base64');
}
