import type { Call } from './call.js';

/** How a client talks to its gateway. */
export interface PmgateClientOptions {
  /** Headers of every request, or a function that returns them for each. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  /** Sent as `Authorization: Bearer …`, for a proxy in front of the gateway; a function is called for each request. */
  readonly token?: string | (() => string | Promise<string>);
  /** Sent as `Authorization: Basic …`: the user at the gateway, or at hosts that require one. */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** Replaces the platform's fetch(). */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * Milliseconds until a response must be complete, 30 000 by default, 0 for no limit. Responses that are read in pieces (ranges,
   * CSV, streams) must begin within that time. A function is called with each request.
   */
  readonly timeoutMs?: number | ((request: Pick<Call, 'path' | 'parameters' | 'body'>) => number);
  /** How often a read is retried when the gateway responds with 503 and Retry-After; 2 by default. */
  readonly retries?: number;
  /** The longest Retry-After to wait for, 10 000 by default. */
  readonly maxRetryWaitMs?: number;
  /** Where waiting comes from; for tests. */
  readonly timers?: ClientTimers;
  /** Random numbers from 0 to 1, for the delays between reconnections; for tests. */
  readonly random?: () => number;
}

export type ClientSettings = Omit<PmgateClientOptions, 'fetch'> &
  Required<Pick<PmgateClientOptions, 'fetch' | 'timeoutMs' | 'retries' | 'maxRetryWaitMs' | 'timers' | 'random'>>;

export function withDefaults(options: PmgateClientOptions): ClientSettings {
  return {
    // Not globalThis.fetch itself: browsers require it to be called on the window, and tests may replace it later.
    fetch: (input, init) => globalThis.fetch(input, init),
    timeoutMs: 30_000,
    retries: 2,
    maxRetryWaitMs: 10_000,
    timers: platformTimers,
    random: Math.random,
    ...options,
  };
}

export async function ownHeaders({ headers, token, credentials }: ClientSettings): Promise<Record<string, string>> {
  const own: Record<string, string> = { ...(typeof headers === 'function' ? headers() : headers) };
  if (token !== undefined) own['Authorization'] = `Bearer ${typeof token === 'function' ? await token() : token}`;
  else if (credentials) own['Authorization'] = `Basic ${base64(`${credentials.username}:${credentials.password}`)}`;
  return own;
}

/** btoa() takes Latin-1 only; names and passwords are UTF-8. @see RFC 7617 */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** Where waiting comes from; injected, so that tests need no sleeps. */
export interface ClientTimers {
  /** Call `callback` after so many milliseconds, unless the returned function is called before. */
  after(delayMs: number, callback: () => void): () => void;
}

const platformTimers: ClientTimers = {
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Waits; rejects with the signal's reason if it is aborted meanwhile. */
export function pause(timers: ClientTimers, delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = timers.after(delayMs, () => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    });
    if (signal?.aborted === true) aborted();
    else signal?.addEventListener('abort', aborted, { once: true });
  });
}
