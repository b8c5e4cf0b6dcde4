import { compareTimestamps, makeTimestamp, wasClockSetBack } from '../../pmapi/index.js';
import type { FetchResult, Timestamp } from '../../pmapi/index.js';
import type { RecordedSource } from '../../sources/index.js';
import type { FetchPlan, MetricSelector, PlanMissing } from '../plans/fetch-plan.js';
import type { RangeMetric, RangeParameters } from '../range/index.js';
import type { Context } from '../context.js';
import type { Selection } from '../selection/index.js';

/** Instances of a metric that had values in the previous sample and have none now. */
export interface GoneInstances {
  readonly name: string;
  readonly instances: readonly number[];
}

/** One sample to write. Reused: valid until the next one. */
export interface StreamSample {
  readonly id: Timestamp;
  /** The metrics of the value sets; the same object until they change. */
  readonly answered: {
    readonly entries: readonly RangeMetric[];
    readonly instanceName?: ((metric: number, instance: number) => string | undefined) | undefined;
  };
  readonly result: FetchResult;
  /** The source was lost and found again since the previous sample. */
  readonly reconnected: boolean;
  /** In a stream of changes: whether these are all values nevertheless, and gone instances. */
  readonly changes?: { readonly isFull: boolean; readonly gone: readonly GoneInstances[] } | undefined;
}

/** Why a stream ended for good. */
export type StreamEnd = 'archive' | 'destroyed' | 'shutdown' | 'failed';

/** How events become text. Streams whose formats have equal keys share their texts. */
export interface StreamFormat {
  readonly key: string;
  readonly heartbeat: string;
  /** The metrics: the first event of each client, and one that all clients share when they have changed. */
  metrics(metrics: readonly RangeMetric[], missing: readonly PlanMissing[], event: 'first' | 'changed'): string;
  sample(sample: StreamSample): string;
  failure(error: unknown): string;
  /** Samples between two moments (both exclusive) are no longer available. */
  gap(from: Timestamp, to: Timestamp): string;
  end(reason: StreamEnd): string;
}

/** The destination of the events of one client: a connection. */
export interface StreamSink {
  /** Sends bytes, which must not change. Returns whether more is accepted; otherwise calls `drained()` later. */
  write(bytes: Uint8Array): boolean;
  /** The approximate number of written bytes that the client has not read yet. */
  readonly waitingBytes: number;
  /** Ends the stream after what was written. A client that does not read is disconnected instead of waited for. */
  end(): void;
  /** Disconnects the client: unread bytes are dropped. */
  destroy(): void;
}

/** A client's part in a stream, held by its connection. */
export interface StreamSubscription {
  /** The sink accepts more. */
  drained(): void;
  /** The client has left. */
  unsubscribe(): void;
}

const EVENT_ID = /^(\d{1,12})\.(\d{9})$/;

/** Parses the id of an event, which is the timestamp of its sample as in responses; undefined for anything else. */
export function parseEventId(text: string): Timestamp | undefined {
  const found = EVENT_ID.exec(text);
  return found ? { sec: Number(found[1]), nsec: Number(found[2]) } : undefined;
}

/** Whether a client with `last` must no longer get `id`. Ids start over where the source's clock was set back. */
export function isBehind(id: Timestamp, last: Timestamp): boolean {
  return compareTimestamps(id, last) <= 0 && !wasClockSetBack(id, last);
}

/** The id of a sample after another one: its timestamp, unless the clock was set back meanwhile. */
export function eventIdAfter(timestamp: Timestamp, last: Timestamp | undefined): Timestamp {
  if (!last || compareTimestamps(timestamp, last) > 0) return timestamp;
  return makeTimestamp(last.sec, last.nsec + 1);
}

interface CommonRequest {
  readonly context: Context;
  readonly selector: MetricSelector;
  /** The plan of the selector, made just now. */
  readonly plan: FetchPlan;
  readonly selection: Selection | undefined;
  readonly format: StreamFormat;
  /** Only changed values are sent. */
  readonly changed: boolean;
  /** The id of the last event that a reconnecting client received. */
  readonly lastEventId: Timestamp | undefined;
}

/** Samples of a live source at an interval. */
export interface LiveStreamRequest extends CommonRequest {
  readonly intervalMs: number;
  /** The recorded past of a live source, in place of remembered samples, with its numbering; may be sparser than the interval. */
  readonly recorded?: RecordedSource | undefined;
  /** Throws for a sample that is too large; clients get the error instead. */
  readonly check?: ((result: FetchResult) => void) | undefined;
  /** The same request in the context that replaced this one; absent if impossible. */
  readonly again?: (() => Promise<LiveStreamRequest>) | undefined;
}

/** The samples of an archive, at the pace at which they were taken. */
export interface ReplayRequest extends CommonRequest {
  readonly parameters: Pick<RangeParameters, 'start' | 'finish' | 'interval' | 'zone' | 'rate' | 'units'>;
  /** The speed relative to the recording; Infinity: as fast as the client reads. */
  readonly speed: number;
}

/** Limits of all streams together unless stated otherwise. Times in milliseconds. */
export interface StreamLimits {
  readonly maxSubscribers: number;
  /** Memory of the replay buffers, for clients that reconnect. */
  readonly historyBytes: number;
  /** How long events are kept, and sampling continues without subscribers. */
  readonly lingerMs: number;
  readonly minIntervalMs: number;
  /** The silence after which a comment shows that the stream is alive. */
  readonly heartbeatMs: number;
  /** Unread bytes of a client before it is disconnected. */
  readonly bufferBytes: number;
}

/** The longest interval: timers do not support much longer ones. */
export const MAX_INTERVAL_MS = 86_400_000;
