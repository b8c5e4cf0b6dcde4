/** Streams: samples sent to clients as they are taken, or replayed from an archive. */
export { MAX_INTERVAL_MS, DEFAULT_STREAM_LIMITS } from './stream-request.js';
export type { StreamLimits, LiveStreamRequest, ReplayRequest } from './stream-request.js';
export { StreamHub } from './stream-hub.js';
export type { StreamHubOptions, StreamLoad, StreamStatistics } from './stream-hub.js';
export type {
  GoneInstances,
  StreamEnd,
  StreamFormat,
  StreamSample,
  StreamSink,
  StreamSubscription,
} from './stream-output.js';
export { Ticker } from './ticker.js';
export { parseEventId } from './stream-output.js';
