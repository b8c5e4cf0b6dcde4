import type { FetchResult, Timestamp } from '../../pmapi/index.js';
import type { Context } from '../context.js';
import type { FetchPlan, MetricSelector } from '../plans/fetch-plan.js';
import type { RangeParameters } from '../range/index.js';
import type { RecordedSource } from '../../sources/index.js';
import type { Selection } from '../selection/index.js';
import type { StreamFormat } from './stream-output.js';

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
  /** The recorded past of a live source, in place of remembered samples, with its numbering. */
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
