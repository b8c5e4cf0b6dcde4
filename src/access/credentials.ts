import { pause, getOrMake, type Timers } from '../kit/index.js';
import { GatewayError, type Clock } from '../pmapi/index.js';
import { LRUCache } from 'lru-cache';
import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** The cost of new hashes: N = 2^15, r = 8, p = 1, that is 32 MiB and about 50 ms. @see RFC 7914 */
const LOG_N = 15;
const R = 8;
const P = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Limits for hashes in a file: beyond them, one hash could take the machine's memory. */
const MAX_LOG_N = 20;
const MAX_MEMORY_BYTES = 2 ** 28;

const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{8,})\$([A-Za-z0-9+/]{22,})$/;

export interface PasswordHash {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** Read `$scrypt$ln=15,r=8,p=1$salt$hash` (both base64, without padding); undefined for anything else, and for costs out of bounds. */
export function parsePasswordHash(text: string): PasswordHash | undefined {
  const [, ln, r, p, salt, hash] = FORM.exec(text) ?? [];
  if (salt === undefined || hash === undefined) return undefined;
  const cost = { logN: Number(ln), r: Number(r), p: Number(p) };
  const memoryBytes = 128 * 2 ** cost.logN * cost.r;
  const isBounded =
    cost.logN >= 1 && cost.logN <= MAX_LOG_N && cost.r >= 1 && cost.p >= 1 && memoryBytes <= MAX_MEMORY_BYTES;
  return isBounded ? { ...cost, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') } : undefined;
}

/** Hash a password for the access file, with a fresh salt. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, { logN: LOG_N, r: R, p: P, salt, hash: Buffer.alloc(HASH_BYTES) });
  return `$scrypt$ln=${LOG_N},r=${R},p=${P}$${base64(salt)}$${base64(hash)}`;
}

/** Whether a password is the one that was hashed; compared in constant time. */
export async function isPassword(password: string, expected: PasswordHash): Promise<boolean> {
  return timingSafeEqual(await derive(password, expected), expected.hash);
}

function derive(password: string, { logN, r, p, salt, hash }: PasswordHash): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N: 2 ** logN, r, p, maxmem: 2 * MAX_MEMORY_BYTES };
    scrypt(password.normalize('NFC'), salt, hash.length, options, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** Random bytes of a token: too many to guess. */
const TOKEN_BYTES = 32;

/** A new bearer token, and what the access file stores of it. */
export function makeToken(): { readonly token: string; readonly sha256: string } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, sha256: tokenDigest(token) };
}

/** The SHA-256 of a token, in hex. Tokens are long and random, so the digest does not need salt or cost. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The sender of a password: the queue is shared fairly among networks, and their clients. */
export interface Checked {
  readonly network: string;
  readonly client: string;
}

interface Waiting extends Checked {
  readonly begin: () => void;
  readonly turnAway: (error: GatewayError) => void;
}

/** Passwords checked at once: each takes a thread and 32 MiB. */
const CHECKS_AT_ONCE = 2;
const CHECKS_WAITING = 32;
const USUAL_MS = 50;

/** Checks passwords, a few at a time. A full queue drops the last check of the greediest client in the greediest network. */
export class PasswordChecks {
  readonly #timers: Timers;
  readonly #waiting: Waiting[] = [];
  #underWay = 0;
  #isPretending = false;
  readonly #idling = new Map<string, number>();
  #lastMs = USUAL_MS;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Runs a check in its turn. Throws TOO_MANY_REQUESTS if too many wait. */
  async run<T>(checked: Checked, check: () => Promise<T>): Promise<T> {
    const startMs = this.#timers.nowMs();
    await this.#turn(checked);
    try {
      return await check();
    } finally {
      this.#lastMs = this.#timers.nowMs() - startMs;
      this.#leave();
    }
  }

  /** For an unknown user: takes as long as a check, and hides which users exist. Only one call computes a hash. Throws as run(). */
  async pretend(checked: Checked, check: () => Promise<unknown>): Promise<void> {
    if (this.#isPretending) {
      await this.#idle(checked.client);
      return;
    }
    this.#isPretending = true;
    try {
      await this.run(checked, check);
    } finally {
      this.#isPretending = false;
    }
  }

