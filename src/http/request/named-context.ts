import { attempt } from '../../kit/index.js';
import type { Call } from '../contracts.js';
import type { RawParameters } from './validate.js';

/** A longer text is not a valid `client`: see openapi.yaml. */
const MAX_CLIENT_LENGTH = 1024;

/** What an error response repeats of its request. */
export interface RepeatedFacts {
  readonly context?: number | undefined;
  readonly client?: string | undefined;
}

/** What an error response repeats of a call, with or without parsed parameters. */
export function repeatedFacts(call: Pick<Call, 'url' | 'path' | 'body' | 'request'>): RepeatedFacts {
  const { url, path, body, request } = call;
  const { client = namedClient(url, body) } = (request?.query ?? {}) as { readonly client?: string };
  return { context: request?.contextId ?? namedContext(url, path), client };
}

/** The `client` of a request whose parameters may be invalid; undefined if it is invalid itself. */
function namedClient(url: string, body: RawParameters['body']): string | undefined {
  const client = clientIn(splitUrl(url)[1]) ?? (body && 'form' in body ? clientIn(body.form) : memberClient(body));
  return client !== undefined && client.length <= MAX_CLIENT_LENGTH ? client : undefined;
}

function clientIn(encoded: string): string | undefined {
  const text = /(?:^|&)client=([^&]*)/.exec(encoded)?.[1];
  return text && attempt(() => decodeURIComponent(text.replaceAll('+', ' ')));
}

function memberClient(body: RawParameters['body']): string | undefined {
  if (!body || !('json' in body) || !Object.hasOwn(body.json, 'client')) return undefined;
  const { client } = body.json as { readonly client: unknown };
  return typeof client === 'string' ? client : undefined;
}

/** A URL's path, and its query as it was written. */
export function splitUrl(url: string): readonly [path: string, query: string] {
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** The fields of a query or form as they were written, without some names. */
export function fieldsWithout(names: ReadonlySet<string>, text: string): readonly string[] {
  return text.split('&').filter((field) => {
    const name = field.split('=', 1)[0]!;
    return field !== '' && !names.has(attempt(() => decodeURIComponent(name)) ?? name);
  });
}

/** The context of a request, for errors before its parameters are parsed. */
export function namedContext(
  url: string,
  path: Readonly<Record<string, string | string[] | undefined>>,
): number | undefined {
  const named = /[?&]context=(\d+)(?:&|$)/.exec(url)?.[1] ?? path.context;
  const id = typeof named === 'string' && /^\d+$/.test(named) ? Number(named) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}
