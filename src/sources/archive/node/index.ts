export { ArchiveCatalogue } from './archive-catalogue.js';
export type { ArchiveSummary, BrokenArchive, LabelledArchive } from './archive-catalogue.js';
export { findArchives, resolveArchivePath, type FoundArchive } from './archive-roots.js';
export { ArchiveStore, type ArchiveMetadata, type LocatedArchives } from './archive-store.js';
export { inflatedChunks } from './decompress.js';
export { Directories, findArchiveFiles } from './open-files.js';
export { openerWithin } from './open-files.js';
