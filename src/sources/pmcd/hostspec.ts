import { isIPv6 } from 'node:net';
import { SourceTextError } from '../../pmapi/index.js';
import { PMCD_PORT, PMCD_SOCKET, PMPROXY_PORT } from './pdu-types.js';

/** A host and the ports to try on it, in order. */
export interface HostAddress {
  readonly kind: 'tcp';
  /** A name, an IPv4 or an IPv6 address; without brackets. */
  readonly host: string;
  readonly ports: readonly number[];
}

/** A Unix socket; `local` falls back to TCP on localhost when there is none. */
export interface SocketAddress {
  readonly kind: 'unix' | 'local';
  readonly path: string;
}

/** `relaxed`: TLS if pmcd offers it, with any certificate; `enforce`: TLS with a valid certificate, or no connection. */
export type Security = 'none' | 'relaxed' | 'enforce';

export interface Hostspec {
  readonly address: HostAddress | SocketAddress;
  readonly security: Security;
  readonly proxy: { readonly host: string; readonly port: number } | undefined;
  readonly container: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly method: string | undefined;
}

const HOSTSPEC_MAX_LENGTH = 4096;

const PORT_MAX = 65535;
const HOST_NAME = /[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_.])?/y;
const PROTOCOL = /(pcps|pcp|unix|local):(?:\/\/)?/y;

/**
 * Read a host specification:
 *
 *     [pcp:[//]|pcps:[//]]host[:port[,port…]][@proxy[:port]][?attribute=value[&attribute=value…]]
 *     unix:[//][path][?attributes]        local:[//][path][?attributes]
 *
 * An IPv6 address stands in brackets. Attributes: `container`, `username` (or `user`), `password` (or `pass`), `method`,
 * `secure` (`relaxed`, `enforce`); others are ignored, as PCP does. Throws a SourceTextError with code BAD_PARAMETER
 * that points at the first place that does not fit.
 * @see PCPIntro(1), "HOST SPECIFICATION"
 */
