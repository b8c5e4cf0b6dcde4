import type { InstanceDomain, MetricDescriptor, Timestamp } from '../../pmapi/index.js';
import type { MetricSource, RecordedSource } from '../metric-source.js';

export type PartOrigin = 'archive' | 'recorder' | 'push' | 'memory';

export type PartValues = Pick<RecordedSource, 'prepare' | 'batches' | 'range' | 'estimate' | 'neighbours'>;

export interface ArchivePart {
  readonly name: string;
  readonly origin: Exclude<PartOrigin, 'memory'>;
  readonly source: RecordedSource;
  readonly start: Timestamp;
  readonly end: Timestamp;
  /** Of a recorder's archives: how often its clock had been set back before. */
  readonly setBacks?: number | undefined;
}

/** The remembered samples of a live source: the last part of a timeline, whose numbering all others are translated to. */
export interface LivePart {
  readonly source: MetricSource;
  instances(indom: number): Promise<InstanceDomain>;
  /** Moments of a metric's samples, in order; without a PMID those of the metric with the most. */
  moments(pmid?: number): readonly Timestamp[];
  /** When the source was lost and found again, in order. */
  marks(): readonly Timestamp[];
  values(descriptors: readonly MetricDescriptor[]): PartValues;
}

export interface TimelinePart {
  /** Its name in warnings. */
  readonly name: string;
  readonly origin: PartOrigin;
  readonly source: MetricSource;
  readonly archive: ArchivePart | undefined;
  readonly live: LivePart | undefined;
}
