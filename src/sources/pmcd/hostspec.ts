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

export interface HostspecDefaults {
  readonly ports: readonly number[];
  readonly proxyPort: number;
  readonly socketPath: string;
}

const HOSTSPEC_DEFAULTS: HostspecDefaults = {
  ports: [PMCD_PORT],
  proxyPort: PMPROXY_PORT,
  socketPath: PMCD_SOCKET,
};

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
export function parseHostspec(text: string, defaults: HostspecDefaults = HOSTSPEC_DEFAULTS): Hostspec {
  return new HostspecParser(text, defaults).parse();
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

class HostspecParser {
  readonly #text: string;
  readonly #defaults: HostspecDefaults;
  #at = 0;

  constructor(text: string, defaults: HostspecDefaults) {
    this.#text = text;
    this.#defaults = defaults;
  }

  parse(): Hostspec {
    if (this.#text.length > HOSTSPEC_MAX_LENGTH) {
      this.#fail(HOSTSPEC_MAX_LENGTH, `at most ${HOSTSPEC_MAX_LENGTH} characters`, 'the hostspec is too long');
    }
    const protocol = this.#match(PROTOCOL)?.[1];
    const address = protocol === 'unix' || protocol === 'local' ? this.#socket(protocol) : this.#host();
    const proxy = address.kind === 'tcp' && this.#take('@') ? this.#proxy() : undefined;
    const attributes = this.#take('?') ? this.#attributes() : new Map<string, string>();
    if (this.#at < this.#text.length) {
      const expected = address.kind === 'tcp' ? "':', ',', '@', '?' or the end" : "'?' or the end";
      this.#fail(this.#at, expected, `unexpected ${JSON.stringify(this.#text[this.#at])}`);
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
  }

  #socket(kind: 'unix' | 'local'): SocketAddress {
    const end = this.#text.indexOf('?', this.#at);
    const path = this.#text.slice(this.#at, end === -1 ? undefined : end);
    const nul = path.indexOf('\0');
    if (nul !== -1) this.#fail(this.#at + nul, 'a path', 'NUL in a path');
    this.#at += path.length;
    if (path === '') return { kind, path: this.#defaults.socketPath };
    return { kind, path: path.startsWith('/') ? path : `/${path}` };
  }

  #host(): HostAddress {
    const host = this.#hostName();
    if (!this.#take(':')) return { kind: 'tcp', host, ports: this.#defaults.ports };
    const ports = [this.#port()];
    while (this.#take(',')) ports.push(this.#port());
    return { kind: 'tcp', host, ports };
  }

  #proxy(): { host: string; port: number } {
    const host = this.#hostName();
    return { host, port: this.#take(':') ? this.#port() : this.#defaults.proxyPort };
  }

  #hostName(): string {
    const start = this.#at;
    if (this.#take('[')) {
      const end = this.#text.indexOf(']', start);
      if (end === -1) this.#fail(this.#text.length, "']'", 'missing closing bracket');
      const address = this.#text.slice(start + 1, end);
      if (!isIPv6(address)) this.#fail(start + 1, 'an IPv6 address', `invalid IPv6 address ${JSON.stringify(address)}`);
      this.#at = end + 1;
      return address.toLowerCase();
    }
    const bare = /^[0-9a-fA-F:.]*/.exec(this.#text.slice(start))![0];
    if (isIPv6(bare)) this.#fail(start, `[${bare}]`, 'an IPv6 address must be in brackets');
    const name = this.#match(HOST_NAME)?.[0];
    if (name === undefined) this.#fail(start, 'a host name or address', 'missing host name');
    return name.toLowerCase();
  }

  #port(): number {
    const start = this.#at;
    const digits = this.#match(/\d+/y)?.[0];
    if (digits === undefined) this.#fail(start, 'a port number', 'missing port');
    const port = Number(digits);
    if (port < 1 || port > PORT_MAX) this.#fail(start, `1 to ${PORT_MAX}`, `invalid port ${digits}`);
    return port;
  }

  #attributes(): Map<string, string> {
    const attributes = new Map<string, string>();
    while (this.#at < this.#text.length) {
      const start = this.#at;
      const end = this.#text.indexOf('&', start);
      const pair = this.#text.slice(start, end === -1 ? undefined : end);
      this.#at = start + pair.length + (end === -1 ? 0 : 1);
      const equals = pair.indexOf('=');
      const name = equals === -1 ? pair : pair.slice(0, equals);
      if (name === '') this.#fail(start, 'name=value', 'an attribute without a name');
      const value = this.#attribute(name, equals === -1 ? '' : pair.slice(equals + 1), start);
      if (attributes.has(name)) this.#fail(start, 'each attribute once', `duplicate attribute ${name}`);
      attributes.set(name, value);
    }
    return attributes;
  }

  #attribute(name: string, value: string, start: number): string {
    const offset = Math.min(start + name.length + 1, this.#text.length);
    const nul = value.indexOf('\0');
    if (nul !== -1) this.#fail(offset + nul, 'text', 'NUL in an attribute value');
    switch (name) {
      case 'container':
        if (value === '') this.#fail(offset, 'the name of a container', 'missing container name');
        return value;
      case 'secure':
        if (value === '') return 'enforce';
        if (value !== 'relaxed' && value !== 'enforce') {
          this.#fail(offset, 'relaxed or enforce', `invalid value ${JSON.stringify(value)} of secure`);
        }
        return value;
      case 'compress':
        return this.#fail(start, 'no compress', 'pmcd no longer supports compression');
      default:
        return value;
    }
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found) this.#at += found[0].length;
    return found;
  }

  #fail(offset: number, expected: string, message: string): never {
    throw new SourceTextError('BAD_PARAMETER', `${message} in the hostspec`, {
      source: this.#text,
      offset,
      expected,
      parameter: 'hostspec',
    });
  }
}
