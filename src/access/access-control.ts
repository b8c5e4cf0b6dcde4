import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Timers } from '../kit/index.js';
import { systemTimers } from '../kit/index.js';
import { GatewayError } from '../pmapi/index.js';
import type { Clock } from '../pmapi/index.js';
import type { AccessFile } from './access-file.js';
import { isPassword } from './password-hash.js';
import { PasswordChecks } from './password-checks.js';
import type { PasswordHash } from './password-hash.js';
import { Principal } from './principal.js';
import { builtInRoles } from './role.js';
import { tokenDigest } from './token.js';
import { LoginThrottle } from './login-throttle.js';

/** Who may come without credentials. */
export type AnonymousFrom = 'nowhere' | 'loopback' | 'anywhere';

/** How requests are let in. */
export interface AccessOptions {
  /** Absent: there are no users and tokens, and passwords are meant for pmcd. */
  readonly file?: AccessFile | undefined;
  readonly anonymous: { readonly from: AnonymousFrom; readonly roles: readonly string[] };
  /** Wrong credentials that a client may try in a minute; 10 when absent. */
  readonly failedLogins?: number;
  /** Told, once a minute, of a client that tried so many: its address, and behind a proxy the user's name that it tried. */
  readonly onGuessing?: ((client: string) => void) | undefined;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** The machine's but in tests. */
  readonly timers?: Timers;
}

/** The credentials of a request, and where it comes from. */
export interface Credentials {
  readonly authorization: string | undefined;
  readonly isLoopback: () => boolean;
  /** Called only when there are credentials. */
  readonly origin: () => ClientOrigin;
}

/** Where a request comes from: failed logins are counted for each origin. */
export interface ClientOrigin {
  /** An IPv4 address, or an IPv6 network of 64 bits. */
  readonly network: string;
  /** Whether many clients share it, for example behind a proxy: failed logins are then counted for each user name. */
  readonly isShared: boolean;
}

/** What a host is asked with. */
export interface HostLogin {
  readonly hostspec: string;
  readonly username?: string;
  readonly password?: string;
}

/** What was right, for a request from the same place. */
interface Proof {
  readonly principal: Principal;
  /** Whom wrong passwords from there are counted for. */
  readonly client: string;
}

/** How long a password that was right is believed after its last use, and how many of them. */
const REMEMBERED_MS = 60_000;
const REMEMBERED = 1000;
/** A password longer than this is nobody's. */
const MAX_CREDENTIAL_LENGTH = 1024;
/** No user's name is longer. */
const MAX_NAME_LENGTH = 64;
const FAILED_LOGINS = 10;
const WRONG_PASSWORD = 'wrong user name or password';

/**
 * Finds out who sends a request. Immutable but for what it remembers: a reload makes another one.
 *
 * Whoever tries too many wrong credentials is turned away for the rest of a minute before anything is hashed, but for tokens that are
 * known and passwords that were right from the same address a moment ago: other clients of that address go on. They are told apart from
 * guesses by a look into a table, and that is no way round the bound: tokens are too long to be guessed, and passwords are not looked at
 * either once the guesses become a flood. Behind addresses that many share (a proxy) the tries are counted for each user's name.
 */
export class AccessControl {
  readonly #file: AccessFile | undefined;
  readonly #anonymousFrom: AnonymousFrom;
  readonly #anonymous: Principal;
  readonly #nobody = new Principal('anonymous', '', []);
  readonly #principals = new Map<string, Principal>();
  /** Keyed digests of passwords that were right: neither they nor their plain hashes stay in memory. */
  readonly #right: LRUCache<string, Proof>;
  /** Keyed digests of what hosts took. */
  readonly #rightAtHosts: LRUCache<string, true>;
  /** Checks under way: requests that come at once with the same password wait for one. */
  readonly #checks = new Map<string, Promise<Principal>>();
  readonly #wrongPasswords: LoginThrottle;
  /** For names that are nobody's, at addresses that many share: there are as many as somebody makes up, and others are not forgotten for them. */
  readonly #wrongNames: LoginThrottle;
  readonly #wrongTokens: LoginThrottle;
  /** The hashes of all users: an unknown one costs as much as one of them. */
  readonly #hashes: readonly PasswordHash[];
  readonly #key = randomBytes(32);
  readonly #passwordChecks: PasswordChecks;

