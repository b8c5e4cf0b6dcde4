/** Streams: samples sent to whoever listens, as they are taken, or replayed from an archive. */
export { MAX_INTERVAL_MS, DEFAULT_STREAM_LIMITS } from './stream-limits.js';
export type { StreamLimits } from './stream-limits.js';
export { StreamHub } from './stream-hub.js';
export type { StreamHubOptions, StreamLoad, StreamStatistics } from './stream-hub.js';
export type { LiveStreamRequest, ReplayRequest } from './stream-request.js';
export type { GoneInstances, StreamEnd, StreamFormat, StreamSample } from './stream-format.js';
export type { StreamSink, StreamSubscription } from './stream-sink.js';
export { parseEventId } from './event-id.js';
