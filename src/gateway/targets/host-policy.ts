import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { attempt } from '../../kit/index.js';
import { GatewayError } from '../../pmapi/index.js';
import type { HostAddress, ResolveHost } from '../../sources/pmcd/index.js';

/** pmcd's registered port: what a rule without a port allows. */
const PMCD_PORT = 44321;

interface AllowRule {
  /** The ports that it allows; `any` for `:*`. */
  readonly port: number | 'any';
  /** Whether it names this host by name or literal address. */
  matchesHost(host: string): boolean;
  /** Whether it allows an address: one of a host that the rule matches, or one that the rule covers. */
  admitsAddress(address: string, host: string): boolean;
  /** Whether it names addresses, which may then be this machine's own, and not hosts in general. */
  readonly meansAddress: boolean;
}

type OwnAddresses = () => readonly string[];

/**
 * Which hosts clients may reach through the gateway: those that `hosts.allow` names, and no others. Entries are a host name, an
 * address, a glob over host names (`*.example.com`) or a CIDR block (`10.0.0.0/8`, `fd00::/8`), each with `:port`, `:*`, or
 * nothing for pmcd's own port; an IPv6 entry with a port stands in brackets.
 *
 * Names are resolved at every connection and each address is checked then, and the connection is made to that address and no
 * other: so a name that changes its address (DNS rebinding) gains nothing. A glob, a name or a larger block never reaches this
 * machine itself (loopback and the addresses of its interfaces) or a link-local, multicast or unspecified address: only an entry
 * that gives such an address does. A name whose last label is a number is not a name: resolvers read it as an address.
 *
 * The result gives the resolver for connections to a target, which returns allowed addresses only; undefined if no address can be
 * allowed. Every port of the target must be.
 */
export function hostPolicy(
  allow: readonly string[],
  resolve: ResolveHost,
  ownAddresses: OwnAddresses = interfaceAddresses,
) {
  const allRules = allow.map(parseAllowRule);
  // Interfaces come and go: determined for each connection.
  const ownNow = (): ReadonlySet<string> => new Set(ownAddresses().map(normalized));
  return ({ host, ports }: HostAddress): ResolveHost | undefined => {
    if (isNumericName(host)) return undefined;
    const rules = allRules.filter(
      (rule) => ports.every((port) => rule.port === 'any' || rule.port === port) && rule.matchesHost(host),
    );
    const admits = (address: string, own: ReadonlySet<string>): boolean =>
      rules.some((rule) => rule.admitsAddress(address, host) && (rule.meansAddress || !own.has(normalized(address))));
    // For addresses the answer is known at once.
    const isRefused = isIP(host) !== 0 && !admits(host, ownNow());
    if (rules.length === 0 || isRefused) return undefined;
    return async (name) => {
      const addresses = await resolve(name);
      const own = ownNow();
      return addresses.filter((address) => admits(address, own));
    };
  };
}

/** Parses an entry of `hosts.allow`. Throws BAD_PARAMETER with the reason. */
export function parseAllowRule(text: string): AllowRule {
  const parts = /^(?:\[([^\]]+)\]|([^:]+|[0-9a-fA-F:]*:[0-9a-fA-F:]*(?:\/\d+)?))(?::(\d+|\*))?$/.exec(text);
  const host = (parts?.[1] ?? parts?.[2])?.toLowerCase();
  if (host === undefined) throw badRule(text, 'is not a host, address, glob or CIDR block with an optional :port');
  const port = parsePort(parts?.[3], text);
  if (host.includes('/')) return cidrRule(host, port, text);
  if (isIP(host) !== 0) {
    const isHost = (address: string): boolean => sameAddress(address, host);
    return { port, matchesHost: isHost, admitsAddress: isHost, meansAddress: true };
  }
  if (!/^[a-z0-9_.*?-]+$/.test(host)) throw badRule(text, 'contains a character that is invalid in host names');
  if (isNumericName(host))
    throw badRule(text, 'ends in a number, which is invalid in host names: write addresses as 192.0.2.7');
  const pattern = new RegExp(`^${host.replace(/[.]/g, '\\.').replace(/\*+/g, '.*').replace(/\?/g, '.')}$`);
  const isLocalhost = host === 'localhost';
  return {
    port,
    matchesHost: (h) => isIP(h) === 0 && pattern.test(h),
    // A literal `localhost` means this machine; no other name or glob may lead back to it.
    admitsAddress: (address, h) =>
      pattern.test(h) && (isLocalhost ? rangeOf(address) === 'loopback' : !isSpecial(address)),
    meansAddress: isLocalhost,
  };
}

function cidrRule(block: string, port: number | 'any', text: string): AllowRule {
  const range = attempt(() => ipaddr.parseCIDR(block));
  if (!range) throw badRule(text, 'is not a CIDR block, for example 10.0.0.0/8');
  const [first, last] = edgesOf(block, range[0].kind());
  // 0.0.0.0/0 means all hosts, not this machine: a block that means this machine contains nothing else.
  const isAllSpecial = isSpecial(first.toString()) && first.range() === last.range();
  const covers = (address: string): boolean => {
    const parsed = ipaddr.process(address);
    if (parsed.kind() !== range[0].kind() || !parsed.match(range)) return false;
    return !isSpecial(address) || isAllSpecial;
  };
  return {
    port,
    // A name may resolve into the block; that is known only after resolving it.
    matchesHost: (host) => isIP(host) === 0 || covers(host),
    admitsAddress: covers,
    meansAddress: isAllSpecial || first.toString() === last.toString(),
  };
}

function edgesOf(
  block: string,
  kind: 'ipv4' | 'ipv6',
): readonly [ipaddr.IPv4 | ipaddr.IPv6, ipaddr.IPv4 | ipaddr.IPv6] {
  const family = kind === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return [family.networkAddressFromCIDR(block), family.broadcastAddressFromCIDR(block)];
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
}

/** The canonical form of an address, without a zone. */
function normalized(address: string): string {
  return ipaddr.process(address.replace(/%.*$/, '')).toNormalizedString();
}

/**
 * Whether a name may be read as an address: its last label is a number, as in `3221225986`, `0xC0000202` or `192.0.514`.
 * @see inet_aton(3), and the URL standard's "ends in a number"
 */
function isNumericName(host: string): boolean {
  return isIP(host) === 0 && /(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/i.test(host);
}

function parsePort(text: string | undefined, rule: string): number | 'any' {
  if (text === undefined) return PMCD_PORT;
  if (text === '*') return 'any';
  const port = Number(text);
  if (port < 1 || port > 65535) throw badRule(rule, `has the invalid port ${text}: expected 1 to 65535`);
  return port;
}

function badRule(text: string, problem: string): GatewayError {
  return new GatewayError('BAD_PARAMETER', `${JSON.stringify(text)} ${problem}`);
}

function sameAddress(a: string, b: string): boolean {
  return isIP(a) !== 0 && normalized(a) === normalized(b);
}

function rangeOf(address: string): string {
  return ipaddr.process(address).range();
}

/** Addresses that never belong to another host: this machine, the local link, groups, unspecified. */
function isSpecial(address: string): boolean {
  return ['loopback', 'unspecified', 'linkLocal', 'multicast', 'broadcast'].includes(rangeOf(address));
}
