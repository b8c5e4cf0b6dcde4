export { ArchiveStore } from './archive-store.js';
export type { ArchiveStoreOptions } from './archive-store.js';
export { ArchiveSource } from './archive-source.js';
export type { LabelRecord } from './label-record.js';
export { DEFAULT_ARCHIVE_LIMITS } from './limits.js';
export type { ArchiveLimits } from './limits.js';
export { listArchives, resolveArchivePath } from './archive-roots.js';
export { openerWithin } from './regular-file.js';
export type { ArchiveListing, BrokenArchive } from './archive-roots.js';
