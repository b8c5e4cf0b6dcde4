import { formatIndom, parseIndom, badParameter } from '../../pmapi/index.js';
import { completions, search, suggest, type FoundIn, type Page } from './search.js';
import { markUp, spansIn, parseQuery, type SearchQuery } from './search-query.js';
import type { SearchField, EntityType, SearchDocument } from './searchable.js';
import type { IndexSize } from './search-index.js';
import type { SearchIndexes } from './search-indexes.js';
import { answerOfAll, jsonAnswer, warningsHeader, warningsMember } from '../../http/index.js';
import type { Answer, ContextParameters, Cost, OperationRequest, QueryOf, Routes } from '../../http/index.js';
import { answerSearch, PARTS, partOf, type Search } from './search-parts.js';
import { existingIndexes, keyOf, type SearchedSource } from './search-scope.js';

/** The operations of search; those with `asksAll` cover all gateways of a fleet. */
export function searchRoutes(indexes: SearchIndexes) {
  const by = <Request>(run: (request: Request, indexes: SearchIndexes) => Promise<Answer>, cost: Cost = 'usual') => ({
    cost,
    asksAll: true,
    run: (request: Request) => run(request, indexes),
  });
  return {
    searchMetrics: by(runSearch, 'costly'),
    searchText: by(runText, 'costly'),
    searchSuggest: by(runSuggest),
    searchIndom: by(runIndom),
    searchInfo: by(runInfo),
  } satisfies Routes;
}

/** The default number of results, and for 0. */
const DEFAULT_LIMIT = 10;
const NO_WORDS: ReadonlySet<string> = new Set();

/** Members of a result that can be marked. */
const TEXTS = ['name', 'oneline', 'helptext'] as const;
const MEMBERS = ['name', 'type', 'indom', 'oneline', 'helptext'] as const;
type ReturnedMember = (typeof MEMBERS)[number];

export interface PmproxyQuery extends ContextParameters {
  readonly query: string;
  readonly type?: readonly EntityType[];
  readonly field?: readonly (typeof TEXTS)[number][];
  readonly return?: readonly ReturnedMember[];
  readonly highlight?: readonly (typeof TEXTS)[number][];
  readonly offset?: number;
  readonly limit?: number;
}

type TextRequest = OperationRequest<PmproxyQuery>;

/** Metrics, instance domains and instances, with everything known about how they matched. */
async function runSearch(request: OperationRequest<QueryOf<'searchMetrics'>>, indexes: SearchIndexes): Promise<Answer> {
  const { query } = request;
  const words = readWords(query.q, 'q');
  const elapsedMs = stopwatch(request);
  const options = { types: typesOf(query.type), fields: someOf(query.field) };
  const describeHit = (hit: FoundIn<SearchedSource>): object => ({
    ...describe(hit.document, query, hit.matched),
    ...describeMatch(hit),
  });
  const page = pageOf(query);
  return answerSearch(request, indexes, {
    page,
    schema: PARTS.results,
    find: async (among, limit) => {
      const found = await search(among, words, { ...options, offset: 0, limit }, indexes.turns);
      return partOf(among, found, describeHit);
    },
    answer: ({ likeness, total, results }, warnings) => {
      const client = query.client === undefined ? '' : `"client":${JSON.stringify(query.client)},`;
      const members = `"likeness":"${likeness}","results":${JSON.stringify(results)}${warningsMember(warnings)}`;
      return jsonAnswer(`{${client}${writeHead(total, elapsedMs(), page)},${members}}`);
    },
  });
}

/** The same in pmproxy's shape, without labels. @see pmSearchTextQuery(3) */
async function runText(request: TextRequest, indexes: SearchIndexes): Promise<Answer> {
  const { query } = request;
  const words = readWords(query.query, 'query');
  const options = { types: typesOf(query.type), fields: someOf(query.field) ?? TEXTS };
  return answerText(request, indexes, async (among, limit) => {
    const found = await search(among, words, { ...options, offset: 0, limit }, indexes.turns);
    return partOf(among, found, ({ document, matched }) => describe(document, query, matched));
  });
}

function answerText(request: TextRequest, indexes: SearchIndexes, find: Search['find']): Promise<Answer> {
  const elapsedMs = stopwatch(request);
  const { query } = request;
  const page = pageOf(query);
  return answerSearch(request, indexes, {
    page,
    schema: PARTS.textResults,
    find,
    answer: (found, warnings) => {
      const results = `{${writeHead(found.total, elapsedMs(), page)},"results":${JSON.stringify(found.results)}`;
      return answerFor(query.client, `${results}${warningsMember(warnings)}}`);
    },
  });
}

async function runIndom(request: TextRequest, indexes: SearchIndexes): Promise<Answer> {
  const { query } = request;
  const text = required(query.query, 'query');
  const indom = parseIndom(text);
  if (indom === undefined) {
    const message = `invalid instance domain '${text}' in 'query'`;
    const expected = 'an instance domain, for example 60.2';
    throw badParameter('query', message, expected);
  }
  return answerText(request, indexes, (among, limit) => {
    const found = among.map(({ index }) => index.about(formatIndom(indom)));
    // They are equal in rank, so sources come one after another.
    const hits = found.flatMap((documents, source) =>
      documents
        .slice(0, limit)
        .map((each) => ({ rank: 0, score: 0, name: '', source, result: describe(each, {}, NO_WORDS) })),
    );
    const sources = found.map(({ length }, i) => ({ key: keyOf(among[i]!.source), total: length }));
    return Promise.resolve({ likeness: 'all', sources, hits: hits.slice(0, limit) });
  });
}

