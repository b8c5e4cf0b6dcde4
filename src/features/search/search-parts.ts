/** Searches by all gateways of a fleet, each in its own sources. */
import { GatewayError } from '../../pmapi/index.js';
import { compareNames, type FoundIn, type IndexOf, type Page, type SearchResult } from './search.js';
import { LIKENESSES, type Likeness } from './search-shard.js';
import type { IndexSize } from './search-index.js';
import type { SearchIndexes } from './search-indexes.js';
import { answerOfAll, asksForPart, listSchema, objectSchema } from '../../http/index.js';
import type { Answer, SourceRequest, Warning } from '../../http/index.js';
import { keyOf, LOCAL_HOST, searchScope, type SearchedSource } from './search-scope.js';

/** The most results that a gateway sends to another one. */
const MOST_SENT = 1000;

/** A result that can be ordered among those of other searches. */
interface RankedResult {
  readonly rank: number;
  readonly score: number;
  readonly name: string;
  /** Its position in {@link SearchPart.sources}. */
  readonly source: number;
  readonly result: object;
}

/** The result of one of several searches for the same words, in different sources. */
interface SearchPart {
  readonly likeness: Likeness;
  /** All searched sources, with their number of results. Equal keys are one source. */
  readonly sources: readonly { readonly key: string; readonly total: number }[];
  /** The best results, in order; equal ones in order of their sources' keys. */
  readonly hits: readonly RankedResult[];
}

interface GatewayPart extends SearchPart {
  readonly warnings: readonly Warning[];
  /** For completions: the names that begin with the text. */
  readonly begun?: readonly string[];
}

type FoundByAll = ReturnType<typeof mergeResults> & Required<Pick<GatewayPart, 'begun'>>;

/** A search in some indexes, and the response for its page. */
export interface Search {
  readonly page: Page;
  /** JSON schema of {@link find}'s result: one of {@link PARTS}. */
  readonly schema: object;
  readonly find: (indexes: readonly IndexOf<SearchedSource>[], limit: number) => Promise<Omit<GatewayPart, 'warnings'>>;
  readonly answer: (found: FoundByAll, warnings: readonly Warning[]) => Answer;
}

/** Answers a search in the named source, or in those of all gateways. Throws why this machine cannot be searched, if nothing else is. */
export async function answerSearch(
  request: SourceRequest,
  indexes: SearchIndexes,
  { page, schema, find, answer }: Search,
): Promise<Answer> {
  const wanted = page.offset + page.limit;
  let failure: Error | undefined;
  return answerOfAll<GatewayPart>(request, {
    own: async () => {
      const scope = await searchScope(request, indexes);
      ({ failure } = scope);
      const found = await find(scope.indexes, asksForPart(request) ? Math.min(wanted, MOST_SENT) : wanted);
      return { ...found, warnings: scope.warnings };
    },
    schema,
    answer: (parts, silent) => {
      const warnings = distinct([...silent, ...parts.flatMap((part) => part.warnings), ...cutOff(parts, wanted)]);
      if (parts.every(({ sources }) => sources.length === 0)) refuseIfFailed(failure, parts.length > 1 ? warnings : []);
      const begun = parts.flatMap((part) => part.begun ?? []);
      return answer({ ...mergeResults(parts, page), begun }, warnings);
    },
  });
}

/** The results of a search for {@link answerSearch}, described when written. */
export function partOf(
  indexes: readonly IndexOf<SearchedSource>[],
  { likeness, totals, hits }: SearchResult<SearchedSource>,
  describe: (hit: FoundIn<SearchedSource>) => object,
): SearchPart {
  const places = new Map(indexes.map(({ source }, i) => [source, i]));
  return {
    likeness,
    sources: indexes.map(({ source }, i) => ({ key: keyOf(source), total: totals[i] ?? 0 })),
    hits: hits.map((hit) => ({
      rank: hit.rank,
      score: hit.score,
      name: hit.document.name,
      source: places.get(hit.source)!,
      result: { toJSON: () => describe(hit) },
    })),
  };
}

