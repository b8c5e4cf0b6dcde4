import { LRUCache } from 'lru-cache';
import { GatewayError } from '../pmapi/index.js';
import type { Clock } from '../pmapi/index.js';

/** How long the tries of a client count, from the first of them on. */
const WINDOW_MS = 60_000;
/** Clients remembered at once: more than passwords can be checked for in that time, so that nobody makes us forget by trying. */
const CLIENTS = 10_000;
/** A client that goes on to so many times what it may is guessing at what others were right with. */
const FLOOD = 100;

/** What to count by. */
export interface LoginThrottleOptions {
  /** The wrong credentials that a client may try within a minute. */
  readonly allowed: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Told of a client that has had all its tries. */
  readonly onGuessing?: ((client: string) => void) | undefined;
}

/** What a client tried of late. */
interface Tries {
  /** Digests of what was wrong. */
  readonly wrong: Set<string>;
  /** Tries that were turned away unread. */
  refused: number;
}

/**
 * Counts the wrong credentials of each client, so that nobody guesses for long. Only what was not tried before counts: a program that
 * comes again and again with a password of last year's locks nobody out.
 */
export class LoginThrottle {
  readonly #allowed: number;
  readonly #onGuessing: LoginThrottleOptions['onGuessing'];
  readonly #clients: LRUCache<string, Tries>;

  constructor({ allowed, clock, onGuessing }: LoginThrottleOptions) {
    this.#allowed = allowed;
    this.#onGuessing = onGuessing;
    this.#clients = new LRUCache({
      max: CLIENTS,
      ttl: WINDOW_MS,
      ttlResolution: 0,
      perf: { now: () => clock.monotonicMs() },
    });
  }

  /** Clients remembered now, those whose time is over included. */
  get size(): number {
    return this.#clients.size;
  }

  /** Whether a client tried just these a moment ago: they are wrong, and trying them again is no guess. */
  has(client: string, digest: string): boolean {
    return this.#clients.get(client)?.wrong.has(digest) === true;
  }

  /** Put down that a client's credentials were wrong. */
  add(client: string, digest: string): void {
    let tries = this.#clients.get(client);
    if (!tries) {
      tries = { wrong: new Set(), refused: 0 };
      this.#clients.set(client, tries);
    }
    if (tries.wrong.has(digest)) return;
    tries.wrong.add(digest);
    if (tries.wrong.size === this.#allowed) this.#onGuessing?.(client);
  }

  /** Throw TOO_MANY_REQUESTS to a client that had all its tries: what it brings is not looked at. */
  refuseGuess(client: string): void {
    const tries = this.#clients.get(client);
    if (!tries || tries.wrong.size < this.#allowed) return;
    tries.refused++;
    throw this.#refusal(client);
  }

  /** Throw TOO_MANY_REQUESTS even for what was right before, where a client goes on guessing what that might be. */
  refuseFlood(client: string): void {
    const tries = this.#clients.get(client);
    if (tries && tries.refused >= this.#allowed * FLOOD) throw this.#refusal(client);
  }

  #refusal(client: string): GatewayError {
    return new GatewayError(
      'TOO_MANY_REQUESTS',
      `too many failed logins from this address (${this.#allowed} per minute)`,
      {
        retryAfterSec: this.#clients.getRemainingTTL(client) / 1000,
        expected: `at most ${this.#allowed} in ${WINDOW_MS / 1000} seconds (access.failedLogins)`,
      },
    );
  }
}
