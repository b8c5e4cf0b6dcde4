import { BlockList, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { ClientOrigin } from '../../access/index.js';
import { once } from '../../kit/index.js';
import { badParameter, GatewayError, type Clock } from '../../pmapi/index.js';

/** Limits per client; 0: no limit. */
export interface ClientBounds {
  readonly requestsPerSec: number;
  readonly requests: number;
  readonly contexts: number;
  readonly streams: number;
  /** Open connections, by address alone: they exist before a user is known. */
  readonly connections: number;
  /** Addresses and CIDR blocks of many clients, such as a proxy: no limits for anonymous clients. */
  readonly exempt: readonly string[];
}

interface Client {
  isExempt: boolean;
  requests: number;
  contexts: number;
  streams: number;
  connections: number;
  /** Requests that it may still send, as of `countedMs`. */
  credit: number;
  countedMs: number;
}

export interface ClientIdentity {
  readonly principal?: { readonly name: string | undefined } | undefined;
  readonly remoteAddress: string | undefined;
}

const CLIENTS = 10_000;
/** Clients checked to find one that can be evicted. */
const LOOKED_AT = 16;
/** When there is no more room, new clients share one entry. */
const OTHERS = '';

const RETRY_AFTER_SEC = 1;

/** Limits each client: a user or token, else an IPv4 address or IPv6 network of 64 bits (a customer's). Idle clients are evicted. */
export class ClientLimits {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #clients = new Map<string, Client>();
  #bounds: ClientBounds;
  #exempt: readonly AddressBlock[];
  refused = 0;
  refusedConnections = 0;

  /** Throws BAD_PARAMETER for an exemption that is neither an address nor a block. */
  constructor(bounds: ClientBounds, clock: Pick<Clock, 'monotonicMs'>) {
    this.#bounds = bounds;
    this.#exempt = bounds.exempt.map(blockOf('clients.exempt'));
    this.#clock = clock;
  }

  /** Sets other limits. Throws as the constructor does; nothing has changed then. */
  set bounds(bounds: ClientBounds) {
    this.#exempt = bounds.exempt.map(blockOf('clients.exempt'));
    this.#bounds = bounds;
    for (const [key, client] of this.#clients) client.isExempt = this.isShared(key);
  }

  get size(): number {
    return this.#clients.size;
  }

  /** Counts a request of a client; the result ends it. Throws TOO_MANY_REQUESTS. @param isPart part of a counted request */
  request(identity: ClientIdentity, isPart = false): (() => void) | undefined {
    const { requestsPerSec, requests } = this.#bounds;
    if (requestsPerSec === 0 && requests === 0) return undefined;
    const client = this.#clientOf(identity);
    if (client.isExempt) return undefined;
    if (requestsPerSec > 0) this.#spend(client, requestsPerSec);
    if (requests === 0 || isPart) return undefined;
    return this.#hold(client, 'requests', requests);
  }

  /** Counts a context of a client, as request() does. Throws TOO_MANY_CONTEXTS. */
  context(identity: ClientIdentity): (() => void) | undefined {
    return this.#holdFor(identity, 'contexts');
  }

  /** Counts a stream of a client, as request() does. Throws TOO_MANY_REQUESTS. */
  stream(identity: ClientIdentity): (() => void) | undefined {
    return this.#holdFor(identity, 'streams');
  }

  /** Counts a connection from an address. Call the returned function when it is closed; undefined: the limit of the address is reached. */
  connection(remoteAddress: string | undefined): (() => void) | undefined {
    const { connections: most } = this.#bounds;
    if (most === 0) return uncounted;
    const client = this.#clientOf({ remoteAddress });
    if (client.isExempt) return uncounted;
    if (client.connections >= most) {
      this.refusedConnections++;
      return undefined;
    }
    return hold(client, 'connections');
  }

  /** Whether many clients share an address or network (as {@link networkOf} writes it): anonymous clients there are not limited. */
  isShared(network: string): boolean {
    const address = network.endsWith('/64') ? network.slice(0, -3) : network;
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.parse(address);
    return this.#exempt.some(([base, bits]) => {
      if (base.kind() !== parsed.kind()) return false;
      // A client is a network: an exempt address in it exempts all of it.
      return parsed.kind() === 'ipv6' ? parsed.match(base, Math.min(bits, 64)) : parsed.match(base, bits);
    });
  }

  #holdFor(identity: ClientIdentity, what: 'contexts' | 'streams'): (() => void) | undefined {
    const most = this.#bounds[what];
    if (most === 0) return undefined;
    const client = this.#clientOf(identity);
    return client.isExempt ? undefined : this.#hold(client, what, most);
  }

  #hold(client: Client, what: 'requests' | 'contexts' | 'streams', most: number): () => void {
    if (client[what] >= most) {
      this.refused++;
      throw new GatewayError(
        what === 'contexts' ? 'TOO_MANY_CONTEXTS' : 'TOO_MANY_REQUESTS',
        `this client has ${client[what]} ${NOUNS[what]}; clients.${what} allows ${most}`,
        { retryAfterSec: RETRY_AFTER_SEC, expected: `at most ${most}` },
      );
    }
    return hold(client, what);
  }

  #spend(client: Client, perSec: number): void {
    const nowMs = this.#clock.monotonicMs();
    const most = Math.max(1, perSec);
    client.credit = Math.min(most, client.credit + ((nowMs - client.countedMs) / 1000) * perSec);
    client.countedMs = nowMs;
    if (client.credit >= 1) {
      client.credit--;
      return;
    }
    this.refused++;
    const message = `rate limit exceeded: more than ${perSec} requests per second (clients.requestsPerSec)`;
    const retryAfterSec = (1 - client.credit) / perSec;
    throw new GatewayError('TOO_MANY_REQUESTS', message, { retryAfterSec, expected: `at most ${perSec} per second` });
  }

  #clientOf({ principal, remoteAddress }: ClientIdentity): Client {
    const key = principal?.name ?? networkOf(remoteAddress ?? '');
    return this.#clients.get(key) ?? this.#newClient(key);
  }

  #newClient(key: string): Client {
    const wanted = this.#clients.size < CLIENTS || this.#forgetOne() ? key : OTHERS;
    const known = this.#clients.get(wanted);
    if (known) return known;
    const client: Client = {
      isExempt: this.isShared(wanted),
      requests: 0,
      contexts: 0,
      streams: 0,
      connections: 0,
      credit: Math.max(1, this.#bounds.requestsPerSec),
      countedMs: this.#clock.monotonicMs(),
    };
    this.#clients.set(wanted, client);
    return client;
  }

  /** Evicts a client that has nothing open and has not sent anything for a while; returns whether there was one among the oldest. */
  #forgetOne(): boolean {
    const nowMs = this.#clock.monotonicMs();
    let looks = 0;
    for (const [key, client] of this.#clients) {
      const { requests, contexts, streams, connections } = client;
      if (requests + contexts + streams + connections === 0 && nowMs - client.countedMs >= 1000) {
        this.#clients.delete(key);
        return true;
      }
      // Clients that stay move to the end, so that others are checked next time.
      this.#clients.delete(key);
      this.#clients.set(key, client);
      if (++looks >= LOOKED_AT) return false;
    }
    return false;
  }
}

