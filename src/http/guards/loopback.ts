import { BlockList, isIPv4 } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether an address of a socket's peer is one of this machine's loopback addresses, mapped IPv4 addresses included. */
export function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  // Asked for every request: a check costs a microsecond, and it is nearly always one of these.
  if (address === '127.0.0.1' || address === '::1' || address === '::ffff:127.0.0.1') return true;
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return LOOPBACK.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
}
