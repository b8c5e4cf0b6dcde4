import type { Timers } from '../../kit/index.js';
import { GatewayError } from '../../pmapi/index.js';

/** Seconds' worth of bytes that a client may send at once. */
const BURST_SEC = 4;
/** How long a request waits at most. */
const MAX_WAIT_MS = 20_000;
const CLIENTS = 10_000;

interface Bucket {
  /** Bytes that the client may still send, as of `countedMs`; below 0 while requests wait. */
  credit: number;
  countedMs: number;
}

/** Keeps each client to a rate by making its requests wait: the clients of PCP end for good at any refusal. */
export class RateLimits {
  readonly #bytesPerSec: number;
  readonly #timers: Timers;
  /** Those used last at the end. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(bytesPerSec: number, timers: Timers) {
    this.#bytesPerSec = bytesPerSec;
    this.#timers = timers;
  }

  /**
   * Spend bytes of a client, and wait until they are within its rate; returns whether it had to wait. Throws TOO_MANY_REQUESTS, and the
   * signal's reason if the client leaves meanwhile: then the bytes are not spent.
   */
  async spend(client: string, bytes: number, signal?: AbortSignal): Promise<boolean> {
    signal?.throwIfAborted();
    const bucket = this.#bucketOf(client);
    const nowMs = this.#timers.nowMs();
    const most = this.#bytesPerSec * BURST_SEC;
    bucket.credit = Math.min(most, bucket.credit + ((nowMs - bucket.countedMs) / 1000) * this.#bytesPerSec);
    bucket.countedMs = nowMs;
    const waitMs = ((bytes - bucket.credit) / this.#bytesPerSec) * 1000;
    if (waitMs > MAX_WAIT_MS) {
      throw new GatewayError(
        'TOO_MANY_REQUESTS',
        `more than ${this.#bytesPerSec} bytes per second (push.bytesPerSec)`,
        {
          retryAfterSec: Math.ceil(waitMs / 1000),
        },
      );
    }
    bucket.credit -= bytes;
    if (waitMs <= 0) return false;
    try {
      await this.#wait(waitMs, signal);
    } catch (error) {
      bucket.credit += bytes;
      throw error;
    }
    return true;
  }

  /** Wait, or throw the signal's reason as soon as it is aborted. */
  #wait(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        stop();
        reject(signal!.reason as Error);
      };
      const stop = this.#timers.after(waitMs, () => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      });
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  #bucketOf(client: string): Bucket {
    const known = this.#buckets.get(client);
    const bucket = known ?? { credit: this.#bytesPerSec * BURST_SEC, countedMs: this.#timers.nowMs() };
    this.#buckets.delete(client);
    this.#buckets.set(client, bucket);
    if (this.#buckets.size > CLIENTS) this.#buckets.delete(this.#buckets.keys().next().value!);
    return bucket;
  }
}
