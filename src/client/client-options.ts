import { platformTimers } from './timers.js';
import type { ClientTimers } from './timers.js';

/** How a client talks to its gateway. */
export interface PmgateClientOptions {
  /** Sent with every request, or a function that gives them for each. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  /** Sent as `Authorization: Bearer …`, for a proxy before the gateway; a function is asked for each request. */
  readonly token?: string | (() => string | Promise<string>);
  /** Sent as `Authorization: Basic …`: the user for the gateway to become on the hosts that want one. */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** What to use instead of the platform's fetch(). */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * Milliseconds that an answer may take, 30 000 unless said otherwise, 0 for as long as it takes. Answers that are read piece by
   * piece (ranges, CSV, streams) must begin within that time.
   */
  readonly timeoutMs?: number;
  /** How often a read is tried again when the gateway says 503 and after which time to come back; 2 unless said otherwise. */
  readonly retries?: number;
  /** The longest such time to wait for, 10 000 unless said otherwise. */
  readonly maxRetryWaitMs?: number;
  /** Where waiting comes from; for tests. */
  readonly timers?: ClientTimers;
  /** Random numbers from 0 to 1, for the times between reconnections; for tests. */
  readonly random?: () => number;
}

/** The same with all its defaults. */
export type ClientSettings = Omit<PmgateClientOptions, 'fetch'> &
  Required<Pick<PmgateClientOptions, 'fetch' | 'timeoutMs' | 'retries' | 'maxRetryWaitMs' | 'timers' | 'random'>>;

/** The options with what holds where they say nothing. */
export function withDefaults(options: PmgateClientOptions): ClientSettings {
  return {
    // Not globalThis.fetch itself: browsers want it called on the window, and tests may replace it later.
    fetch: (input, init) => globalThis.fetch(input, init),
    timeoutMs: 30_000,
    retries: 2,
    maxRetryWaitMs: 10_000,
    timers: platformTimers,
    random: Math.random,
    ...options,
  };
}

/** The headers that the options ask for. */
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
