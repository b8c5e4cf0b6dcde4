import type { InstanceDomain, LabelSet, LabelTarget, MetricDescriptor, Timestamp } from '../pmapi/index.js';
import type { RecordedSource, SourceSpec } from './index.js';

/** What holds samples of a host: an archive below a root, or the remembered samples of a live host; as it is now. */
export interface SampleStore {
  /** Unique among all of them: an archive's name. */
  readonly name: string;
  /** What clients open it by, and access rules apply to. */
  readonly spec: SourceSpec;
  /** Another text when its metadata has changed. */
  readonly key: string;
  /** Another text when samples were added; absent where that is not known in time. */
  readonly extent?: string;
}

/** What a store's metadata tells by itself. */
export interface StoreMetadata {
  readonly label: { readonly hostName: string; readonly start: Timestamp };
  metrics(): Iterable<readonly [name: string, pmid: number]>;
  descriptor(pmid: number): MetricDescriptor | undefined;
  /** Every instance that is known; none where nothing is known of the domain. */
  instancesEver(indom: number): Promise<InstanceDomain['instances']>;
  /** Labels at the end. */
  lastLabels(target: LabelTarget): Promise<readonly LabelSet[]>;
}

/** Samples that are read forwards in batches and, where there may be many, backwards by fetches. */
export type StoreReader = Pick<RecordedSource, 'prepare' | 'batches' | 'end' | 'close'> & {
  readonly [Name in 'estimate' | 'setMode' | 'fetch']?: RecordedSource[Name] | undefined;
};

/** Stores of one kind: the gateway implements it for archives and for live hosts. */
export interface SampleStores<Store extends SampleStore = SampleStore> {
  /** What there is now. */
  find(signal?: AbortSignal): Promise<readonly Store[]>;
  /** Hand the metadata of a store to `use`. Throws a PmError for one that cannot be read, and for a host what opening it throws. */
  readMetadata<T>(store: Store, use: (metadata: StoreMetadata) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Open a store to read values; the caller closes it. Throws a PmError, or UNKNOWN_ARCHIVE for an archive that is gone. */
  openStore(store: Store, signal?: AbortSignal): Promise<StoreReader>;
}
