import type { Context } from '../../../context/index.js';
import type { IndexOf, SearchIndex, SearchIndexes } from '../../../search/index.js';
import { GatewayError } from '../../../pmapi/index.js';
import type { ErrorCode } from '../../../pmapi/index.js';
import { viewError } from '../../response/error-response.js';
import type { ContextParameters, OperationRequest } from '../../contracts.js';
import { contextOf, hostspecOf } from '../../request/request-context.js';
import type { Warning } from '../../response/answer.js';

/** Hosts that are searched when none is named. */
const MAX_HOSTS = 16;

/** The message for hosts that the client may not read. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['FORBIDDEN', 'AUTHENTICATION_REQUIRED']);

/** What a request without a source refers to. */
const LOCAL_HOST = 'localhost';

/** The source of a result: its hash, and the parameters that select it. */
export interface SearchedSource {
  readonly hash: string;
  readonly hostspec?: string;
  readonly archive?: string;
}

/** The indexes of a search, and the sources that could not be searched. */
export interface SearchScope {
  readonly indexes: readonly IndexOf<SearchedSource>[];
  readonly warnings: readonly Warning[];
}

/** The gateway's indexes. Throws UNAVAILABLE without them. */
export function indexesOf({ options }: OperationRequest<object>): SearchIndexes {
  if (options.search) return options.search;
  throw new GatewayError('UNAVAILABLE', 'search is disabled');
}

/**
 * What a request searches: the context or source that it names, or else this machine and the hosts with open contexts, as far as
 * all clients may reach them: without credentials, and without attributes that could contain any. Archives are searched only when
 * they are named, because there may be thousands. A named source that cannot be searched is an error, any other a warning.
 */
export async function searchScope(request: OperationRequest<ContextParameters>): Promise<SearchScope> {
  const indexes = indexesOf(request);
  if (namesSource(request)) {
    const found = await openIndex(indexes, await contextOf(request, 'shared'));
    return { indexes: [found], warnings: unreadTexts([found]) };
  }
  const { contexts, warnings } = await knownContexts(request);
  const found: IndexOf<SearchedSource>[] = [];
  const outcomes = await Promise.allSettled(contexts.map((context) => openIndex(indexes, context)));
  for (const [i, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') found.push(outcome.value);
    else warnings.push(warningOf(outcome.reason, hostspecOf(contexts[i]!)));
  }
  return { indexes: found, warnings: [...warnings, ...unreadTexts(found)] };
}

/** The warning for sources of which only the names are indexed so far. */
function unreadTexts(found: readonly IndexOf<SearchedSource>[]): Warning[] {
  return found
    .filter(({ index }) => !index.hasTexts)
    .map(({ source: { hostspec } }) => ({
      ...(hostspec === undefined ? {} : { hostspec }),
      message: 'help texts and labels are still being indexed: only names were searched; try again in a few seconds',
      code: 'UNAVAILABLE',
    }));
}

/** The existing indexes that a request would search, outdated or not. */
export async function existingIndexes(request: OperationRequest<ContextParameters>): Promise<readonly SearchIndex[]> {
  const indexes = indexesOf(request);
  const contexts = namesSource(request)
    ? [await contextOf(request, 'shared')]
    : (await knownContexts(request)).contexts;
  return contexts.map((context) => indexes.peek(context)).filter((index) => index !== undefined);
}

function namesSource({ query, path }: OperationRequest<ContextParameters>): boolean {
  const source = query.hostspec ?? query.hostname ?? query.archive;
  return (query.context ?? path.context) !== undefined || source !== undefined;
}

/** The shared contexts of each source that is searched when none is named. */
async function knownContexts(
  request: OperationRequest<ContextParameters>,
): Promise<{ readonly contexts: readonly Context[]; readonly warnings: Warning[] }> {
  const hosts = knownHosts(request);
  const warnings: Warning[] = [];
  if (request.options.fleet) {
    warnings.push({
      message:
        'only this gateway was searched, and not the others of its fleet: name a host to search it wherever it is',
      code: 'LIMIT_EXCEEDED',
    });
  }
  if (hosts.length > MAX_HOSTS) {
    warnings.push({
      message: `only this machine and the ${MAX_HOSTS} most recently used of ${hosts.length} hosts are searched`,
      code: 'LIMIT_EXCEEDED',
    });
  }
  // Sources are searched as any client may see them: the client's credentials are for this machine, not for other hosts.
  const headers = { ...request.headers, authorization: undefined };
  const others = hosts.slice(0, MAX_HOSTS);
  const outcomes = await Promise.allSettled([
    contextOf(request, 'shared'),
    ...others.map((hostspec) => contextOf({ ...request, headers, query: { hostspec } }, 'shared')),
  ]);
  const byView = new Map<object | string, Context>();
  for (const [i, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') {
      const context = outcome.value;
      if (!byView.has(context.names.viewKey)) byView.set(context.names.viewKey, context);
      continue;
    }
    const warning = warningOf(outcome.reason, i === 0 ? LOCAL_HOST : others[i - 1]!);
    // Clients that may not read a host do not learn that others do.
    if (i === 0 || !REFUSALS.has(warning.code)) warnings.push(warning);
  }
  const [local] = outcomes;
  if (byView.size === 0 && local.status === 'rejected') throw local.reason;
  return { contexts: [...byView.values()], warnings };
}

/** Hosts with open contexts and without secrets in their hostspec, the most recently used first. */
function knownHosts({ options, principal }: OperationRequest<object>): readonly string[] {
  const open = [...options.contexts.list()].sort((a, b) => b.lastUsedMs - a.lastUsedMs);
  const hosts = new Set<string>();
  for (const { spec } of open) {
    const isForEverybody = spec.kind === 'host' && spec.username === undefined && !/[?&]/.test(spec.hostspec);
    const isTold = isForEverybody && spec.hostspec !== LOCAL_HOST && principal?.sees(spec) !== false;
    if (isTold) hosts.add(spec.hostspec);
  }
  return [...hosts];
}

async function openIndex(indexes: SearchIndexes, context: Context): Promise<IndexOf<SearchedSource>> {
  const [index, hash] = await Promise.all([indexes.of(context), context.names.sourceHash()]);
  const name = hostspecOf(context);
  return { index, source: { hash, ...(context.spec.kind === 'host' ? { hostspec: name } : { archive: name }) } };
}

function warningOf(failure: unknown, hostspec: string): Warning {
  const { code, message, details } = viewError(failure);
  if (code === 'INTERNAL') throw failure;
  return { hostspec, message, code, ...(details.pmErr === undefined ? {} : { pmErr: details.pmErr }) };
}