/** Merges results as if of one search, and returns a page. A source searched several times counts once: where it comes first. */
function mergeResults(
  parts: readonly SearchPart[],
  { offset, limit }: Page,
): { readonly likeness: Likeness; readonly total: number; readonly results: readonly object[] } {
  const likeness =
    LIKENESSES.find((one) => parts.some((part) => part.likeness === one && part.hits.length > 0)) ?? LIKENESSES[0]!;
  const seen = new Set<string>();
  const hits: { readonly hit: RankedResult; readonly key: string }[] = [];
  let total = 0;
  for (const part of parts) {
    if (part.likeness !== likeness) continue;
    const keys = part.sources.map(({ key }) => (seen.has(key) ? undefined : key));
    for (const [i, source] of part.sources.entries()) {
      if (keys[i] === undefined) continue;
      seen.add(source.key);
      total += source.total;
    }
    for (const hit of part.hits) {
      const key = keys[hit.source];
      if (key !== undefined) hits.push({ hit, key });
    }
  }
  if (parts.length > 1) {
    hits.sort(
      ({ hit: a, key: keyA }, { hit: b, key: keyB }) =>
        a.rank - b.rank || b.score - a.score || compareNames(a.name, b.name) || compareNames(keyA, keyB),
    );
  }
  return { likeness, total, results: hits.slice(offset, offset + limit).map(({ hit }) => hit.result) };
}

/** Warns where the page may lack results that other gateways did not send. */
function cutOff([, ...others]: readonly SearchPart[], wanted: number): Warning[] {
  const isCut = others.some(({ sources, hits }) => sources.reduce((sum, { total }) => sum + total, 0) > hits.length);
  if (wanted <= MOST_SENT || !isCut) return [];
  return [{ message: `of other gateways, only the best ${MOST_SENT} results are listed`, code: 'LIMIT_EXCEEDED' }];
}

/** Throws why the machine of a search cannot be searched, here or at its gateway. */
function refuseIfFailed(failure: Error | undefined, warnings: readonly Warning[]): void {
  if (failure !== undefined) throw failure;
  const elsewhere = warnings.find(({ hostspec }) => hostspec === LOCAL_HOST);
  if (!elsewhere) return;
  const { code, message, pmErr } = elsewhere;
  throw new GatewayError(code, message, pmErr === undefined ? {} : { pmErr });
}

function distinct(warnings: readonly Warning[]): readonly Warning[] {
  return [...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values()];
}

const COUNT = { type: 'integer', minimum: 0 };
const SOURCE = { key: { type: 'string' }, total: COUNT };

/** JSON schemas of other gateways' responses, by kind of result. */
export const PARTS = {
  results: partSchema({ $ref: 'openapi.json#/components/schemas/SearchResult' }),
  textResults: partSchema({ $ref: 'openapi.json#/components/schemas/SearchTextResult' }),
  names: partSchema(objectSchema({ name: { type: 'string' } })),
  sizes: objectSchema({
    sizes: listSchema(
      objectSchema({ documents: COUNT, terms: COUNT, records: COUNT } satisfies Partial<
        Record<keyof IndexSize, object>
      >),
    ),
  }),
};

function partSchema(result: object): object {
  const hit = { rank: { type: 'number' }, score: { type: 'number' }, name: { type: 'string' }, source: COUNT, result };
  const { properties, ...rest } = objectSchema({
    likeness: { enum: ['all', 'similar', 'any'] },
    sources: listSchema(objectSchema(SOURCE)),
    hits: listSchema(objectSchema(hit)),
    warnings: listSchema({ $ref: 'openapi.json#/components/schemas/Warning' }),
  });
  return { ...rest, properties: { ...properties, begun: listSchema({ type: 'string' }) } };
}
