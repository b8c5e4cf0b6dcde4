import { waitFor, type Timers } from '../../kit/index.js';
import { GatewayError } from '../../pmapi/index.js';

/** Seconds' worth of bytes that a client may send at once. */
const BURST_SEC = 4;
const MAX_WAIT_MS = 20_000;
const CLIENTS = 10_000;

interface Bucket {
  /** Bytes that the client may still send, as of `countedMs`; below 0 while requests wait. */
  credit: number;
  countedMs: number;
}

/** Delays requests of each client to a rate: PCP's clients end for good at any refusal. */
export class RateLimits {
  readonly #bytesPerSec: number;
  readonly #timers: Timers;
  /** By last use. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(bytesPerSec: number, timers: Timers) {
    this.#bytesPerSec = bytesPerSec;
    this.#timers = timers;
  }

  /** Spends a client's bytes, waiting for its rate; returns whether it waited. Throws TOO_MANY_REQUESTS, and the signal's reason. */
  async spend(client: string, bytes: number, signal?: AbortSignal): Promise<boolean> {
    signal?.throwIfAborted();
    const bucket = this.#bucketOf(client);
    const nowMs = this.#timers.nowMs();
    const most = this.#bytesPerSec * BURST_SEC;
    bucket.credit = Math.min(most, bucket.credit + ((nowMs - bucket.countedMs) / 1000) * this.#bytesPerSec);
    bucket.countedMs = nowMs;
    const waitMs = ((bytes - bucket.credit) / this.#bytesPerSec) * 1000;
    if (waitMs > MAX_WAIT_MS) {
      const message = `more than ${this.#bytesPerSec} bytes per second (push.bytesPerSec)`;
      throw new GatewayError('TOO_MANY_REQUESTS', message, { retryAfterSec: Math.ceil(waitMs / 1000) });
    }
    bucket.credit -= bytes;
    if (waitMs <= 0) return false;
    try {
      const begin = (): (() => void) => () => undefined;
      await waitFor(begin, { timers: this.#timers, waitMs, late: () => undefined }, signal);
    } catch (error) {
      bucket.credit += bytes;
      throw error;
    }
    return true;
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

/** Large bodies read at once, in all and per client, and the longest wait: clients end when refused. */
const PLACES = 8;
const PLACES_OF_CLIENT = 2;
const WAITING = 1000;
const WAIT_MS = 30_000;
/** Slower bodies are refused after a while, if others wait. */
const LEAST_BYTES_PER_SEC = 256 * 1024;
const GRACE_MS = 1000;

export interface Upload {
  /** How many bytes of it have arrived. */
  readonly bytes: () => number;
  /** Stops reading it, because of an error. */
  readonly end: (error: Error) => void;
}

interface Reading {
  readonly client: string;
  readonly upload: Upload;
  readonly fromMs: number;
  readonly fromBytes: number;
}

interface Waiting {
  readonly client: string;
  readonly enter: () => void;
}

/** Places for reading large bodies: few, and fewer per client, so that none can shut out others. */
export class UploadPlaces {
  readonly #timers: Timers;
  readonly #reading = new Set<Reading>();
  /** Oldest first. */
  readonly #waiting = new Set<Waiting>();
  #isChecking = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Waits for a place; the result releases it. Throws OVERLOADED, and the signal's reason. */
  async enter(client: string, upload: Upload, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (!this.#hasRoomFor(client)) await this.#wait(client, signal);
    const reading = { client, upload, fromMs: this.#timers.nowMs(), fromBytes: upload.bytes() };
    this.#reading.add(reading);
    return () => {
      if (this.#reading.delete(reading)) this.#admit();
    };
  }

  #hasRoomFor(client: string): boolean {
    const own = [...this.#reading].filter((reading) => reading.client === client).length;
    return this.#reading.size < PLACES && own < PLACES_OF_CLIENT;
  }

  #admit(): void {
    const next = [...this.#waiting].find(({ client }) => this.#hasRoomFor(client));
    next?.enter();
  }

  #wait(client: string, signal: AbortSignal): Promise<void> {
    const refuse = (): Error =>
      new GatewayError('OVERLOADED', 'too many archives are being pushed', { retryAfterSec: 5 });
    if (this.#waiting.size >= WAITING) return Promise.reject(refuse());
    const begin = (enter: () => void): (() => void) => {
      const waiting = { client, enter };
      this.#waiting.add(waiting);
      return () => void this.#waiting.delete(waiting);
    };
    const entered = waitFor(begin, { timers: this.#timers, waitMs: WAIT_MS, late: refuse }, signal);
    this.#checkRates();
    return entered;
  }

  /** Refuses those that are too slow, while others wait. */
  #checkRates(): void {
    if (this.#isChecking || this.#waiting.size === 0) return;
    this.#isChecking = true;
    const nowMs = this.#timers.nowMs();
    for (const { upload, fromMs, fromBytes } of this.#reading) {
      const ageMs = nowMs - fromMs;
      if (ageMs < GRACE_MS || upload.bytes() - fromBytes >= (ageMs / 1000) * LEAST_BYTES_PER_SEC) continue;
      upload.end(
        new GatewayError('REQUEST_TIMEOUT', 'the body arrives too slowly, and others wait', {
          expected: `at least ${LEAST_BYTES_PER_SEC} bytes per second`,
        }),
      );
    }
    this.#timers.after(GRACE_MS / 4, () => {
      this.#isChecking = false;
      this.#checkRates();
    });
  }
}
