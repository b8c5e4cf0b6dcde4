export { Recorder } from './recorder.js';
export type { RecordedGroup, RecorderOptions } from './recorder.js';
