export { ArchiveWriter } from './archive-writer.js';
export { fileSystem, type WritableDirectory, type WritableFile } from './append-file.js';
export type { ArchiveLabel } from './encode-metadata.js';
export type { ArchiveSample } from './encode-record.js';
export { labelFor, readReceivedLabel, wholeRecords, type ReceivedKind } from './received-records.js';
