import type { SearchIndex } from './search-index.js';
import type { Turns } from './search-indexes.js';
import type { SearchDocument } from './searchable.js';
import type { SearchQuery } from './search-query.js';
import { LIKENESSES } from './search-shard.js';
import type { FindOptions, Likeness, SearchHit } from './search-shard.js';

/** An index, and the caller's key for it. */
export interface IndexOf<Source> {
  readonly index: SearchIndex;
  readonly source: Source;
}

/** A result from one of several indexes. */
export interface FoundIn<Source> extends SearchHit {
  readonly source: Source;
}

/** Some of the results, best first. */
export interface SearchResult<Source> {
  readonly likeness: Likeness;
  /** How many there are altogether. */
  readonly total: number;
  readonly hits: readonly FoundIn<Source>[];
}

/** How many times the requested number is collected before the rest is dropped. */
const KEPT_PAGES = 8;

/** A part of a list. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/**
 * Searches several indexes as if they were one, a shard per turn of the event loop. If no index contains all words, it tries
 * similar words, and then any of them.
 */
export async function search<Source>(
  indexes: readonly IndexOf<Source>[],
  query: SearchQuery,
  options: FindOptions & Page,
  turns: Turns,
): Promise<SearchResult<Source>> {
  const wanted = options.offset + options.limit;
  for (const likeness of LIKENESSES) {
    if (likeness === 'any' && query.words.length === 1) break;
    let total = 0;
    let best: FoundIn<Source>[] = [];
    for (const { index, source } of indexes) {
      for (const shard of index.shards) {
        const hits = shard.find(query, likeness, options).sort(byRelevance);
        total += hits.length;
        for (const hit of hits.slice(0, wanted)) best.push({ ...hit, source });
        if (best.length > KEPT_PAGES * wanted) best = best.sort(byRelevance).slice(0, wanted);
        await turns.next();
      }
    }
    if (total > 0) return { likeness, total, hits: best.sort(byRelevance).slice(options.offset, wanted) };
  }
  return { likeness: 'all', total: 0, hits: [] };
}

function byRelevance(a: SearchHit, b: SearchHit): number {
  return a.rank - b.rank || b.score - a.score || compare(a.document.name, b.document.name);
}

/**
 * Completions: names of metrics and instances that begin with a text, in alphabetical order, then those that its words, or
 * similar ones, find. `query` is undefined for a text without words.
 */
export async function suggest<Source>(
  indexes: readonly IndexOf<Source>[],
  text: string,
  query: SearchQuery | undefined,
  limit: number,
  turns: Turns,
): Promise<readonly string[]> {
  const begun = new Set<string>();
  for (const { index } of indexes) {
    for (const shard of index.shards) {
      for (const name of shard.namesFrom(text.trim(), limit)) begun.add(name);
      await turns.next();
    }
  }
  const names = new Set([...begun].sort((a, b) => compare(a.toLowerCase(), b.toLowerCase())).slice(0, limit));
  if (names.size < limit && query) {
    const page = { types: ['metric', 'instance'], fields: ['name'], offset: 0, limit: 2 * limit } as const;
    const { hits } = await search(indexes, query, page, turns);
    for (const { document } of hits) {
      if (names.size >= limit) break;
      names.add(document.name);
    }
  }
  return [...names];
}

/** Everything about an instance domain, given as pmInDomStr(3) writes it, source by source. */
export function aboutIndom<Source>(
  indexes: readonly IndexOf<Source>[],
  indom: string,
  { offset, limit }: Page,
): { readonly total: number; readonly documents: readonly SearchDocument[] } {
  const all = indexes.flatMap(({ index }) => index.about(indom));
  return { total: all.length, documents: all.slice(offset, offset + limit) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