  /** Throws BAD_PARAMETER for an anonymous role that is none. */
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
    this.#anonymous = new Principal(
      'anonymous',
      '',
      anonymous.roles.map((name) => {
        const role = roles.get(name);
        if (role) return role;
        throw new GatewayError('BAD_PARAMETER', `unknown role ${name} (known: ${[...roles.keys()].join(', ')})`);
      }),
    );
    const remembered = { max: REMEMBERED, ttl: REMEMBERED_MS, perf: { now: () => clock.monotonicMs() } };
    this.#right = new LRUCache({ ...remembered, updateAgeOnGet: true });
    this.#rightAtHosts = new LRUCache(remembered);
  }

  /** Whether there are users of the gateway's own: Basic credentials are then meant for it, and not for pmcd. */
  get hasUsers(): boolean {
    return (this.#file?.users.size ?? 0) > 0;
  }

  /**
   * Whoever sends a request. Without credentials that the gateway understands, the anonymous principal, or one that may nothing
   * when it came from where anonymous clients may not. Throws AUTHENTICATION_REQUIRED for wrong credentials, and TOO_MANY_REQUESTS
   * when there were too many of them.
   */
  identify(credentials: Credentials): Principal | Promise<Principal> {
    const { authorization } = credentials;
    const scheme = authorization === undefined ? '' : /^\S{0,16}/.exec(authorization)![0].toLowerCase();
    if (scheme === 'bearer') return this.#bearer(authorization!, credentials);
    if (scheme === 'basic' && this.hasUsers) return this.#basic(authorization!, credentials);
    if (this.#anonymousFrom === 'anywhere') return this.#anonymous;
    return this.#anonymousFrom === 'loopback' && credentials.isLoopback() ? this.#anonymous : this.#nobody;
  }

  /**
   * Open a source whose host checks a user and a password. Those that it refuses count as the gateway's own users' do: nobody guesses
   * at a host through the gateway either. Throws TOO_MANY_REQUESTS when there were too many, and what `open` throws.
   */
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
    // Looked up by its digest: how long that takes tells nothing of the token.
    const found = token === undefined ? undefined : this.#file?.tokens.get(tokenDigest(token));
    if (found) return this.#principal(`token ${found.name}`, () => new Principal('token', found.name, found.roles));
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
    let check = this.#checks.get(digest);
    if (!check) {
      check = this.#checkPassword(readBasic(authorization), digest, origin).finally(() => this.#checks.delete(digest));
      this.#checks.set(digest, check);
    }
    return check;
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
      // Others of the same client may have been wrong meanwhile.
      wrong.refuseGuess(client);
      const isRight = (await isPassword(password, hash)) && found !== undefined;
      if (!isRight) wrong.add(client, digest);
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
    const principal = this.#principal(`user ${user}`, () => new Principal('user', user, found.roles));
    this.#right.set(digest, { principal, client });
    return principal;
  }

  /** The hash that the password of an unknown user is checked against: always the same, and as costly as a known one's. */
  #anyHash(user: string): PasswordHash {
    const draw = createHmac('sha256', this.#key).update(user).digest().readUInt32BE(0);
    return this.#hashes[draw % this.#hashes.length]!;
  }

  #digest(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64');
  }

  #principal(key: string, make: () => Principal): Principal {
    let principal = this.#principals.get(key);
    if (!principal) {
      principal = make();
      this.#principals.set(key, principal);
    }
    return principal;
  }
}

/** The two halves of `Basic base64(user:password)`; empty ones for anything else. @see RFC 7617 */
function readBasic(authorization: string): { user: string; password: string } {
  const encoded = /^basic +([\w+/-]+={0,2})$/i.exec(authorization)?.[1] ?? '';
  const decoded = encoded.length > MAX_CREDENTIAL_LENGTH ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  return { user: decoded.slice(0, Math.max(colon, 0)), password: decoded.slice(colon + 1) };
}

function refused(message: string): GatewayError {
  return new GatewayError('AUTHENTICATION_REQUIRED', message, { expected: 'the credentials of a known user or token' });
}
