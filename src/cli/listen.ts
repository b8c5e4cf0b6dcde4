import type { AddressInfo } from 'node:net';
import type { Config } from '../config/index.js';
import type { Gateway } from '../gateway/gateway.js';
import type { Log } from '../log/index.js';
import { VERSION } from '../version.js';

/** Exit codes: 0 stopped on request, 1 could not serve, 2 invalid configuration. */
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

/** Has a gateway listen. If that is not possible, logs why, and sets the exit code of the process. */
export async function listen(gateway: Gateway, { listen: at }: Config, log: Log): Promise<AddressInfo | undefined> {
  try {
    return await gateway.listen();
  } catch (error) {
    const reason = whyNotListening(error, at);
    log.error(reason ?? `cannot listen on ${at.host} port ${at.port}`, reason === undefined ? { err: error } : {});
    process.exitCode = EXIT_FAILED;
    return undefined;
  }
}

/** The line of the log that says where the gateway listens. */
export function greeting(config: Config, { address, port, family }: AddressInfo): string {
  const host = family === 'IPv6' ? `[${address}]` : address;
  const scheme = config.listen.certificateFile === null ? 'http' : 'https';
  return `pmgate ${VERSION} listens on ${scheme}://${host}:${port}`;
}

/** Errors of listen(2) that the user can correct, as one line; undefined for any other. */
function whyNotListening(error: unknown, { host, port }: Config['listen']): string | undefined {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `port ${port} is in use: is pmgate already running?`;
    case 'EACCES':
      return `cannot listen on port ${port}: permission denied`;
    case 'EADDRNOTAVAIL':
      return `cannot listen on ${host}: this machine has no such address`;
    case 'ENOTFOUND':
      return `cannot listen on ${host}: the name cannot be resolved`;
    default:
      return undefined;
  }
}
