import type { Context } from '../../context/index.js';
import type { IndexOf } from './search.js';
import type { SearchIndex } from './search-index.js';
import type { SearchIndexes } from './search-indexes.js';
import type { ErrorCode } from '../../pmapi/index.js';
import { contextOf, hostspecOf, namesSource, sourceId, viewError } from '../../http/index.js';
import type { AnyRequest, SourceRequest, Warning } from '../../http/index.js';

/** Maximum number of searched hosts when none is named. */
const MAX_HOSTS = 16;

/** The message for hosts that the client may not read. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['FORBIDDEN', 'AUTHENTICATION_REQUIRED']);

export const LOCAL_HOST = 'localhost';

/** Names of this machine, which is searched once. */
const THIS_MACHINE: ReadonlySet<string> = new Set([LOCAL_HOST, 'embedded', '127.0.0.1', '::1', 'local:', 'unix:']);

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
  /** Why this machine cannot be searched. */
  readonly failure?: Error | undefined;
}

/**
 * What a request searches: the named context or source, or else this machine and the hosts with open contexts that all clients may reach;
 * archives, possibly thousands, only by name. A named source that cannot be searched is an error, any other a warning. In a fleet, this
 * machine is searched by the gateway that it belongs to.
 */
export async function searchScope(request: SourceRequest, indexes: SearchIndexes): Promise<SearchScope> {
  if (namesSource(request)) {
    const found = await openIndex(indexes, await contextOf(request, 'shared'));
    return { indexes: [found], warnings: unreadTexts([found]) };
  }
  const { contexts, warnings, failure } = await knownContexts(request);
  const found: IndexOf<SearchedSource>[] = [];
  const outcomes = await Promise.allSettled(contexts.map((context) => openIndex(indexes, context)));
  for (const [i, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') found.push(outcome.value);
    else warnings.push(warningOf(outcome.reason, hostspecOf(contexts[i]!)));
  }
  // Equal results are in the order of their sources, whichever gateway has these.
  if (request.options.fleet) found.sort((a, b) => (keyOf(a.source) < keyOf(b.source) ? -1 : 1));
  return { indexes: found, warnings: [...warnings, ...unreadTexts(found)], failure };
}

/** Equal for the same source at several gateways. */
export function keyOf({ hash, hostspec, archive }: SearchedSource): string {
  return JSON.stringify([hash, hostspec, archive]);
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

/** The existing indexes for a request, outdated or not. Throws if only a machine that cannot be searched is left. */
export async function existingIndexes(request: SourceRequest, indexes: SearchIndexes): Promise<readonly SearchIndex[]> {
  const { contexts, failure } = namesSource(request)
    ? { contexts: [await contextOf(request, 'shared')], failure: undefined }
    : await knownContexts(request);
  if (contexts.length === 0 && failure !== undefined && !request.options.fleet) throw failure;
  return contexts.map((context) => indexes.peek(context)).filter((index) => index !== undefined);
}

/** The shared contexts of each source that is searched when none is named. */
async function knownContexts(request: SourceRequest) {
  const hosts = knownHosts(request);
  const warnings: Warning[] = [];
  if (hosts.length > MAX_HOSTS) {
    const these = `the ${MAX_HOSTS} most recently used of ${hosts.length} hosts`;
    const message = request.options.fleet
      ? `only ${these} of a gateway are searched`
      : `only this machine and ${these} are searched`;
    warnings.push({ message, code: 'LIMIT_EXCEEDED' });
  }
  // Sources are searched as any client may see them: the client's credentials are for this machine, not for other hosts.
  const headers = { ...request.headers, authorization: undefined };
  const searched = [...(isLocalElsewhere(request) ? [] : [LOCAL_HOST]), ...hosts.slice(0, MAX_HOSTS)];
  const outcomes = await Promise.allSettled(
    searched.map(async (hostspec) =>
      contextOf(hostspec === LOCAL_HOST ? request : { ...request, headers, query: { hostspec } }, 'shared'),
    ),
  );
  const byView = new Map<object | string, Context>();
  let failure: Error | undefined;
  for (const [i, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') {
      const context = outcome.value;
      if (!byView.has(context.names.viewKey)) byView.set(context.names.viewKey, context);
      continue;
    }
    const isLocal = searched[i] === LOCAL_HOST;
    if (isLocal) failure = outcome.reason as Error;
    const warning = warningOf(outcome.reason, searched[i]!);
    // Clients that may not read a host do not learn that others do.
    if (isLocal || !REFUSALS.has(warning.code)) warnings.push(warning);
  }
  return { contexts: [...byView.values()], warnings, failure };
}

/** Whether this machine, or what it means in the fleet, belongs to another gateway. */
function isLocalElsewhere({ options: { fleet, contexts } }: AnyRequest): boolean {
  return fleet?.owner(contexts.placeOf({ kind: 'host', hostspec: LOCAL_HOST })) !== undefined;
}

/** Hosts with open contexts and without secrets in their hostspec, the most recently used first. */
function knownHosts({ options, principal }: AnyRequest): readonly string[] {
  const open = [...options.contexts.list()].sort((a, b) => b.lastUsedMs - a.lastUsedMs);
  const hosts = new Set<string>();
  for (const { spec } of open) {
    const isForEverybody = spec.kind === 'host' && spec.username === undefined && !/[?&]/.test(spec.hostspec);
    const isThisMachine = spec.kind === 'host' && THIS_MACHINE.has(spec.hostspec);
    const isTold = isForEverybody && !isThisMachine && principal?.sees(spec) !== false;
    if (isTold) hosts.add(spec.hostspec);
  }
  return [...hosts];
}

async function openIndex(indexes: SearchIndexes, context: Context): Promise<IndexOf<SearchedSource>> {
  const [index, hash] = await Promise.all([indexes.of(context), context.names.identity().then(sourceId)]);
  const name = hostspecOf(context);
  return { index, source: { hash, ...(context.spec.kind === 'host' ? { hostspec: name } : { archive: name }) } };
}

function warningOf(failure: unknown, hostspec: string): Warning {
  const { code, message, details } = viewError(failure);
  if (code === 'INTERNAL') throw failure;
  return { hostspec, message, code, ...(details.pmErr === undefined ? {} : { pmErr: details.pmErr }) };
}
