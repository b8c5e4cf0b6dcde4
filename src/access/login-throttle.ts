import { getOrMake } from '../kit/index.js';
import { LRUCache } from 'lru-cache';
import { GatewayError, type Clock } from '../pmapi/index.js';

/** How long failed logins count, from the first one. */
const WINDOW_MS = 60_000;
/** Clients remembered: more than passwords can be checked in the window, so that no one can evict others. */
const CLIENTS = 10_000;
/** A client that reaches this many times the limit is guessing credentials that were verified before. */
const FLOOD = 100;

export interface LoginThrottleOptions {
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
