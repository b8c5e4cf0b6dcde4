import { BlockList, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { GatewayError } from '../../pmapi/index.js';

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
  const parsed = blocks.map((block) => parseBlock(block, 'push.from'));
  return (address) => {
    if (address === undefined || !ipaddr.isValid(address)) return false;
    const own = ipaddr.process(address);
    return parsed.some(([base, bits]) => base.kind() === own.kind() && own.match(base, bits));
  };
}

/** An address or a CIDR block. Throws BAD_PARAMETER, which names the option. */
export function parseBlock(text: string, parameter: string): AddressBlock {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const address = ipaddr.parse(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  } catch {
    throw new GatewayError('BAD_PARAMETER', `${JSON.stringify(text)} is neither an address nor a CIDR block`, {
      parameter,
      expected: 'for example 192.0.2.7 or 10.0.0.0/8',
    });
  }
}
