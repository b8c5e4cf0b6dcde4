import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { getOrMake, systemTimers, type Timers } from '../kit/index.js';
import { GatewayError, type Clock } from '../pmapi/index.js';
import type { AccessFile } from './access-file.js';
import { isPassword, tokenDigest, PasswordChecks, LoginThrottle, type PasswordHash } from './credentials.js';
import { builtInRoles, Principal, type DescribedPrincipal, type Role } from './principal.js';

/** Addresses from which clients without credentials may connect. */
export type AnonymousFrom = 'nowhere' | 'loopback' | 'anywhere';

export interface AccessOptions {
  /** Absent: there are no users and tokens, and passwords are passed on to pmcd. */
  readonly file?: AccessFile | undefined;
  readonly anonymous: { readonly from: AnonymousFrom; readonly roles: readonly string[] };
  /** Failed logins that a client may have per minute; 10 when absent. */
  readonly failedLogins?: number;
  /** Called at most once a minute and client above the limit, with its address and, behind a proxy, the user name. */
  readonly onGuessing?: ((client: string) => void) | undefined;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers?: Timers;
}

/** The credentials of a request, and where it comes from. */
export interface Credentials {
  readonly authorization: string | undefined;
  readonly isLoopback: () => boolean;
  /** Called only if there are credentials. */
  readonly origin: () => ClientOrigin;
}

/** A request's origin, by which failed logins are counted. */
export interface ClientOrigin {
  /** An IPv4 address, or an IPv6 network of 64 bits. */
  readonly network: string;
  /** Many clients share the address (a proxy): failed logins are counted per user name. */
  readonly isShared: boolean;
}

export interface HostLogin {
  readonly hostspec: string;
  readonly username?: string;
  readonly password?: string;
}

/** Credentials verified recently, for requests from the same address. */
interface Proof {
  readonly principal: Principal;
  /** The key under which failed logins from the address are counted. */
  readonly client: string;
}

/** How long a verified password stays valid after its last use, and how many are remembered. */
const REMEMBERED_MS = 60_000;
const REMEMBERED = 1000;
/** Longer passwords are rejected unread. */
const MAX_CREDENTIAL_LENGTH = 1024;
const MAX_NAME_LENGTH = 64;
const FAILED_LOGINS = 10;
const WRONG_PASSWORD = 'wrong user name or password';

/**
 * Authenticates requests. Immutable except for its caches: a reload makes a new one.
 *
 * A client with too many failed logins is rejected for the rest of the minute before anything is hashed. Known tokens, and passwords
 * verified recently from the same address, remain valid, so other clients of that address continue to work. They are found by a table
 * look-up, which does not weaken the limit: tokens are too long to be guessed, and passwords are not looked up either once the guesses
 * become a flood. For addresses that many clients share (a proxy), failed logins are counted per user name.
 */
export class AccessControl {
  readonly #file: AccessFile | undefined;
  readonly #roles: ReadonlyMap<string, Role>;
  readonly #anonymousFrom: AnonymousFrom;
  readonly #anonymous: Principal;
  readonly #nobody = new Principal('anonymous', '', []);
  readonly #principals = new Map<string, Principal>();
  /** Keyed digests of verified passwords: neither passwords nor their plain hashes stay in memory. */
  readonly #right: LRUCache<string, Proof>;
  readonly #rightAtHosts: LRUCache<string, true>;
  /** Checks in progress: simultaneous requests with the same password share one. */
  readonly #checks = new Map<string, Promise<Principal>>();
  readonly #wrongPasswords: LoginThrottle;
  /** Failed logins with unknown user names at shared addresses; a separate table, because attackers can invent names. */
  readonly #wrongNames: LoginThrottle;
  readonly #wrongTokens: LoginThrottle;
  /** The hashes of all users: an unknown user costs as much as one of them. */
  readonly #hashes: readonly PasswordHash[];
  readonly #key = randomBytes(32);
  readonly #passwordChecks: PasswordChecks;

