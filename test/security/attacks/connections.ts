import type net from 'node:net';
import { type Attack, type Verdict, open, refused, skipped } from '../attack.js';
import type { Target } from '../target.js';

/** More than any gateway should let one address have: not all that there are, for others are to be served meanwhile. */
const MANY = 1200;
/** Connections that are made at once. */
const AT_ONCE = 100;

/** Whether a connection is taken on: something is answered over it, and it stays. */
async function isTakenOn(target: Target, held: net.Socket[]): Promise<boolean> {
  // On this machine an address of its own: for all that the gateway knows, the usual one is that of a proxy.
  const socket = await target.connect(target.url.hostname.startsWith('127.') ? '127.0.0.9' : undefined);
  held.push(socket);
  return new Promise((resolve) => {
    socket.once('data', () => resolve(true)).once('close', () => resolve(false));
    socket.write(`GET /healthz HTTP/1.1\r\nHost: ${target.host}\r\n\r\n`);
  });
}

async function hoard(target: Target, held: net.Socket[]): Promise<Verdict> {
  while (held.length < MANY) {
    const taken = await Promise.all(Array.from({ length: AT_ONCE }, () => isTakenOn(target, held)));
    if (taken.includes(false)) return refused(`closed beyond ${held.length - taken.filter((is) => !is).length}`);
  }
  return target.isLoopback ? skipped('clients on loopback may have all') : open(`${MANY} connections are open`);
}

/** One address that would have all connections. */
export const CONNECTIONS: readonly Attack[] = [
  {
    area: 'connections',
    name: 'all of them for one address',
    run: async (target) => {
      const held: net.Socket[] = [];
      try {
        return await hoard(target, held);
      } finally {
        for (const socket of held) socket.destroy();
      }
    },
  },
];
