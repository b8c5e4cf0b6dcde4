export type { StreamSink, StreamSubscription } from './stream-sink.js';
