import type { FetchResult, Timestamp } from '../../pmapi/index.js';
import type { Context } from '../context.js';
import type { FetchPlan, MetricSelector } from '../plans/fetch-plan.js';
import type { RangeParameters } from '../range/index.js';
import type { Selection } from '../selection/index.js';
import type { StreamFormat } from './stream-output.js';

/** What streams of live sources and of archives are asked by alike. */
interface CommonRequest {
  readonly context: Context;
  readonly selector: MetricSelector;
  /** The plan of the selector, made just now. */
  readonly plan: FetchPlan;
  readonly selection: Selection | undefined;
  readonly format: StreamFormat;
  /** Whether only values that changed are sent. */
  readonly changed: boolean;
  /** The id of the last event that the client got, for one that comes back. */
  readonly lastEventId: Timestamp | undefined;
}

/** Samples of a live source at an interval. */
export interface LiveStreamRequest extends CommonRequest {
  readonly intervalMs: number;
  /** Throws for a sample that is too large to be sent: clients are told so in its place. */
  readonly check?: ((result: FetchResult) => void) | undefined;
  /** Ask the same of the context that has taken the place of this one; absent where none can. */
  readonly again?: (() => Promise<LiveStreamRequest>) | undefined;
}

/** The samples of an archive, at the pace at which they were taken. */
export interface ReplayRequest extends CommonRequest {
  readonly parameters: Pick<RangeParameters, 'start' | 'finish' | 'interval' | 'zone' | 'rate' | 'units'>;
  /** How many times as fast as they were taken; Infinity: as fast as the client takes them. */
  readonly speed: number;
}

/** What streams may cost, all of them together unless it says otherwise. Times in milliseconds. */
export interface StreamLimits {
  /** Clients that may listen at once. */
  readonly maxSubscribers: number;
  /** Memory for the texts that were sent recently, for clients that come back. */
  readonly historyBytes: number;
  /** How long a text is kept, and how long sampling goes on after the last listener left. */
  readonly lingerMs: number;
  /** The shortest interval. */
  readonly minIntervalMs: number;
  /** After how much silence, about, a comment shows that the stream is alive. */
  readonly heartbeatMs: number;
  /** What one client may leave untaken before its stream is ended. */
  readonly bufferBytes: number;
}

/** The limits that hold where nothing is said. */
export const DEFAULT_STREAM_LIMITS: StreamLimits = Object.freeze({
  maxSubscribers: 2000,
  historyBytes: 32 * 1024 * 1024,
  lingerMs: 30_000,
  minIntervalMs: 100,
  heartbeatMs: 15_000,
  bufferBytes: 256 * 1024,
});

/** The longest interval: timers do not count much further. */
export const MAX_INTERVAL_MS = 86_400_000;
