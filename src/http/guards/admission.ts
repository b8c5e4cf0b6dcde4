import type { AccessControl, Permission, Principal } from '../../access/index.js';
import { addressMatcher, originOf } from './client-limits.js';
import type { ClientLimits } from './client-limits.js';
import { CorsPolicy } from './cors.js';
import { refuseForeignPage, refuseUnreadable } from './csrf.js';
import { HostNames } from './host-header.js';
import { isLoopback } from './loopback.js';
import type { Call, Route } from '../contracts.js';
import type { HttpOptions } from '../options.js';

/** Admits calls: authenticates the sender, checks the name of the gateway, the origin of pages, and permissions. */
export class Admission {
  readonly #access: AccessControl | undefined;
  readonly #hostNames: HostNames | undefined;
  readonly #cors: CorsPolicy;
  readonly #clients: ClientLimits | undefined;
  readonly #route: Route;
  /** Whether a client of an address may push without credentials. */
  readonly #pushesFrom: (address: string | undefined) => boolean;

  constructor(route: Route, options: Pick<HttpOptions, 'access' | 'hostNames' | 'cors' | 'clients' | 'push'>) {
    this.#route = route;
    this.#pushesFrom = addressMatcher(options.push?.from ?? []);
    this.#access = options.access;
    this.#hostNames = options.hostNames && new HostNames(options.hostNames);
    this.#cors = new CorsPolicy(options.cors.origins);
    this.#clients = options.clients;
  }

  /**
   * Authenticates the sender of a call (`call.principal`; undefined without access control), and checks that it is permitted.
   * Throws, or rejects with, AUTHENTICATION_REQUIRED, FORBIDDEN, WRONG_HOST and TOO_MANY_REQUESTS.
   */
  admit(call: Call): void | Promise<void> {
    const { permission = 'read' } = this.#route;
    const isKnownAddress = permission === 'push' && this.#pushesFrom(call.remoteAddress);
    if (!this.#access || permission === 'none' || isKnownAddress) {
      this.#check(call, undefined, permission);
      return;
    }
    const found = this.#access.identify({
      authorization: call.headers.authorization,
      isLoopback: () => isLoopback(call.remoteAddress),
      origin: () => originOf(call, this.#clients),
    });
    if (found instanceof Promise) return found.then((principal) => this.#check(call, principal, permission));
    this.#check(call, found, permission);
  }

  #check(call: Call, principal: Principal | undefined, permission: Permission | 'none'): void {
    const { headers } = call;
    call.principal = principal;
    if (this.#route.effect === 'changes') refuseForeignPage(call, this.#cors);
    else if (permission !== 'none') refuseUnreadable(call, this.#cors);
    // Operations that reveal nothing about sources do not check credentials; a batch does so for each of its entries.
    const isUnread = permission === 'none' && headers.authorization !== undefined;
    if (principal?.name === undefined && !isUnread) this.#hostNames?.check(headers.host);
    if (permission !== 'none') principal?.require(permission);
  }
}
