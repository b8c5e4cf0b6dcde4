import { LRUCache } from 'lru-cache';
import { BlockCache } from './files/block-cache.js';
import type { SharedWork } from '../shared-work.js';
import type { ArchiveLimits } from './limits.js';
import type { MetricColumn } from './columns/metric-column.js';
import { OpenFiles } from './files/open-files.js';
import type { FileOpener } from './files/regular-file.js';
import type { RecordTable } from './records/record-table.js';

/** Columns that are being read, shared by all callers. */
export type ColumnReading = SharedWork<readonly MetricColumn[]>;

/** What all open archives share in memory: raw blocks, record tables and decoded columns, each within its budget. */
export class ArchiveMemory {
  readonly limits: ArchiveLimits;
  readonly blocks: BlockCache;
  readonly files: OpenFiles;
  /** Record tables, by the uid of their segment. */
  readonly tables: LRUCache<number, RecordTable>;
  /** Columns, by segment and PMID (see {@link columnKey}). */
  readonly columns: LRUCache<string, MetricColumn>;
  /** Readings under way, by the keys of the columns that they will give. */
  readonly loading = new Map<string, ColumnReading>();
  #segments = 0;

  /** @param opener opens the archives' files; the file system by default */
  constructor(limits: ArchiveLimits, opener?: FileOpener) {
    this.limits = limits;
    this.blocks = new BlockCache(limits.blockCacheBytes);
    this.files = new OpenFiles(limits.openFiles, opener);
    this.tables = new LRUCache({
      maxSize: limits.planCacheBytes,
      sizeCalculation: (table) => table.bytes,
    });
    this.columns = new LRUCache({
      maxSize: limits.columnCacheBytes,
      sizeCalculation: (column) => column.bytes,
    });
  }

  /** Forget everything: no archive is open any more. */
  clear(): void {
    this.tables.clear();
    this.columns.clear();
    this.blocks.clear();
  }

  /** A number of its own for each segment. */
  nextSegmentUid(): number {
    return this.#segments++;
  }
}