/** Completions of a text; a text without words has none, which is not an error. @see pmSearchTextSuggest(3) */
async function runSuggest(request: TextRequest, indexes: SearchIndexes): Promise<Answer> {
  const { query } = request;
  const text = required(query.query, 'query');
  const words = /[\p{L}\p{N}]/u.test(text) ? readWords(text, 'query') : undefined;
  const { limit } = pageOf(query);
  return answerSearch(request, indexes, {
    // Several sources may have a name.
    page: { offset: 0, limit: 2 * limit },
    schema: PARTS.names,
    find: async (among) => {
      const { begun, found } = await suggest(among, text, words, limit, indexes.turns);
      const part = partOf(among, found, () => ({}));
      const hits = part.hits.map((hit) => ({ ...hit, result: { name: hit.name } }));
      return { ...part, hits, begun };
    },
    answer: ({ begun, results }, warnings) => {
      const found = results.map((result) => (result as { readonly name: string }).name);
      return answerFor(query.client, JSON.stringify(completions(begun, found, limit)), warningsHeader(warnings));
    },
  });
}

/** The sizes of the indexes. @see pmSearchInfo(3) */
async function runInfo(request: OperationRequest<ContextParameters>, indexes: SearchIndexes): Promise<Answer> {
  return answerOfAll(request, {
    own: async () => ({ sizes: (await existingIndexes(request, indexes)).map(({ size }) => size) }),
    schema: PARTS.sizes,
    answer: (parts, warnings) => {
      const info = describeSizes(parts.flatMap(({ sizes }) => sizes));
      return answerFor(request.query.client, JSON.stringify(info), warningsHeader(warnings));
    },
  });
}

function describeSizes(sizes: readonly IndexSize[]): object {
  const sum = (of: 'documents' | 'terms' | 'records'): number => sizes.reduce((all, size) => all + size[of], 0);
  const [docs, terms, records] = [sum('documents'), sum('terms'), sum('records')];
  const average = (whole: number, parts: number): number => (parts === 0 ? 0 : Number((whole / parts).toFixed(2)));
  return {
    docs,
    terms,
    records,
    records_per_doc_avg: average(records, docs),
    bytes_per_record_avg: 0,
    inverted_sz_mb: 0,
    inverted_cap_mb: 0,
    inverted_cap_ovh: 0,
    skip_index_size_mb: 0,
    score_index_size_mb: 0,
    offsets_per_term_avg: average(records, terms),
    offset_bits_per_record_avg: 0,
  };
}

function required(text: string | undefined, parameter: string): string {
  if (text !== undefined) return text;
  throw badParameter(parameter, `'${parameter}' is missing: nothing to search for`, 'what to search for');
}

function readWords(text: string | undefined, parameter: string): SearchQuery {
  return parseQuery(required(text, parameter), parameter);
}

function pageOf({ offset = 0, limit }: { readonly offset?: number; readonly limit?: number }): Page {
  return { offset, limit: limit === undefined || limit === 0 ? DEFAULT_LIMIT : limit };
}

function typesOf(list: readonly (EntityType | '0')[] | undefined): readonly EntityType[] | undefined {
  const types = list?.flatMap((type) => (type === '0' ? [] : type));
  return types?.length === list?.length ? someOf(types) : undefined;
}

function someOf<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list && list.length > 0 ? list : undefined;
}

/** The members that pmproxy has, too. */
function describe(
  document: SearchDocument,
  { return: members, highlight = [] }: Pick<PmproxyQuery, 'return' | 'highlight'>,
  matched: ReadonlySet<string>,
): object {
  const wanted = someOf(members);
  const member = (name: ReturnedMember): string | undefined => {
    const text = document[name];
    if (text === '' || wanted?.includes(name) === false) return undefined;
    const isMarked = name !== 'type' && name !== 'indom' && highlight.includes(name);
    return isMarked ? markUp(text, spansIn(text, matched)) : text;
  };
  return Object.fromEntries(MEMBERS.map((name) => [name, member(name)]));
}

/** Additional members: where an entity is, and why it matched. */
function describeMatch({ document, source, score, matched, fields }: FoundIn<SearchedSource>): object {
  const spans = (field: SearchField): unknown =>
    field !== 'labels' && fields.includes(field) ? spansIn(document[field], matched) : undefined;
  const labels = Object.entries(document.labels).filter(
    ([name, value]) => spansIn(name, matched).length > 0 || spansIn(value, matched).length > 0,
  );
  return {
    ...(fields.includes('labels') ? { labels: Object.fromEntries(labels) } : {}),
    source: source.hash,
    hostspec: source.hostspec,
    archive: source.archive,
    score: Number(score.toFixed(3)),
    fields,
    highlights: { name: spans('name'), oneline: spans('oneline'), helptext: spans('helptext') },
  };
}

/** Measures the time from now on, in milliseconds. */
function stopwatch({ options }: OperationRequest<object>): () => number {
  const { clock } = options.contexts;
  const startMs = clock.monotonicMs();
  return () => clock.monotonicMs() - startMs;
}

function writeHead(total: number, elapsedMs: number, { offset, limit }: Page): string {
  const elapsed = (elapsedMs / 1000).toFixed(6);
  return `"total":${total},"elapsed":${elapsed},"offset":${offset},"limit":${limit}`;
}

/** pmproxy's response, with `client` beside it. */
function answerFor(client: ContextParameters['client'], json: string, headers: readonly string[] = []): Answer {
  const text = client === undefined ? json : `{"client":${JSON.stringify(client)},"result":${json}}`;
  return headers.length === 0 ? jsonAnswer(text) : jsonAnswer(text, headers);
}