  /** Throws BAD_PARAMETER for an unknown anonymous role. */
  constructor({
    file,
    anonymous,
    failedLogins = FAILED_LOGINS,
    onGuessing,
    clock,
    timers = systemTimers,
  }: AccessOptions) {
    this.#file = file;
    this.#hashes = [...(file?.users.values() ?? [])].map(({ password }) => password);
    this.#passwordChecks = new PasswordChecks(timers);
    this.#wrongPasswords = new LoginThrottle({ allowed: failedLogins, clock, onGuessing });
    this.#wrongNames = new LoginThrottle({ allowed: failedLogins, clock, onGuessing });
    this.#wrongTokens = new LoginThrottle({ allowed: failedLogins, clock, onGuessing });
    this.#anonymousFrom = anonymous.from;
    const roles = file?.roles ?? new Map(builtInRoles().map((role) => [role.name, role]));
    this.#roles = roles;
    this.#anonymous = new Principal(
      'anonymous',
      '',
      anonymous.roles.map((name) => {
        const role = roles.get(name);
        if (role) return role;
        throw new GatewayError('BAD_PARAMETER', `unknown role ${name} (known: ${[...roles.keys()].join(', ')})`);
      }),
    );
    const perf = { now: () => clock.monotonicMs() };
    const remembered = { maxSize: REMEMBERED, sizeCalculation: () => 1, ttl: REMEMBERED_MS, perf };
    this.#right = new LRUCache({ ...remembered, updateAgeOnGet: true });
    this.#rightAtHosts = new LRUCache(remembered);
  }

  /** Whether the gateway has users of its own: Basic credentials are then for the gateway, not for pmcd. */
  get hasUsers(): boolean {
    return (this.#file?.users.size ?? 0) > 0;
  }

  /** The principal of a request, the anonymous one without credentials. Throws AUTHENTICATION_REQUIRED, TOO_MANY_REQUESTS. */
  identify(credentials: Credentials): Principal | Promise<Principal> {
    const { authorization } = credentials;
    const scheme = authorization === undefined ? '' : /^\S{0,16}/.exec(authorization)![0].toLowerCase();
    if (scheme === 'bearer') return this.#bearer(authorization!, credentials);
    if (scheme === 'basic' && this.hasUsers) return this.#basic(authorization!, credentials);
    if (this.#anonymousFrom === 'anywhere') return this.#anonymous;
    return this.#anonymousFrom === 'loopback' && credentials.isLoopback() ? this.#anonymous : this.#nobody;
  }

  /** A principal that another gateway of the fleet has authenticated; roles that are not known here permit nothing. */
  principalOf({ kind, name, roles }: DescribedPrincipal): Principal {
    const known = roles.map((role) => this.#roles.get(role)).filter((role) => role !== undefined);
    const key = JSON.stringify([kind, name, roles]);
    return getOrMake(this.#principals, key, () => new Principal(kind, name, known));
  }

  /** Opens a source whose host checks a password; failures count as failed logins, against guessing. Throws TOO_MANY_REQUESTS. */
  async openAtHost<T>(login: HostLogin, { network, isShared }: ClientOrigin, open: () => Promise<T>): Promise<T> {
    const { hostspec, username = '', password = '' } = login;
    const digest = this.#digest(JSON.stringify([network, hostspec, username, password]));
    const client = isShared ? `${network} ${username.slice(0, MAX_NAME_LENGTH)}` : network;
    const wrong = this.#wrongPasswords;
    if (this.#rightAtHosts.has(digest)) wrong.refuseFlood(client);
    else if (!wrong.has(client, digest)) wrong.refuseGuess(client);
    try {
      const opened = await open();
      this.#rightAtHosts.set(digest, true);
      return opened;
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'AUTHENTICATION_REQUIRED') wrong.add(client, digest);
      throw error;
    }
  }

  #bearer(authorization: string, credentials: Credentials): Principal {
    const token = /^bearer +([\w.~+/=-]{1,1024})$/i.exec(authorization)?.[1];
    // Looked up by its digest, so the time that it takes reveals nothing about the token.
    const found = token === undefined ? undefined : this.#file?.tokens.get(tokenDigest(token));
    if (found)
      return getOrMake(this.#principals, `token ${found.name}`, () => new Principal('token', found.name, found.roles));
    const { network } = credentials.origin();
    const digest = this.#digest(authorization);
    if (!this.#wrongTokens.has(network, digest)) {
      this.#wrongTokens.refuseGuess(network);
      this.#wrongTokens.add(network, digest);
    }
    throw refused('unknown bearer token');
  }

  #basic(authorization: string, credentials: Credentials): Principal | Promise<Principal> {
    const origin = credentials.origin();
    const digest = this.#digest(`${origin.network} ${authorization}`);
    const known = this.#right.get(digest);
    if (known) {
      this.#wrongPasswords.refuseFlood(known.client);
      return known.principal;
    }
    return getOrMake(this.#checks, digest, () =>
      this.#checkPassword(readBasic(authorization), digest, origin).finally(() => this.#checks.delete(digest)),
    );
  }

  async #checkPassword(
    { user, password }: { readonly user: string; readonly password: string },
    digest: string,
    { network, isShared }: ClientOrigin,
  ): Promise<Principal> {
    const client = isShared ? `${network} ${user.slice(0, MAX_NAME_LENGTH)}` : network;
    const found = this.#file?.users.get(user);
    const wrong = isShared && !found ? this.#wrongNames : this.#wrongPasswords;
    if (wrong.has(client, digest)) throw refused(WRONG_PASSWORD);
    wrong.refuseGuess(client);
    const check = async (hash: PasswordHash): Promise<boolean> => {
      // Other requests of the client may have failed meanwhile; and again while the hash was computed.
      wrong.refuseGuess(client);
      const isRight = (await isPassword(password, hash)) && found !== undefined;
      if (!isRight) {
        wrong.refuseGuess(client);
        wrong.add(client, digest);
      }
      return isRight;
    };
    const who = { network, client };
    if (!found) {
      await this.#passwordChecks.pretend(who, () => check(this.#anyHash(user)));
      if (!wrong.has(client, digest)) wrong.refuseGuess(client);
      wrong.add(client, digest);
      throw refused(WRONG_PASSWORD);
    }
    if (!(await this.#passwordChecks.run(who, () => check(found.password)))) throw refused(WRONG_PASSWORD);
    const principal = getOrMake(this.#principals, `user ${user}`, () => new Principal('user', user, found.roles));
    this.#right.set(digest, { principal, client });
    return principal;
  }

  /** The hash for passwords of unknown users: always the same per name, as costly as any. */
  #anyHash(user: string): PasswordHash {
    const draw = createHmac('sha256', this.#key).update(user).digest().readUInt32BE(0);
    return this.#hashes[draw % this.#hashes.length]!;
  }

  #digest(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64');
  }
}

/** The two halves of `Basic base64(user:password)`; empty for anything else. @see RFC 7617 */
function readBasic(authorization: string): { user: string; password: string } {
  const encoded = /^basic +([\w+/-]+={0,2})$/i.exec(authorization)?.[1] ?? '';
  const decoded = encoded.length > MAX_CREDENTIAL_LENGTH ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  return { user: decoded.slice(0, Math.max(colon, 0)), password: decoded.slice(colon + 1) };
}

function refused(message: string): GatewayError {
  return new GatewayError('AUTHENTICATION_REQUIRED', message, { expected: 'the credentials of a known user or token' });
}
