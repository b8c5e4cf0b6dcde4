import { isIP } from 'node:net';
import { GatewayError } from '../../pmapi/index.js';

/** Host headers whose verdict is cached: clients send the same few. */
const REMEMBERED = 100;

/**
 * The accepted names of the gateway. A web page can make its own name resolve to this machine (DNS rebinding) and is then of the
 * same origin as the gateway, but it cannot keep its browser from sending that name. Addresses cannot be obtained that way, and
 * neither can `localhost` and names without a dot; others have to be listed.
 */
export class HostNames {
  readonly #names: ReadonlySet<string>;
  readonly #verdicts = new Map<string, boolean>();

  /** `names` are host names without a port, in lower case. */
  constructor(names: readonly string[]) {
    this.#names = new Set(names);
  }

  /** Throws WRONG_HOST if the Host header names another host. Clients without one are not browsers. */
  check(header: string | undefined): void {
    if (header === undefined) return;
    let verdict = this.#verdicts.get(header);
    if (verdict === undefined) {
      verdict = this.#isOurs(header);
      if (this.#verdicts.size >= REMEMBERED) this.#verdicts.clear();
      this.#verdicts.set(header, verdict);
    }
    if (verdict) return;
    throw new GatewayError(
      'WRONG_HOST',
      `unknown host name ${JSON.stringify(header.slice(0, 100))}: add it to listen.names`,
      { expected: 'localhost, an address, or one of listen.names' },
    );
  }

  #isOurs(header: string): boolean {
    const host = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(header.toLowerCase())?.[1]?.replace(/\.$/, '');
    if (host === undefined) return false;
    const isAddress = isIP(host.replace(/^\[|\]$/g, '')) !== 0;
    const isLocalName = /^[\w-]*$/.test(host) || host.endsWith('.localhost');
    return isAddress || isLocalName || this.#names.has(host);
  }
}
