import type { SearchIndex } from './search-index.js';
import type { Turns } from './search-indexes.js';
import type { SearchQuery } from './search-query.js';
import { LIKENESSES, type FindOptions, type Likeness, type SearchHit } from './search-shard.js';

/** An index with the caller's key. */
export interface IndexOf<Source> {
  readonly index: SearchIndex;
  readonly source: Source;
}

export interface FoundIn<Source> extends SearchHit {
  readonly source: Source;
}

/** The best results, and how many there are. */
export interface SearchResult<Source> {
  readonly likeness: Likeness;
  readonly total: number;
  /** By index; empty without results. */
  readonly totals: readonly number[];
  readonly hits: readonly FoundIn<Source>[];
}

/** Multiples of the requested number collected before the rest is dropped. */
const KEPT_PAGES = 8;

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** Searches several indexes as one, a shard per turn. If none contains all words, tries similar words, and then any of them. */
export async function search<Source>(
  indexes: readonly IndexOf<Source>[],
  query: SearchQuery,
  options: FindOptions & Page,
  turns: Turns,
): Promise<SearchResult<Source>> {
  const wanted = options.offset + options.limit;
  for (const likeness of LIKENESSES) {
    if (likeness === 'any' && query.words.length === 1) break;
    const totals: number[] = indexes.map(() => 0);
    let best: FoundIn<Source>[] = [];
    for (const [i, { index, source }] of indexes.entries()) {
      for (const shard of index.shards) {
        const hits = shard.find(query, likeness, options).sort(byRelevance);
        totals[i]! += hits.length;
        for (const hit of hits.slice(0, wanted)) best.push({ ...hit, source });
        if (best.length > KEPT_PAGES * wanted) best = best.sort(byRelevance).slice(0, wanted);
        await turns.next();
      }
    }
    const total = totals.reduce((sum, each) => sum + each, 0);
    if (total > 0) return { likeness, total, totals, hits: best.sort(byRelevance).slice(options.offset, wanted) };
  }
  return NOTHING;
}

const NOTHING = { likeness: 'all', total: 0, totals: [], hits: [] } as const;

function byRelevance(a: SearchHit, b: SearchHit): number {
  return a.rank - b.rank || b.score - a.score || compareNames(a.document.name, b.document.name);
}

/**
 * Names of metrics and instances that may complete a text: those that begin with it, in order, and those found by its words, or similar ones.
 * `query` is undefined for a text without words.
 */
export async function suggest<Source>(
  indexes: readonly IndexOf<Source>[],
  text: string,
  query: SearchQuery | undefined,
  limit: number,
  turns: Turns,
): Promise<{ readonly begun: readonly string[]; readonly found: SearchResult<Source> }> {
  const names = new Set<string>();
  for (const { index } of indexes) {
    for (const shard of index.shards) {
      for (const name of shard.namesFrom(text.trim(), limit)) names.add(name);
      await turns.next();
    }
  }
  const begun = [...names].sort(compareLetters).slice(0, limit);
  if (begun.length >= limit || !query) return { begun, found: NOTHING };
  const page = { types: ['metric', 'instance'], fields: ['name'], offset: 0, limit: 2 * limit } as const;
  return { begun, found: await search(indexes, query, page, turns) };
}

/** Completions of a text: names that begin with it, in alphabetical order, then those that its words find, the best first. */
export function completions(begun: readonly string[], found: readonly string[], limit: number): readonly string[] {
  const names = new Set([...new Set(begun)].sort(compareLetters));
  for (const name of found) names.add(name);
  return [...names].slice(0, limit);
}

function compareLetters(a: string, b: string): number {
  return compareNames(a.toLowerCase(), b.toLowerCase());
}

export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
