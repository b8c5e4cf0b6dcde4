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

/** What is indexed of one instance domain, beside its instances. */
export interface SearchableIndom {
  readonly labels: readonly Label[];
  /** Labels of single instances by instance id. */
  readonly instanceLabels: ReadonlyMap<number, readonly Label[]>;
  readonly oneline?: string;
  readonly help?: string;
}

/** What an index is made from: one view of one source, which a context is. */
export interface Searchable {
  readonly names: SearchableNames;
  /** Keep the view from going away until what is returned is called. */
  hold(): () => void;
}

/** What a view has to search. Everything is asked for as of the whole `archive`, which means nothing to a live source. */
export interface SearchableNames {
  /** Equal for views that show the same, so that they share an index. */
  readonly viewKey: object | string;
  /** Changes when derived metrics were defined or forgotten: what was indexed before is wrong. */
  readonly viewVersion: number;
  /** What is behind the view: a `host` has to be asked for each text by itself, which takes seconds. */
  readonly kind: 'host' | 'archive' | 'local';
  /** Moves when the source's names or metadata may have changed: what was indexed before is old. */
  readonly generation: number;

  /** Full names of all metrics at or below a node, '' being the root. */
  traverse(prefix: string): Promise<readonly string[]>;
  /** PMIDs of names, in order, or PM_ERR codes. */
  lookupNames(names: readonly string[]): Promise<readonly number[]>;
  /** Descriptors of PMIDs, in order, or PM_ERR codes. */
  describe(pmids: readonly number[]): Promise<readonly (MetricDescriptor | number)[]>;
  /** Throws PmError for a metric that has no descriptor. */
  metadata(pmid: number, at: 'archive'): Promise<SearchableMetric>;
  /** Throws PmError for an instance domain that there is not. */
  instances(indom: number, at: 'archive'): Promise<InstanceDomain>;
  indomMetadata(indom: number, at: 'archive'): Promise<SearchableIndom>;
}
