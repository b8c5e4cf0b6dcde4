/** Writes what a context reads into archives. See README.md. */
export { exportArchive } from './export-archive.js';
export { SampleWriter, type WrittenMetrics } from './sample-writer.js';
