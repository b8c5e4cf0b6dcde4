import type { Context } from '../../context/index.js';

type Names = Context['names'];

export type SearchableMetric = Pick<
  Awaited<ReturnType<Names['metadata']>>,
  'descriptor' | 'labels' | 'oneline' | 'help'
>;

export type SearchableIndom = Awaited<ReturnType<Names['indomMetadata']>>;

/** One view of one source to build an index from: a context. */
export interface Searchable extends Pick<Context, 'hold'> {
  readonly names: SearchableNames;
}

/** The content of a view, of the whole `archive` (ignored by live sources). A `host` must be asked for each text separately: that takes seconds. */
export interface SearchableNames extends Pick<
  Names,
  | 'viewKey'
  | 'viewVersion'
  | 'kind'
  | 'generation'
  | 'traverse'
  | 'lookupNames'
  | 'describe'
  | 'instances'
  | 'indomMetadata'
> {
  /** Throws PmError for a metric without a descriptor. */
  metadata(pmid: number, at: 'archive'): Promise<SearchableMetric>;
}

/** Kinds of entities. @see pmSearchTextQuery(3) */
export type EntityType = 'metric' | 'indom' | 'instance';

export type SearchField = 'name' | 'oneline' | 'helptext' | 'labels';

/** One entity that can be found; absent texts are ''. */
export interface SearchDocument {
  readonly type: EntityType;
  /** Metric name, instance name, or the number of an instance domain as pmInDomStr(3) writes it. */
  readonly name: string;
  /** The instance domain that the entity is, belongs to or has values for, as pmInDomStr(3) writes it; '' without one. */
  readonly indom: string;
  readonly oneline: string;
  readonly helptext: string;
  /** Values by name, as text. */
  readonly labels: Readonly<Record<string, string>>;
}
/** Limits of searching; these are the usual ones. */
export const SEARCH_LIMITS = {
  /** Metrics, instance domains and instances in one index; further ones are not found. */
  documentsPerIndex: 20_000,
  /** Instances of one instance domain in an index: there are thousands of processes and connections. */
  instancesPerIndom: 1000,
  /** Characters of one help text that are kept and searched. */
  textLength: 4096,
  /** Words of entities in one index, each counted once per entity: further ones are not found. */
  recordsPerIndex: 500_000,
  /** Characters of names, texts and labels in one index: further ones are not found. */
  charactersPerIndex: 16_000_000,
  /** Words of entities in all indexes, about 100 bytes each; 50 characters count as one. Evicted least recently used. */
  records: 1_500_000,
  /** Indexes being built at once; more wait. */
  builds: 2,
  /** A younger index is used although the source has changed: processes come and go all the time. Milliseconds. */
  minAgeMs: 5000,
  /** How long instances are considered current without a known change. Milliseconds. */
  maxAgeMs: 60_000,
  /** A younger old index serves once more while a new one is built: reading from pmcd takes seconds. Milliseconds. */
  staleMs: 600_000,
};
export type SearchLimits = Readonly<typeof SEARCH_LIMITS>;
