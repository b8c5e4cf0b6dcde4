import type { InstanceDomain, LabelSet, LabelTarget, MetricDescriptor, Timestamp } from '../pmapi/index.js';
import type { RecordedSource } from '../sources/index.js';

/** An archive that lies below a root, as it is now. */
export interface RecordedArchive {
  /** What clients open it by. */
  readonly name: string;
  /** Another text when its metadata has changed: path, size and time of the file. */
  readonly key: string;
  /** Another text when records were added: path, size and time of its last volume. */
  readonly extent: string;
}

/** What an archive's metadata tells by itself. */
export interface RecordedMetadata {
  readonly label: { readonly hostName: string; readonly start: Timestamp };
  metrics(): Iterable<readonly [name: string, pmid: number]>;
  descriptor(pmid: number): MetricDescriptor | undefined;
  /** Every instance that ever was; none where nothing is known of the domain. */
  instancesEver(indom: number): Promise<InstanceDomain['instances']>;
  /** Labels at the archive's end. */
  lastLabels(target: LabelTarget): Promise<readonly LabelSet[]>;
}

/** The archives that series come from: the gateway implements it. */
export interface RecordedArchives<Archive extends RecordedArchive = RecordedArchive> {
  /** What there is now. */
  find(signal?: AbortSignal): Promise<readonly Archive[]>;
  /** Hand the metadata of an archive to `use`. Throws a PmError for one that cannot be read. */
  readMetadata<T>(archive: Archive, use: (metadata: RecordedMetadata) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Open an archive to read values from; the caller closes it. */
  open(spec: { readonly archive: string }, signal?: AbortSignal): Promise<RecordedSource>;
}
