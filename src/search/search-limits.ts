/** What searching may cost. */
export interface SearchLimits {
  /** Metrics, instance domains and instances in one index; what comes after them is not found. */
  readonly documentsPerIndex: number;
  /** Instances of one instance domain in an index: processes and connections come by the thousand. */
  readonly instancesPerIndom: number;
  /** Characters of one help text that are kept and searched. */
  readonly textLength: number;
  /** Words of entities in one index, each counted once for each entity: what comes after them is not found. */
  readonly recordsPerIndex: number;
  /** Characters of names, texts and labels in one index: what comes after them is not found. */
  readonly charactersPerIndex: number;
  /**
   * Words of entities in all indexes together, at about 100 bytes each; 50 characters count as one. The indexes used longest ago are
   * forgotten.
   */
  readonly records: number;
  /** Indexes being built at once; more wait. */
  readonly builds: number;
  /** An index that is younger serves although the source has changed: processes come and go all the time. Milliseconds. */
  readonly minAgeMs: number;
  /** How long instances are believed when nothing is said to have changed. Milliseconds. */
  readonly maxAgeMs: number;
  /** An old index that is younger serves once more, while another is made: pmcd is asked for seconds. Milliseconds. */
  readonly staleMs: number;
}

/** Limits for a gateway of any size. */
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
