export { Recorder } from './recorder.js';
export type { RecorderOptions } from './recorder.js';
