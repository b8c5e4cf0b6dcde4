import { compareTimestamps, makeTimestamp } from '../../pmapi/index.js';
import type { FetchResult, Timestamp } from '../../pmapi/index.js';
import type { PlanMissing } from '../plans/fetch-plan.js';
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

/** What takes the events of one client: a connection. */
export interface StreamSink {
  /** Send bytes; the sink keeps them, they must not change. Answers whether it takes more now, else it will call `drained()`. */
  write(bytes: Uint8Array): boolean;
  /** Bytes that were written and that the client has not taken yet, about. */
  readonly waitingBytes: number;
  /** End the stream after what was written. A client that takes nothing is cut off instead of being waited for. */
  end(): void;
  /** Cut the client off: what it has not taken is dropped. */
  destroy(): void;
}

/** One client's part in a stream, held by its connection. */
export interface StreamSubscription {
  /** The sink takes more. */
  drained(): void;
  /** The client has gone. */
  unsubscribe(): void;
}

const EVENT_ID = /^(\d{1,12})\.(\d{9})$/;

/** Read the id of an event, which is the time stamp of its sample as answers write it; undefined for anything else. */
export function parseEventId(text: string): Timestamp | undefined {
  const found = EVENT_ID.exec(text);
  return found ? { sec: Number(found[1]), nsec: Number(found[2]) } : undefined;
}

/** The id of a sample that follows another one: its time stamp, unless the clock was set back since. */
export function eventIdAfter(timestamp: Timestamp, last: Timestamp | undefined): Timestamp {
  if (!last || compareTimestamps(timestamp, last) > 0) return timestamp;
  return makeTimestamp(last.sec, last.nsec + 1);
}
