export { ArchiveWriter, fileSystem, type WritableDirectory, type WritableFile } from './archive-writer.js';
export type { ArchiveLabel, ArchiveSample } from './encode-metadata.js';
export { labelFor, readReceivedLabel, wholeRecords, type ReceivedKind } from './received-records.js';
