export { ArchiveMemory, DEFAULT_ARCHIVE_LIMITS, type ArchiveLimits } from './archive-memory.js';
export { ArchiveSource } from './archive-source.js';
export { Archive } from './archive.js';
export { archiveOfFile, type Compression } from './files/archive-files.js';
export type { ByteFile } from './files/byte-file.js';
export { blobFile, GivenFiles } from './files/given-files.js';
export type { LabelRecord } from './metadata/label-record.js';
export { contradiction } from './metadata/metadata.js';
