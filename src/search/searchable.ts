import type { InstanceDomain, Label, MetricDescriptor } from '../pmapi/index.js';

/** What is indexed of one metric. */
export interface SearchableMetric {
  readonly descriptor: MetricDescriptor;
  readonly labels: readonly Label[];
  /** One-line help; '' when there is none. */
  readonly oneline: string;
  /** Full help; '' when there is none. */
  readonly help: string;
}

/** What is indexed of one instance domain, besides its instances. */
export interface SearchableIndom {
  readonly labels: readonly Label[];
  /** Labels of single instances by instance id. */
  readonly instanceLabels: ReadonlyMap<number, readonly Label[]>;
  readonly oneline?: string;
  readonly help?: string;
}

/** What an index is built from: one view of one source, such as a context. */
export interface Searchable {
  readonly names: SearchableNames;
  /** Keeps the view open until the returned function is called. */
  hold(): () => void;
}

/** The content of a view. All of it is read as of the whole `archive`, which means nothing for a live source. */
export interface SearchableNames {
  /** Equal for views with the same content, so that they share an index. */
  readonly viewKey: object | string;
  /** Changes when derived metrics are defined or removed: the index is then wrong. */
  readonly viewVersion: number;
  /** The kind of source: a `host` must be asked for each text separately, which takes seconds. */
  readonly kind: 'host' | 'archive' | 'local';
  /** Changes when the source's names or metadata may have changed: the index is then outdated. */
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
