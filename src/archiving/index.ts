/** Writes what a context reads into archives. See README.md. */
export { exportArchive } from './export-archive.js';
export { SampleWriter } from './sample-writer.js';
export type { WrittenMetrics } from './sample-writer.js';
