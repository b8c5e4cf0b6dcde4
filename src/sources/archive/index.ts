export { ArchiveMemory, DEFAULT_ARCHIVE_LIMITS, type ArchiveLimits } from './archive-memory.js';
export { ArchiveSource } from './archive-source.js';
export { Archive } from './archive.js';
export { archiveOfFile, collectFiles, ENOENT, ESTALE, filesOf, lastPart, takePiece } from './files/archive-files.js';
export type { ArchiveFile, ArchiveFiles, Compression, Pieces } from './files/archive-files.js';
export type { ByteFile, FileSystem } from './files/byte-file.js';
export { inflateXz, inflateZstd } from './files/decoder-guards.js';
export type { LabelRecord } from './metadata/label-record.js';
export { contradiction } from './metadata/metadata.js';