export function parseHostspec(text: string): Hostspec {
  let at = 0;
  if (text.length > HOSTSPEC_MAX_LENGTH) {
    fail(HOSTSPEC_MAX_LENGTH, `at most ${HOSTSPEC_MAX_LENGTH} characters`, 'the hostspec is too long');
  }
  const protocol = match(PROTOCOL)?.[1];
  const address = protocol === 'unix' || protocol === 'local' ? socketAddress(protocol) : hostAddress();
  const proxy = address.kind === 'tcp' && take('@') ? proxyAddress() : undefined;
  const attributes = take('?') ? readAttributes() : new Map<string, string>();
  if (at < text.length) {
    const expected = address.kind === 'tcp' ? "':', ',', '@', '?' or the end" : "'?' or the end";
    fail(at, expected, `unexpected ${JSON.stringify(text[at])}`);
  }
  const secure = attributes.get('secure') as Security | undefined;
  return {
    address,
    security: protocol === 'pcps' ? (secure ?? 'enforce') : (secure ?? 'none'),
    proxy,
    container: attributes.get('container'),
    username: attributes.get('username') ?? attributes.get('user'),
    password: attributes.get('password') ?? attributes.get('pass'),
    method: attributes.get('method'),
  };

  function socketAddress(kind: 'unix' | 'local'): SocketAddress {
    const end = text.indexOf('?', at);
    const path = text.slice(at, end === -1 ? undefined : end);
    const nul = path.indexOf('\0');
    if (nul !== -1) fail(at + nul, 'a path', 'NUL in a path');
    at += path.length;
    if (path === '') return { kind, path: PMCD_SOCKET };
    return { kind, path: path.startsWith('/') ? path : `/${path}` };
  }

  function hostAddress(): HostAddress {
    const host = hostName();
    if (!take(':')) return { kind: 'tcp', host, ports: [PMCD_PORT] };
    const ports = [readPort()];
    while (take(',')) ports.push(readPort());
    return { kind: 'tcp', host, ports };
  }

  function proxyAddress(): { host: string; port: number } {
    const host = hostName();
    return { host, port: take(':') ? readPort() : PMPROXY_PORT };
  }

  function hostName(): string {
    const start = at;
    if (take('[')) {
      const end = text.indexOf(']', start);
      if (end === -1) fail(text.length, "']'", 'missing closing bracket');
      const address = text.slice(start + 1, end);
      if (!isIPv6(address)) fail(start + 1, 'an IPv6 address', `invalid IPv6 address ${JSON.stringify(address)}`);
      at = end + 1;
      return address.toLowerCase();
    }
    const bare = /^[0-9a-fA-F:.]*/.exec(text.slice(start))![0];
    if (isIPv6(bare)) fail(start, `[${bare}]`, 'an IPv6 address must be in brackets');
    const name = match(HOST_NAME)?.[0];
    if (name === undefined) fail(start, 'a host name or address', 'missing host name');
    return name.toLowerCase();
  }

  function readPort(): number {
    const start = at;
    const digits = match(/\d+/y)?.[0];
    if (digits === undefined) fail(start, 'a port number', 'missing port');
    const port = Number(digits);
    if (port < 1 || port > PORT_MAX) fail(start, `1 to ${PORT_MAX}`, `invalid port ${digits}`);
    return port;
  }

  function readAttributes(): Map<string, string> {
    const attributes = new Map<string, string>();
    while (at < text.length) {
      const start = at;
      const end = text.indexOf('&', start);
      const pair = text.slice(start, end === -1 ? undefined : end);
      at = start + pair.length + (end === -1 ? 0 : 1);
      const equals = pair.indexOf('=');
      const name = equals === -1 ? pair : pair.slice(0, equals);
      if (name === '') fail(start, 'name=value', 'an attribute without a name');
      const value = checkedValue(name, equals === -1 ? '' : pair.slice(equals + 1), start);
      if (attributes.has(name)) fail(start, 'each attribute once', `duplicate attribute ${name}`);
      attributes.set(name, value);
    }
    return attributes;
  }

  function checkedValue(name: string, value: string, start: number): string {
    const offset = Math.min(start + name.length + 1, text.length);
    const nul = value.indexOf('\0');
    if (nul !== -1) fail(offset + nul, 'text', 'NUL in an attribute value');
    switch (name) {
      case 'container':
        if (value === '') fail(offset, 'the name of a container', 'missing container name');
        return value;
      case 'secure':
        if (value === '') return 'enforce';
        if (value !== 'relaxed' && value !== 'enforce') {
          fail(offset, 'relaxed or enforce', `invalid value ${JSON.stringify(value)} of secure`);
        }
        return value;
      case 'compress':
        return fail(start, 'no compress', 'pmcd no longer supports compression');
      default:
        return value;
    }
  }

  function take(character: string): boolean {
    if (text[at] !== character) return false;
    at++;
    return true;
  }

  function match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text) ?? undefined;
    if (found) at += found[0].length;
    return found;
  }

  function fail(offset: number, expected: string, message: string): never {
    throw new SourceTextError('BAD_PARAMETER', `${message} in the hostspec`, {
      source: text,
      offset,
      expected,
      parameter: 'hostspec',
    });
  }
}

/** The hostspec in its shortest form, without credentials: for messages and logs. Parses to the same address. */
export function formatHostspec(spec: Hostspec): string {
  const { address } = spec;
  const attributes = spec.container === undefined ? '' : `?container=${spec.container}`;
  if (address.kind !== 'tcp') return `${address.kind}://${address.path}${attributes}`;
  const ports = address.ports.length === 1 && address.ports[0] === PMCD_PORT ? '' : `:${address.ports.join(',')}`;
  const proxy = spec.proxy ? `@${bracket(spec.proxy.host)}:${spec.proxy.port}` : '';
  const protocol = spec.security === 'enforce' ? 'pcps://' : '';
  const secure = spec.security === 'relaxed' ? `${attributes === '' ? '?' : '&'}secure=relaxed` : '';
  return `${protocol}${bracket(address.host)}${ports}${proxy}${attributes}${secure}`;
}

function bracket(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
