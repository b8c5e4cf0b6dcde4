import { signal } from '@preact/signals';
import { createPmgateClient, PmgateError } from '../../../../client/index.js';
import { durationText } from '../chart/axis-times.js';
import { credentials, signInReason } from '../state/access.js';
import { authorization } from '../state/credentials.js';

export type { ArchiveEntry, Metric, MetricSummary, SearchResult } from '../../../../client/index.js';

/** The URL of the gateway that served the page: one level above it, with any prefix of a proxy. */
export const gatewayUrl = IS_VIEWER ? 'http://localhost' : new URL('..', location.href).href.replace(/\/$/, '');

/** Whether the gateway does not respond. */
export const isGatewayGone = signal(false);
/** Whether its last answer was that it is overloaded. */
export const isGatewayBusy = signal(false);

/** Archives of this machine: the contexts on them, and what answers requests about them. */
export const local = {
  contexts: new Set<string>(),
  /** As the platform's, for paths of the gateway. */
  fetch: undefined as ((path: string, init?: RequestInit) => Promise<Response>) | undefined,
  /** Loads what is loaded on demand otherwise: files that are open work without the gateway. */
  keepScreens: (): void => undefined,
};

/** Whether a request is about an archive of this machine. */
function isLocal(request: string): boolean {
  const [, archive, context = ''] =
    /archive(?:=|":")(local(?::|%3A))|(?:pmapi\/|context(?:=|":))(\d+)/.exec(request) ?? [];
  return IS_VIEWER || archive !== undefined || local.contexts.has(context);
}

/** So long a gateway may think. */
const PATIENCE_MS = 30_000;

/** The client of the page. Its requests have no cookies, and the browser does not ask for a password by itself. */
export const client = createPmgateClient(gatewayUrl, {
  // What this machine is asked for takes the time that it takes.
  timeoutMs: ({ path, body, parameters }) =>
    isLocal(`${path} ${body ?? JSON.stringify(parameters)}`) ? 0 : PATIENCE_MS,
  headers: () => {
    const given = credentials.value;
    const headers: Record<string, string> = {};
    if (given) headers.Authorization = authorization(given);
    return headers;
  },
  fetch: async (input, init) => {
    const [url, body = ''] = [input, init?.body] as [string, string?];
    if (isLocal(`${url} ${body}`)) {
      return local.fetch!(url.slice(gatewayUrl.length), init);
    }
    const response = await reach(input, { ...init, credentials: 'omit' });
    if (response.status === 401) {
      const { message } = await errorOf(response.clone());
      signInReason.value = credentials.peek()
        ? 'The gateway does not accept these credentials.'
        : `This gateway requires you to sign in${message === undefined ? '' : `: ${message.split(': ')[0]}`}.`;
    }
    return response;
  },
});

/** Answers about archives of this machine, also where a request names none. */
export const localClient = createPmgateClient('', {
  fetch: (input, init) => local.fetch!(input as string, init),
  timeoutMs: 0,
});

/** Whether a source is an archive of this machine. */
export function isHere(source: string): boolean {
  return IS_VIEWER || source.startsWith('archive:local:');
}

async function reach(input: RequestInfo | URL, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(input, init);
    isGatewayGone.value = false;
    // Of the gateway or a proxy before it, and not of a host that it asks.
    isGatewayBusy.value =
      response.status === 503 && ((await errorOf(response.clone())).code ?? 'OVERLOADED') === 'OVERLOADED';
    return response;
  } catch (error) {
    if (init.signal?.aborted !== true) isGatewayGone.value = true;
    throw error;
  }
}

/** What the gateway says of an error; nothing where it is another that answers. */
function errorOf(response: Response): Promise<{ readonly code?: string; readonly message?: string }> {
  return response.json().catch(() => ({}));
}

/** What failed is tried again after so long. */
export const RETRY_MS = 5000;

/** The answer to a question that is asked again for as long as the gateway is away, or says that it makes sense. */
export async function persistently<T>(ask: () => Promise<T>, onTrouble?: (trouble: Trouble) => void): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const trouble = troubleOf(error);
      const { retryAfterMs = isGatewayGone.peek() ? 0 : undefined } = trouble;
      if (retryAfterMs === undefined) throw error;
      onTrouble?.(trouble);
      await wait(Math.max(retryAfterMs, RETRY_MS));
    }
  }
}

/** Resolves after so long. */
export function wait(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

/** The parameters of a source as the address writes it: a host, or an archive. */
export function whereOf(source: string): { readonly hostspec: string } | { readonly archive: string } {
  return source.startsWith('archive:') ? { archive: source.slice(8) } : { hostspec: source };
}

/** An error for display: what happened, its code, what was expected, and the milliseconds after which a retry may succeed. */
export type Trouble = Pick<PmgateError, 'code' | 'message' | 'retryAfterMs'> & {
  readonly details?: PmgateError['details'];
};

/** What helps, by code. */
const HELP: Readonly<Partial<Record<string, string>>> = {
  UNKNOWN_ARCHIVE: 'Archives lists those that there are.',
  BAD_ARCHIVE: 'Other archives can still be read.',
  FORBIDDEN: 'Sign in under Settings with a role that permits it.',
  SOURCE_UNREACHABLE: 'Check its name, and whether pmcd runs there.',
  SOURCE_TIMEOUT: 'Check whether pmcd runs there.',
  LIMIT_EXCEEDED: 'Choose a shorter time, or less.',
};

/** A trouble in words: what it concerns, what happened, and what helps. @param of a source, or what was asked for */
export function troubleText({ code, message, retryAfterMs, details }: Trouble, of: string): string {
  const help = /hosts\.allow/.test(message) ? 'The configuration lists hosts that may be asked.' : HELP[code];
  const next = retryAfterMs === undefined ? undefined : `Next try in ${durationText(retryAfterMs / 1000)}.`;
  const expected = details?.expected === undefined ? undefined : `Expected: ${details.expected}.`;
  return [`${of}: ${message} (${code}).`, expected, help, next].filter((part) => part !== undefined).join(' ');
}

/** The error for display of anything that was thrown. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof PmgateError) return error;
  return { code: 'PAGE', message: error instanceof Error ? error.message : String(error), retryAfterMs: undefined };
}
