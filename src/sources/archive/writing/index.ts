export { ArchiveWriter } from './archive-writer.js';
export { fileSystem, type WritableDirectory, type WritableFile } from './archive-writer.js';
export type { ArchiveLabel } from './encode-metadata.js';
export type { ArchiveSample } from './encode-metadata.js';
export { labelFor, readReceivedLabel, wholeRecords, type ReceivedKind } from './received-records.js';