function hold(client: Client, what: 'requests' | 'contexts' | 'streams' | 'connections'): () => void {
  client[what]++;
  return once(() => client[what]--);
}

const uncounted = (): void => undefined;

const NOUNS = { requests: 'requests in progress', contexts: 'open contexts', streams: 'open streams' };

/** The network that a request comes from, for counting failed logins. */
export function originOf(
  { remoteAddress }: Pick<ClientIdentity, 'remoteAddress'>,
  clients: ClientLimits,
): ClientOrigin {
  const network = networkOf(remoteAddress ?? '');
  return { network, isShared: clients.isShared(network) };
}

/** The base of a CIDR block, and how many of its bits count. */
export type AddressBlock = readonly [base: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether the address of a socket's peer is a loopback address, including mapped IPv4 addresses. */
export function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  // Checked for every request: a full check costs a microsecond, and it is nearly always one of these.
  if (address === '127.0.0.1' || address === '::1' || address === '::ffff:127.0.0.1') return true;
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return LOOPBACK.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
}

/** The key of an anonymous client: its IPv4 address, or its IPv6 network of 64 bits (`2001:db8:0:1::/64`). */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const parts = (parsed as ipaddr.IPv6).parts.map((part, i) => (i < 4 ? part : 0));
  return `${new ipaddr.IPv6(parts).toString()}/64`;
}

/** Tells addresses that are in a list of addresses and CIDR blocks. Throws BAD_PARAMETER for an entry that is neither. */
export function addressMatcher(blocks: readonly string[]): (address: string | undefined) => boolean {
  const parsed = blocks.map(blockOf('push.from'));
  return (address) => {
    if (address === undefined || !ipaddr.isValid(address)) return false;
    const own = ipaddr.process(address);
    return parsed.some(([base, bits]) => base.kind() === own.kind() && own.match(base, bits));
  };
}

function blockOf(parameter: string): (text: string) => AddressBlock {
  return (text) => {
    try {
      if (text.includes('/')) return ipaddr.parseCIDR(text);
      const address = ipaddr.parse(text);
      return [address, address.kind() === 'ipv4' ? 32 : 128];
    } catch {
      const message = `${JSON.stringify(text)} is neither an address nor a CIDR block`;
      throw badParameter(parameter, message, 'for example 192.0.2.7 or 10.0.0.0/8');
    }
  };
}
