import type { InstanceDomain, Label, MetricDescriptor } from '../../pmapi/index.js';

export interface SearchableMetric {
  readonly descriptor: MetricDescriptor;
  readonly labels: readonly Label[];
  /** One-line help; '' when there is none. */
  readonly oneline: string;
  /** Full help; '' when there is none. */
  readonly help: string;
}

/** Indexed metadata of an instance domain, without its instances. */
export interface SearchableIndom {
  readonly labels: readonly Label[];
  /** Labels of single instances by instance id. */
  readonly instanceLabels: ReadonlyMap<number, readonly Label[]>;
  readonly oneline?: string;
  readonly help?: string;
}

/** One view of one source, such as a context, to build an index from. */
export interface Searchable {
  readonly names: SearchableNames;
  /** Keeps the view open until the returned function is called. */
  hold(): () => void;
}

/** The content of a view, of the whole `archive` (ignored by live sources). */
export interface SearchableNames {
  /** Equal for views that share an index. */
  readonly viewKey: object | string;
  /** Changes when derived metrics are defined or removed: the index is wrong. */
  readonly viewVersion: number;
  /** A `host` must be asked for each text separately, which takes seconds. */
  readonly kind: 'host' | 'archive' | 'local';
  /** Changes with the source's names or metadata: the index is outdated. */
  readonly generation: number;

  /** Full names of all metrics at or below a node, '' being the root. */
  traverse(prefix: string): Promise<readonly string[]>;
  /** PMIDs of names, in order, or PM_ERR codes. */
  lookupNames(names: readonly string[]): Promise<readonly number[]>;
  /** Descriptors of PMIDs, in order, or PM_ERR codes. */
  describe(pmids: readonly number[]): Promise<readonly (MetricDescriptor | number)[]>;
  /** Throws PmError for a metric without a descriptor. */
  metadata(pmid: number, at: 'archive'): Promise<SearchableMetric>;
  /** Throws PmError for an unknown instance domain. */
  instances(indom: number, at: 'archive'): Promise<InstanceDomain>;
  indomMetadata(indom: number, at: 'archive'): Promise<SearchableIndom>;
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
  /** Words of entities in all indexes, about 100 bytes each; 50 characters count as one. Evicted least recently used. */
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
