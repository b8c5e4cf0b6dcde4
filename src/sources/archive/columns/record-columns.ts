import { MetricType } from '../../../pmapi/index.js';
import type { FetchResult, MetricDescriptor, Timestamp } from '../../../pmapi/index.js';
import type { InstanceProfile } from '../../profile.js';
import type { RecordBlock } from '../../record-run.js';
import type { Archive } from '../archive.js';
import { loadColumns } from './column-loader.js';
import type { MetricColumn } from './metric-column.js';
import type { RecordPlace } from '../record-cursor.js';

/** A block, and the number in the segment of its last record. */
export interface ColumnsBlock {
  readonly block: RecordBlock;
  readonly last: number;
}

/** The indom that no profile speaks of, for metrics that the archive does not describe. */
const NO_PROFILE_INDOM = 0xffffffff;

/**
 * Takes the values of some metrics out of records that come one after the other: the columns of the segment at hand are looked
 * up once, not once a record.
 */
export class RecordColumns {
  readonly #archive: Archive;
  readonly pmids: readonly number[];
  readonly #rows: Int32Array;
  #uid = -1;
  #dataVersion = -1;
  #descriptors: readonly (MetricDescriptor | undefined)[] = [];
  #columns: readonly (MetricColumn | undefined)[] = [];

  constructor(archive: Archive, pmids: readonly number[]) {
    this.#archive = archive;
    this.pmids = pmids;
    this.#rows = new Int32Array(pmids.length);
  }

  /** The values of a record that is not a mark; what there is to wait for, if anything. */
  fill(
    place: RecordPlace,
    profile: InstanceProfile,
    into: FetchResult,
    signal?: AbortSignal,
  ): Promise<void> | undefined {
    if (this.isReadyFor(place)) {
      this.#copy(place, profile, into);
      return undefined;
    }
    return this.#load(place, signal).then(() => {
      this.#copy(place, profile, into);
    });
  }

  /** Whether {@link fill} has nothing to wait for at a record. */
  isReadyFor({ segment }: RecordPlace): boolean {
    return segment.uid === this.#uid && this.#archive.dataVersion === this.#dataVersion;
  }

  /** Whether the record that was filled in last holds metric `i`, be it with no values or an error. */
  holds(i: number): boolean {
    return this.#rows[i]! >= 0;
  }

  /**
   * The record at hand and those behind it, up to a mark, a moment or the segment's end, as a block; and the last of them. None
   * where the metrics are not in the same records, with the same instances in each.
   */
  block(place: RecordPlace, profile: InstanceProfile, to: Timestamp): ColumnsBlock | undefined {
    if (place.isMark || !this.isReadyFor(place)) return undefined;
    const columns = this.#columns.map((column) => (column && column.records.length > 0 ? column : undefined));
    const rows = columns.find((column) => column !== undefined);
    if (!rows || !columns.every((column) => !column || (column.isRegular && haveSameRecords(column, rows))))
      return undefined;
    const first = rows.rowOf(place.record);
    if (first < 0) return undefined;
    const mark = place.segment.summary?.marks.find((record) => record > place.record);
    const end = endOfRows(rows, first, mark === undefined ? rows.records.length : rows.rowsBefore(mark), to);
    if (end === first) return undefined;
    const block = {
      length: end - first,
      secs: rows.secs.subarray(first, end),
      nsecs: rows.nsecs.subarray(first, end),
      columns: columns.map((column, i) =>
        column?.block(first, this.#descriptors[i]?.indom ?? NO_PROFILE_INDOM, profile),
      ),
    };
    return { block, last: rows.records[end - 1]! };
  }

  async #load({ segment }: RecordPlace, signal: AbortSignal | undefined): Promise<void> {
    const { metadata, memory, dataVersion } = this.#archive;
    const { uid } = segment;
    const held = this.pmids.filter((pmid) => segment.mayHold(pmid));
    const columns = await loadColumns(memory, segment, held, {
      typeOf: (pmid) => metadata.descriptor(pmid)?.type,
      signal,
    });
    let next = 0;
    this.#columns = this.pmids.map((pmid) => (pmid === held[next] ? columns[next++] : undefined));
    this.#descriptors = this.pmids.map((pmid) => metadata.descriptor(pmid));
    this.#uid = uid;
    this.#dataVersion = dataVersion;
  }

  #copy(place: RecordPlace, profile: InstanceProfile, into: FetchResult): void {
    into.timestamp = place.stamp;
    into.resize(this.pmids.length);
    for (let i = 0; i < this.pmids.length; i++) {
      const pmid = this.pmids[i]!;
      const descriptor = this.#descriptors[i];
      const column = this.#columns[i];
      const row = column ? column.rowOf(place.record, this.#rows[i]! + 1) : -1;
      this.#rows[i] = row;
      if (!column || row < 0) into.sets[i]!.reset(pmid, descriptor?.type ?? MetricType.U32);
      else column.fill(row, descriptor?.indom ?? NO_PROFILE_INDOM, profile, into.sets[i]!);
    }
  }
}

/** Whether two columns of a segment have values of the same records. */
function haveSameRecords(a: MetricColumn, b: MetricColumn): boolean {
  if (a.records === b.records) return true;
  return a.records.length === b.records.length && a.records.every((record, row) => record === b.records[row]);
}

/** Where the rows end that were recorded one after the other until a moment. */
function endOfRows({ secs, nsecs }: MetricColumn, first: number, end: number, to: Timestamp): number {
  for (let row = first; row < end; row++) {
    if ((secs[row]! - to.sec || nsecs[row]! - to.nsec) > 0) return row;
  }
  return end;
}
