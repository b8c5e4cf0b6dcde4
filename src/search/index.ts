/** Finding metrics, instance domains and instances by words. See README.md. */
export { SearchIndexes } from './search-indexes.js';
export type { SearchIndexesOptions, Turns } from './search-indexes.js';
export { DEFAULT_SEARCH_LIMITS } from './search-limits.js';
export type { SearchLimits } from './search-limits.js';
export { parseQuery } from './search-query.js';
export type { SearchQuery } from './search-query.js';
export { aboutIndom, search, suggest } from './search.js';
export type { FoundIn, IndexOf, Page, SearchResult } from './search.js';
export { markUp, spansIn } from './highlight.js';
export type { Span } from './highlight.js';
export { SearchIndex } from './search-index.js';
export type { IndexSize } from './search-index.js';
export type { FindOptions, Likeness, SearchHit } from './search-shard.js';
export type { EntityType, SearchDocument, SearchField } from './search-document.js';
export type { Searchable, SearchableIndom, SearchableMetric, SearchableNames } from './searchable.js';
