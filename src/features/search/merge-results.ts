import { compareNames, type Page } from './search.js';
import { LIKENESSES, type Likeness } from './search-shard.js';

/** A result that can be ordered among those of other searches. */
export interface RankedResult {
  readonly rank: number;
  readonly score: number;
  readonly name: string;
  /** Its position in {@link SearchPart.sources}. */
  readonly source: number;
  readonly result: object;
}

/** The result of one of several searches for the same words, in different sources. */
export interface SearchPart {
  readonly likeness: Likeness;
  /** All searched sources, with their number of results. Equal keys are one source. */
  readonly sources: readonly { readonly key: string; readonly total: number }[];
  /** The best results, in order; equal ones in order of their sources' keys. */
  readonly hits: readonly RankedResult[];
}

/** Merges results as if of one search, and returns a page. A source searched several times counts once: where it comes first. */
export function mergeResults(
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
