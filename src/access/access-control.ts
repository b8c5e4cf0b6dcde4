import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { GatewayError } from '../pmapi/index.js';
import type { Clock } from '../pmapi/index.js';
import type { AccessFile } from './access-file.js';
import { isPassword, parsePasswordHash } from './password-hash.js';
import type { PasswordHash } from './password-hash.js';
import { Principal } from './principal.js';
import { builtInRoles } from './role.js';
import { tokenDigest } from './token.js';

/** Who may come without credentials. */
export type AnonymousFrom = 'nowhere' | 'loopback' | 'anywhere';

/** How requests are let in. */
export interface AccessOptions {
  /** Absent: there are no users and tokens, and passwords are meant for pmcd. */
  readonly file?: AccessFile | undefined;
  readonly anonymous: { readonly from: AnonymousFrom; readonly roles: readonly string[] };
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** What a request says of who sends it. */
export interface Claim {
  readonly authorization: string | undefined;
  readonly isLoopback: () => boolean;
}

/** How long a password that was right is believed, and how many of them. */
const REMEMBERED_MS = 60_000;
const REMEMBERED = 1000;
/** Passwords that are checked at once: each takes a thread and 32 MiB. */
const CHECKS_AT_ONCE = 2;
const CHECKS_WAITING = 32;
/** A password longer than this is nobody's. */
const MAX_CREDENTIAL_LENGTH = 1024;

/** A hash that no password has, to take as long over unknown users as over known ones. */
const NOBODY = parsePasswordHash(`$scrypt$ln=15,r=8,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`)!;

/** Finds out who sends a request. Immutable but for what it remembers: a reload makes another one. */
export class AccessControl {
  readonly #file: AccessFile | undefined;
  readonly #anonymousFrom: AnonymousFrom;
  readonly #anonymous: Principal;
  readonly #nobody = new Principal('anonymous', '', []);
  readonly #principals = new Map<string, Principal>();
  /** Keyed digests of passwords that were right: neither they nor their plain hashes stay in memory. */
  readonly #right: LRUCache<string, Principal>;
  readonly #key = randomBytes(32);
  #checking = 0;
  readonly #waiting: (() => void)[] = [];

  /** Throws BAD_PARAMETER for an anonymous role that is none. */
  constructor({ file, anonymous, clock }: AccessOptions) {
    this.#file = file;
    this.#anonymousFrom = anonymous.from;
    const roles = file?.roles ?? new Map(builtInRoles().map((role) => [role.name, role]));
    this.#anonymous = new Principal(
      'anonymous',
      '',
      anonymous.roles.map((name) => {
        const role = roles.get(name);
        if (role) return role;
        throw new GatewayError('BAD_PARAMETER', `${name} is no role; there are ${[...roles.keys()].join(', ')}`);
      }),
    );
    this.#right = new LRUCache({ max: REMEMBERED, ttl: REMEMBERED_MS, perf: { now: () => clock.monotonicMs() } });
  }

  /** Whether there are users of the gateway's own: Basic credentials are then meant for it, and not for pmcd. */
  get hasUsers(): boolean {
    return (this.#file?.users.size ?? 0) > 0;
  }

  /**
   * Whoever sends a request. Without credentials that the gateway understands, the anonymous principal, or one that may nothing
   * when it came from where anonymous clients may not. Throws AUTHENTICATION_REQUIRED for wrong credentials.
   */
  identify(claim: Claim): Principal | Promise<Principal> {
    const { authorization } = claim;
    const scheme = authorization === undefined ? '' : /^\S{0,16}/.exec(authorization)![0].toLowerCase();
    if (scheme === 'bearer') return this.#bearer(authorization!);
    if (scheme === 'basic' && this.hasUsers) return this.#basic(authorization!);
    if (this.#anonymousFrom === 'anywhere') return this.#anonymous;
    return this.#anonymousFrom === 'loopback' && claim.isLoopback() ? this.#anonymous : this.#nobody;
  }

  #bearer(authorization: string): Principal {
    const token = /^bearer +([\w.~+/=-]{1,1024})$/i.exec(authorization)?.[1];
    // Looked up by its digest: how long that takes tells nothing of the token.
    const digest = tokenDigest(token ?? '');
    const found = token === undefined ? undefined : this.#file?.tokens.get(digest);
    if (!found) throw refused('the bearer token is not known');
    return this.#principal(`token ${found.name}`, () => new Principal('token', found.name, found.roles));
  }

  #basic(authorization: string): Principal | Promise<Principal> {
    const digest = createHmac('sha256', this.#key).update(authorization).digest('base64');
    const known = this.#right.get(digest);
    if (known) return known;
    const encoded = /^basic +([\w+/-]+={0,2})$/i.exec(authorization)?.[1] ?? '';
    const decoded = encoded.length > MAX_CREDENTIAL_LENGTH ? '' : Buffer.from(encoded, 'base64').toString('utf8');
    const colon = decoded.indexOf(':');
    const user = decoded.slice(0, Math.max(colon, 0));
    return this.#checkPassword(user, decoded.slice(colon + 1), digest);
  }

  async #checkPassword(user: string, password: string, digest: string): Promise<Principal> {
    const found = this.#file?.users.get(user);
    const isRight = await this.#inTurn(password, found?.password ?? NOBODY);
    if (!found || !isRight) throw refused('the user or the password is wrong');
    const principal = this.#principal(`user ${user}`, () => new Principal('user', user, found.roles));
    this.#right.set(digest, principal);
    return principal;
  }

  /** Check a password, a few at a time: whoever guesses must not take all threads. */
  async #inTurn(password: string, hash: PasswordHash): Promise<boolean> {
    if (this.#checking >= CHECKS_AT_ONCE) {
      if (this.#waiting.length >= CHECKS_WAITING) {
        throw new GatewayError('TOO_MANY_REQUESTS', 'too many passwords are being checked', { retryAfterSec: 1 });
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#checking++;
    try {
      return await isPassword(password, hash);
    } finally {
      this.#checking--;
      this.#waiting.shift()?.();
    }
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

function refused(message: string): GatewayError {
  return new GatewayError('AUTHENTICATION_REQUIRED', message, { expected: 'the credentials of a known user or token' });
}
