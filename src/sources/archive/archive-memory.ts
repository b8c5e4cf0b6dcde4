import { LRUCache } from 'lru-cache';
import type { SharedWork } from '../shared-work.js';
import type { MetricColumn } from './columns/metric-column.js';
import { BlockCache } from './files/block-cache.js';
import type { RecordTable } from './records/record-table.js';

/** Columns that are being read, shared by all callers. */
export type ColumnReading = SharedWork<readonly MetricColumn[]>;

export class ArchiveMemory {
  readonly limits: ArchiveLimits;
  readonly blocks: BlockCache;
  /** Record tables, by the uid of their segment. */
  readonly tables: LRUCache<number, RecordTable>;
  /** Columns, by segment and PMID (see {@link columnKey}). */
  readonly columns: LRUCache<string, MetricColumn>;
  /** Reads in progress, by the keys of the columns that they will return. */
  readonly loading = new Map<string, ColumnReading>();
  #segments = 0;

  constructor(limits: ArchiveLimits) {
    this.limits = limits;
    this.blocks = new BlockCache(limits.blockCacheBytes);
    this.tables = new LRUCache({
      maxSize: limits.planCacheBytes,
      sizeCalculation: (table) => table.bytes,
    });
    this.columns = new LRUCache({
      maxSize: limits.columnCacheBytes,
      sizeCalculation: (column) => column.bytes,
    });
  }

  clear(): void {
    this.tables.clear();
    this.columns.clear();
    this.blocks.clear();
  }

  nextSegmentUid(): number {
    return this.#segments++;
  }
}
/** Bounds, not reservations, of all opened archives. */
export interface ArchiveLimits {
  /** Bytes that one compressed file may inflate to. */
  readonly inflatedFileBytes: number;
  /** Bytes of all inflated copies on disk together. */
  readonly inflatedTotalBytes: number;
  /** Compressed files that are inflated at a time: each keeps a file descriptor. */
  readonly inflatedFiles: number;
  /** Bytes of one record of a volume or of the metadata. */
  readonly recordBytes: number;
  readonly metadataBytes: number;
  readonly indexBytes: number;
  /** Raw bytes of files that are kept in memory. */
  readonly blockCacheBytes: number;
  readonly planCacheBytes: number;
  readonly columnCacheBytes: number;
  readonly openFiles: number;
  readonly members: number;
  /** Archives in use at once, each of a multi-archive context: each has its metadata in memory. */
  readonly archivesInUse: number;
  /** Unused archives that stay open: each has its metadata in memory. */
  readonly idleArchives: number;
  readonly idleMs: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_ARCHIVE_LIMITS: ArchiveLimits = Object.freeze({
  inflatedFileBytes: 4096 * MIB,
  inflatedTotalBytes: 16384 * MIB,
  inflatedFiles: 1000,
  recordBytes: 64 * MIB,
  metadataBytes: 1024 * MIB,
  indexBytes: 64 * MIB,
  blockCacheBytes: 8 * MIB,
  planCacheBytes: 16 * MIB,
  columnCacheBytes: 64 * MIB,
  openFiles: 256,
  members: 1000,
  archivesInUse: 1000,
  idleArchives: 16,
  idleMs: 60_000,
});
