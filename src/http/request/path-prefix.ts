/** The path prefix of a proxy. Written URLs are relative, so no header is trusted; only the redirect of / needs the prefix. */
import type { IncomingMessage } from 'node:http';
import { networkOf } from '../guards/client-limits.js';
import type { ClientLimits } from '../guards/client-limits.js';

/** Segments of unreserved characters, none of them `.` or `..`: nothing that changes the meaning of a URL, and nothing to escape. */
const PREFIX = /^(?:\/(?!\.\.?(?:\/|$))[\w.~-]+)+$/;
const LONGEST_PREFIX = 256;

/** The URL of a request without the prefix `basePath`; undefined for paths that do not begin with it. */
export function withoutBasePath(url: string, basePath: string): string | undefined {
  if (!url.startsWith(basePath)) return undefined;
  const rest = url.slice(basePath.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : undefined;
}

/** X-Forwarded-Prefix without a final slash; undefined if absent, invalid, or not from a proxy of `clients.exempt`. */
export function forwardedPrefix(req: IncomingMessage, clients: ClientLimits): string | undefined {
  const given = req.headers['x-forwarded-prefix'];
  if (typeof given !== 'string' || given.length > LONGEST_PREFIX) return undefined;
  const prefix = given.replace(/\/$/, '');
  if (!PREFIX.test(prefix) || !clients.isShared(networkOf(req.socket.remoteAddress ?? ''))) return undefined;
  return prefix;
}

/** The relative reference from a path to the root: `../` from /a/b. */
export function toRoot(pathname: string): string {
  return '../'.repeat(pathname.split('/').length - 2) || './';
}
