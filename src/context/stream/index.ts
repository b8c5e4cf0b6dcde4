/** Streams: samples sent to clients as they are taken, or replayed from an archive. */
export type { StreamLimits, LiveStreamRequest } from './stream-output.js';
export type { RelayedEvent, RelayRequest } from './stream-relay.js';
export { StreamHub, type StreamLoad } from './stream-hub.js';
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
