export { exportArchive } from '../../archiving/export-archive.js';
export { Recorder } from './recorder.js';
export type { RecordedGroup, RecorderOptions } from './recorder.js';
