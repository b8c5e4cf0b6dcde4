/** Finding metrics, instance domains and instances by words. See README.md. */
export { SearchIndexes } from './search-indexes.js';
export type {
  EntityType,
  SearchDocument,
  SearchField,
  SearchLimits,
  Searchable,
  SearchableIndom,
  SearchableMetric,
  SearchableNames,
} from './searchable.js';
export { parseQuery, type SearchQuery } from './search-query.js';
export { mergeResults, type SearchPart } from './merge-results.js';
export { aboutIndom, completions, search, suggest } from './search.js';
export type { FoundIn, IndexOf, Page, SearchResult } from './search.js';
export { markUp, spansIn } from './words.js';
export { SearchIndex, type IndexSize } from './search-index.js';
export type { FindOptions } from './search-shard.js';
