/** The IPv6 address of an interface, as network.interface.ipv6_addr and ipv6_scope show it. */
export interface Inet6Address {
  /** `fd00::2/64` */
  readonly address: string;
  /** Global, Link, Site, Compat or Host; undefined for a scope that has no name. */
  readonly scope: string | undefined;
}

const LINE = /^([0-9a-f]{32}) [0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) [0-9a-f]+ +(\S+)$/;
const MAX_PREFIX = 128;
const SCOPES: ReadonlyMap<number, string> = new Map([
  [0x00, 'Global'],
  [0x10, 'Host'],
  [0x20, 'Link'],
  [0x40, 'Site'],
  [0x80, 'Compat'],
]);

/**
 * Read /proc/net/if_inet6: address, interface number, prefix length, scope and flags in hexadecimal, name. Of several
 * addresses of one interface the last counts. Other lines are left out.
 */
export function parseInet6Addresses(text: string): Map<string, Inet6Address> {
  const found = new Map<string, Inet6Address>();
  for (const line of text.split('\n')) {
    const [, hex, prefixHex, scopeHex, name] = LINE.exec(line) ?? [];
    if (hex === undefined || prefixHex === undefined || scopeHex === undefined || name === undefined) continue;
    const prefix = parseInt(prefixHex, 16);
    if (prefix > MAX_PREFIX) continue;
    const scope = SCOPES.get(parseInt(scopeHex, 16) & 0xf0);
    found.set(name, { address: `${formatInet6(hex)}/${prefix}`, scope });
  }
  return found;
}

/** An address of 32 hexadecimal digits in the shortest form, IPv4-mapped ones with a dotted tail. @see RFC 5952 */
export function formatInet6(hex: string): string {
  const groups = Array.from({ length: 8 }, (_, i) => parseInt(hex.slice(4 * i, 4 * i + 4), 16));
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const tail = [groups[6]! >> 8, groups[6]! & 255, groups[7]! >> 8, groups[7]! & 255];
    return `::ffff:${tail.join('.')}`;
  }
  const { start, length } = longestZeroRun(groups);
  const text = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  return length < 2 ? text(groups) : `${text(groups.slice(0, start))}::${text(groups.slice(start + length))}`;
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let length = 0;
  for (const [i, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0;
    if (length > best.length) best = { start: i - length + 1, length };
  }
  return best;
}
