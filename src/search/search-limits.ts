/** Limits of searching. */
export interface SearchLimits {
  /** Metrics, instance domains and instances in one index; further ones are not found. */
  readonly documentsPerIndex: number;
  /** Instances of one instance domain in an index: there are thousands of processes and connections. */
  readonly instancesPerIndom: number;
  /** Characters of one help text that are kept and searched. */
  readonly textLength: number;
  /** Words of entities in one index, each counted once per entity: further ones are not found. */
  readonly recordsPerIndex: number;
  /** Characters of names, texts and labels in one index: further ones are not found. */
  readonly charactersPerIndex: number;
  /**
   * Words of entities in all indexes together, at about 100 bytes each; 50 characters count as one. The least recently used
   * indexes are evicted.
   */
  readonly records: number;
  /** Indexes being built at once; more wait. */
  readonly builds: number;
  /** A younger index is used although the source has changed: processes come and go all the time. Milliseconds. */
  readonly minAgeMs: number;
  /** How long instances are considered current without a known change. Milliseconds. */
  readonly maxAgeMs: number;
  /** A younger old index serves once more while a new one is built: reading from pmcd takes seconds. Milliseconds. */
  readonly staleMs: number;
}

/** The default limits. */
export const DEFAULT_SEARCH_LIMITS: SearchLimits = {
  documentsPerIndex: 20_000,
  instancesPerIndom: 1000,
  textLength: 4096,
  recordsPerIndex: 500_000,
  charactersPerIndex: 16_000_000,
  records: 1_500_000,
  builds: 2,
  minAgeMs: 5000,
  maxAgeMs: 60_000,
  staleMs: 600_000,
};
