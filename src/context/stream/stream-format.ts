import type { FetchResult, Timestamp } from '../../pmapi/index.js';
import type { PlanMissing } from '../fetch-plan.js';
import type { RangeMetric } from '../range/index.js';

/** Instances of a metric that had values in the sample before and have none now. */
export interface GoneInstances {
  readonly name: string;
  readonly instances: readonly number[];
}

/** One sample, as it is to be written. Scratch: good until the next one. */
export interface StreamSample {
  readonly id: Timestamp;
  /** What the value sets are, in order; the same object for as long as they stay the same. */
  readonly answered: { readonly entries: readonly RangeMetric[] };
  readonly result: FetchResult;
  /** The source was lost and found again since the sample before. */
  readonly reconnected: boolean;
  /** Of a stream of changes: whether these are all values none the less, and what is no more. */
  readonly changes?: { readonly isFull: boolean; readonly gone: readonly GoneInstances[] } | undefined;
}

/** Why a stream ended for good. */
export type StreamEnd = 'archive' | 'destroyed' | 'shutdown' | 'failed';

/** How events become text. Streams whose formats have equal keys write alike, and may share what is written. */
export interface StreamFormat {
  readonly key: string;
  readonly heartbeat: string;
  /** The metrics: the first event of each client, which is its own, and one that all clients share when they have changed. */
  metrics(metrics: readonly RangeMetric[], missing: readonly PlanMissing[], event: 'first' | 'changed'): string;
  sample(sample: StreamSample): string;
  failure(error: unknown): string;
  /** Samples between two moments, both of them not included, cannot be had any more. */
  gap(from: Timestamp, to: Timestamp): string;
  end(reason: StreamEnd): string;
}
