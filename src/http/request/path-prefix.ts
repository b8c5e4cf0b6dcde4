/** The path prefix of a proxy. Written URLs are relative, so no header is trusted; the redirect of / and addresses for assistants need it. */
import type { IncomingHttpHeaders } from 'node:http';
import { networkOf, type ClientLimits } from '../guards/client-limits.js';

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
export function forwardedPrefix(from: Sender, clients: ClientLimits | undefined): string | undefined {
  const prefix = forwarded('prefix', from, clients)?.replace(/\/$/, '');
  return prefix !== undefined && prefix.length <= LONGEST_PREFIX && PREFIX.test(prefix) ? prefix : undefined;
}

interface Sender {
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string | undefined;
}

/** What a proxy in `clients.exempt` says in a header. */
function forwarded(what: string, { headers, remoteAddress }: Sender, clients?: ClientLimits): string | undefined {
  const given = headers[`x-forwarded-${what}`];
  const isTrusted = clients?.isShared(networkOf(remoteAddress ?? '')) === true;
  return isTrusted && typeof given === 'string' ? given : undefined;
}

/** The URL under which the client sees the root, without a final slash; undefined for hosts that no URL could have. */
export function rootUrl(
  from: Sender,
  clients: ClientLimits | undefined,
  basePath: string,
  isSecure: boolean,
): string | undefined {
  // Of several proxies, the first one is the client's.
  const said = (what: string): string | undefined => forwarded(what, from, clients)?.split(',')[0]!.trim();
  const host = said('host') ?? from.headers.host ?? '';
  const scheme = isSecure || said('proto') === 'https' ? 'https' : 'http';
  const prefix = basePath === '' ? (forwardedPrefix(from, clients) ?? '') : basePath;
  return /^[\w.:[\]-]{1,255}$/.test(host) ? `${scheme}://${host}${prefix}` : undefined;
}

/** The relative reference from a path to the root: `../` from /a/b. */
export function toRoot(pathname: string): string {
  return '../'.repeat(pathname.split('/').length - 2) || './';
}