  async #idle(client: string): Promise<void> {
    const idle = this.#idling.get(client) ?? 0;
    if (idle >= CHECKS_WAITING) throw tooMany();
    this.#idling.set(client, idle + 1);
    await pause(this.#lastMs, this.#timers);
    const left = this.#idling.get(client)! - 1;
    if (left > 0) this.#idling.set(client, left);
    else this.#idling.delete(client);
  }

  #turn({ network, client }: Checked): Promise<void> {
    if (this.#underWay < CHECKS_AT_ONCE) {
      this.#underWay++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ network, client, begin: resolve, turnAway: reject });
      if (this.#waiting.length > CHECKS_WAITING) this.#turnOneAway();
    });
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next.begin();
    else this.#underWay--;
  }

  #turnOneAway(): void {
    const [networks, clients] = [countBy(this.#waiting, 'network'), countBy(this.#waiting, 'client')];
    const weight = ({ network, client }: Checked): number =>
      networks.get(network)! * (CHECKS_WAITING + 2) + clients.get(client)!;
    let at = 0;
    for (const [i, each] of this.#waiting.entries()) if (weight(each) >= weight(this.#waiting[at]!)) at = i;
    const [last] = this.#waiting.splice(at, 1);
    last!.turnAway(tooMany());
  }
}

function tooMany(): GatewayError {
  return new GatewayError('TOO_MANY_REQUESTS', 'too many password checks in progress', { retryAfterSec: 1 });
}

function countBy(waiting: readonly Checked[], by: keyof Checked): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { [by]: key } of waiting) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** How long failed logins count, from the first one. */
const WINDOW_MS = 60_000;
/** Clients remembered: more than passwords can be checked in the window, so that no one can evict others. */
const CLIENTS = 10_000;
/** A client that reaches this many times the limit is guessing credentials that were verified before. */
const FLOOD = 100;

interface LoginThrottleOptions {
  readonly allowed: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Called when a client has used up its attempts. */
  readonly onGuessing?: ((client: string) => void) | undefined;
}

interface Tries {
  /** Digests of wrong credentials. */
  readonly wrong: Set<string>;
  /** Attempts rejected without checking. */
  refused: number;
}

/** Counts failed logins per client. Only new credentials count: a program with an old password locks no one out. */
export class LoginThrottle {
  readonly #allowed: number;
  readonly #onGuessing: LoginThrottleOptions['onGuessing'];
  readonly #clients: LRUCache<string, Tries>;

  constructor({ allowed, clock, onGuessing }: LoginThrottleOptions) {
    this.#allowed = allowed;
    this.#onGuessing = onGuessing;
    this.#clients = new LRUCache({
      // Not `max`, for which everything is allocated at once.
      maxSize: CLIENTS,
      sizeCalculation: () => 1,
      ttl: WINDOW_MS,
      ttlResolution: 0,
      perf: { now: () => clock.monotonicMs() },
    });
  }

  get size(): number {
    return this.#clients.size;
  }

  /** Whether a client tried these wrong credentials recently, which is not guessing. */
  has(client: string, digest: string): boolean {
    return this.#clients.get(client)?.wrong.has(digest) === true;
  }

  add(client: string, digest: string): void {
    const tries = getOrMake<string, Tries>(this.#clients, client, () => ({ wrong: new Set(), refused: 0 }));
    if (tries.wrong.has(digest)) return;
    tries.wrong.add(digest);
    if (tries.wrong.size === this.#allowed) this.#onGuessing?.(client);
  }

  /** Throws TOO_MANY_REQUESTS if a client has used up its attempts: its credentials are not checked. */
  refuseGuess(client: string): void {
    const tries = this.#clients.get(client);
    if (!tries || tries.wrong.size < this.#allowed) return;
    tries.refused++;
    throw this.#refusal(client);
  }

  /** Throws TOO_MANY_REQUESTS even for credentials verified before, if a client keeps guessing. */
  refuseFlood(client: string): void {
    const tries = this.#clients.get(client);
    if (tries && tries.refused >= this.#allowed * FLOOD) throw this.#refusal(client);
  }

  #refusal(client: string): GatewayError {
    const message = `too many failed logins from this address (${this.#allowed} per minute)`;
    const expected = `at most ${this.#allowed} in ${WINDOW_MS / 1000} seconds (access.failedLogins)`;
    const retryAfterSec = this.#clients.getRemainingTTL(client) / 1000;
    return new GatewayError('TOO_MANY_REQUESTS', message, { retryAfterSec, expected });
  }
}
