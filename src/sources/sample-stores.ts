import type { InstanceDomain, LabelSet, LabelTarget, MetricDescriptor, Timestamp } from '../pmapi/index.js';
import type { RecordedSource, SourceSpec } from './metric-source.js';

/** A host's samples: an archive below a root, or remembered samples. */
export interface SampleStore {
  /** Unique among all of them: an archive's name. */
  readonly name: string;
  /** For opening it, and for access rules. */
  readonly spec: SourceSpec;
  /** Changes with its metadata. */
  readonly key: string;
  /** Changes when samples are added; absent if unknown. */
  readonly extent?: string;
}

export interface StoreMetadata {
  readonly label: { readonly hostName: string; readonly start: Timestamp };
  metrics(): Iterable<readonly [name: string, pmid: number]>;
  descriptor(pmid: number): MetricDescriptor | undefined;
  /** Every known instance; empty for an unknown domain. */
  instancesEver(indom: number): Promise<InstanceDomain['instances']>;
  lastLabels(target: LabelTarget): Promise<readonly LabelSet[]>;
}

/** Samples read forwards in batches and, if possibly many, backwards by fetches. */
export type StoreReader = Pick<RecordedSource, 'prepare' | 'batches' | 'end' | 'close'> & {
  readonly [Name in 'estimate' | 'setMode' | 'fetch']?: RecordedSource[Name] | undefined;
};

/** Stores of one kind, archives or live hosts; implemented by the gateway. */
export interface SampleStores<Store extends SampleStore = SampleStore> {
  find(signal?: AbortSignal): Promise<readonly Store[]>;
  /** Applies `use` to a store's metadata. Throws a PmError for an unreadable one, and a host's opening errors. */
  readMetadata<T>(store: Store, use: (metadata: StoreMetadata) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Opens a store for values; the caller closes it. Throws a PmError, or UNKNOWN_ARCHIVE for a removed archive. */
  openStore(store: Store, signal?: AbortSignal): Promise<StoreReader>;
}
