import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP, type NetConnectOpts, type Socket } from 'node:net';
import pLimit from 'p-limit';
import { unlessAborted, getOrMake, type Timers } from '../../kit/index.js';
import { PM_ERR, PmError } from '../../pmapi/index.js';
import { PMCD_PORT } from './pdu-types.js';
import type { Hostspec } from './hostspec.js';

/** Addresses of a host name. Injected where a policy must see, filter or pin them. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

/** Name look-ups block a thread of Node's pool of four, which files need too: an unresponsive name server must not take them all. */
const limitLookups = pLimit(2);
/** Look-ups in progress, by name: retries share them, so the queue does not grow while a name server is unresponsive. */
const lookups = new Map<string, Promise<readonly string[]>>();

/** Asks the system's resolver; addresses are returned as they are, and `localhost` needs no look-up. */
export const resolveHost: ResolveHost = (host) => {
  if (isIP(host) !== 0) return Promise.resolve([host]);
  if (host === 'localhost') return Promise.resolve(['127.0.0.1', '::1']);
  const ask = (): Promise<readonly string[]> =>
    limitLookups(() => lookup(host, { all: true }))
      .then((found) => found.map(({ address }) => address))
      .finally(() => lookups.delete(host));
  return getOrMake(lookups, host, ask);
};

/** If there are more to try: often one of two address families does not work. Longer than TCP's first retransmission. */
const ATTEMPT_MS = 2_000;

/** A raw socket to the target of a hostspec, and the host whose certificate TLS expects. */
export interface Dialled {
  readonly socket: Socket;
  readonly serverName: string;
}

/** Cancels a dial in progress, which then rejects. */
export interface DialControl {
  readonly signal: AbortSignal;
  readonly resolve: ResolveHost;
  readonly timers: Timers;
}

/** Connects to the Unix socket, each address and port in order, or through a pmproxy. Rejects with the last system error. */
export async function dial(spec: Hostspec, control: DialControl): Promise<Dialled> {
  const { address } = spec;
  if (address.kind !== 'tcp') {
    try {
      return { socket: await open({ path: address.path }, control), serverName: 'localhost' };
    } catch (error) {
      if (address.kind === 'unix' || control.signal.aborted) throw error;
      return { socket: await openAny('localhost', [PMCD_PORT], control), serverName: 'localhost' };
    }
  }
  if (!spec.proxy) return { socket: await openAny(address.host, address.ports, control), serverName: address.host };
  let failure: unknown;
  for (const port of address.ports) {
    const socket = await openAny(spec.proxy.host, [spec.proxy.port], control);
    try {
      await introduce(socket, `${address.host} ${port}`, control.signal);
      return { socket, serverName: address.host };
    } catch (error) {
      socket.destroy();
      if (control.signal.aborted) throw error;
      failure = error;
    }
  }
  throw failure;
}

async function openAny(host: string, ports: readonly number[], control: DialControl): Promise<Socket> {
  let failure: unknown = new PmError(PM_ERR.NOTHOST, `no address for ${host}`);
  const targets = (await control.resolve(host)).flatMap((address) => ports.map((port) => ({ host: address, port })));
  for (const [i, target] of targets.entries()) {
    control.signal.throwIfAborted();
    try {
      return await open(target, control, i < targets.length - 1 ? ATTEMPT_MS : undefined);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** Before keep-alive probes: firewalls drop idle connections, and a host that lost power does not close them. */
const KEEP_ALIVE_MS = 60_000;

async function open(where: NetConnectOpts, { signal, timers }: DialControl, limitMs?: number): Promise<Socket> {
  signal.throwIfAborted();
  const socket = connect({ ...where, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
  const late = new AbortController();
  const expire = (): void => late.abort(new PmError(PM_ERR.TIMEOUT));
  const stopTimer = limitMs === undefined ? undefined : timers.after(limitMs, expire);
  try {
    await unlessAborted(AbortSignal.any([signal, late.signal]), once(socket, 'connect'));
    return socket;
  } catch (error) {
    socket.on('error', () => undefined);
    socket.destroy();
    throw error;
  } finally {
    stopTimer?.();
  }
}

const PROXY_HELLO = 'pmproxy-client 1\n';
const PROXY_ANSWER = 'pmproxy-server 1\n';

/** Tells a pmproxy where to connect: two lines, one of which is answered. What follows the answer stays in the socket. */
function introduce(socket: Socket, target: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const settle = (error?: Error): void => {
      signal.removeEventListener('abort', onAbort);
      socket.off('readable', onReadable).off('error', settle).off('end', onEnd);
      if (error) reject(error);
      else resolve();
    };
    const onAbort = (): void => settle(signal.reason as Error);
    const onEnd = (): void => settle(new PmError(PM_ERR.EOF, 'pmproxy closed the connection'));
    const onReadable = (): void => {
      while (answer.length < PROXY_ANSWER.length) {
        const byte = socket.read(1) as Buffer | null;
        if (byte === null) return;
        answer += byte.toString('latin1');
        if (!PROXY_ANSWER.startsWith(answer)) {
          settle(new PmError(PM_ERR.IPC, 'the proxy in the hostspec is not a pmproxy'));
          return;
        }
      }
      settle();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', settle).on('end', onEnd).on('readable', onReadable);
    socket.write(`${PROXY_HELLO}${target}\n`);
  });
}
