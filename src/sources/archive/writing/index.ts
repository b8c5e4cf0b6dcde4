export { ArchiveWriter } from './archive-writer.js';
export { fileSystem } from './append-file.js';
export type { WritableDirectory, WritableFile } from './append-file.js';
export type { ArchiveLabel } from './encode-metadata.js';
export type { ArchiveSample } from './encode-record.js';
export { labelFor, readReceivedLabel, wholeRecords } from './received-records.js';
export type { ReceivedKind } from './received-records.js';
