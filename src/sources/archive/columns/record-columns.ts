import { MetricType, ValueSet, type FetchResult, type MetricDescriptor, type Timestamp } from '../../../pmapi/index.js';
import type { Batch, BatchColumn, NumberBlock } from '../../batch.js';
import type { InstanceProfile } from '../../profile.js';
import type { Archive } from '../archive.js';
import type { RecordPlace } from '../record-cursor.js';
import { countBefore, type RecordTable } from '../records/record-table.js';
import { loadColumns } from './column-loader.js';
import type { MetricColumn } from './metric-column.js';

/** A batch, and the number in the segment of its last record. */
export interface RecordsBatch {
  readonly batch: Batch;
  readonly last: number;
}

/** An indom in no profile, for metrics that the archive does not describe. */
const NO_PROFILE_INDOM = 0xffffffff;

/** Takes the values of some metrics out of consecutive records; looks columns up once a segment. */
export class RecordColumns {
  readonly #archive: Archive;
  readonly pmids: readonly number[];
  readonly #rows: Int32Array;
  #uid = -1;
  #dataVersion = -1;
  #descriptors: readonly (MetricDescriptor | undefined)[] = [];
  #columns: readonly (MetricColumn | undefined)[] = [];
  #views: readonly ColumnView[] = [];

  constructor(archive: Archive, pmids: readonly number[]) {
    this.#archive = archive;
    this.pmids = pmids;
    this.#rows = new Int32Array(pmids.length);
  }

  async fill(place: RecordPlace, profile: InstanceProfile, into: FetchResult): Promise<void> {
    if (!this.#isReadyFor(place)) await this.#load(place, undefined);
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

  /** The given record and those after it with one of the metrics (all without metrics), up to a mark, a moment or the segment's end. */
  async batch(
    place: RecordPlace,
    profile: InstanceProfile,
    to: Timestamp,
    signal: AbortSignal | undefined,
  ): Promise<RecordsBatch> {
    if (!this.#isReadyFor(place)) await this.#load(place, signal);
    const { segment, table, record } = place;
    const mark = segment.summary?.marks.find((other) => other > record) ?? table.count;
    const end = Math.max(Math.min(mark, countBefore(table, to, true)), record + 1);
    const columns = this.#columns.map((column) => (column && column.records.length > 0 ? column : undefined));
    const { records, secs, nsecs } = recordsOfAny(columns, table, record, end);
    const rows = new Map<Uint32Array | undefined, Rows | undefined>([[undefined, undefined]]);
    this.#views.forEach((view, i) => {
      const held = columns[i]?.records;
      if (!rows.has(held)) rows.set(held, rowsIn(columns[i]!, records));
      view.show(columns[i], rows.get(held), profile);
    });
    const batch = { length: records.length, isMark: false, secs, nsecs, columns: this.#views };
    return { batch, last: records.at(-1)! };
  }

  #isReadyFor({ segment }: RecordPlace): boolean {
    return segment.uid === this.#uid && this.#archive.dataVersion === this.#dataVersion;
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
    this.#views = this.pmids.map((pmid, i) => new ColumnView(pmid, this.#descriptors[i]));
    this.#uid = uid;
    this.#dataVersion = dataVersion;
  }
}

type RecordTimes = Pick<MetricColumn, 'records' | 'secs' | 'nsecs'>;

/** The records in [from, end) that any of some columns has. */
function recordsOfAny(
  columns: readonly (MetricColumn | undefined)[],
  table: RecordTable,
  from: number,
  end: number,
): RecordTimes {
  const first = columns.find((column) => column !== undefined);
  if (first && columns.every((column) => !column || haveSameRecords(column, first))) {
    const [row, endRow] = [first.rowsBefore(from), first.rowsBefore(end)];
    return {
      records: first.records.subarray(row, endRow),
      secs: first.secs.subarray(row, endRow),
      nsecs: first.nsecs.subarray(row, endRow),
    };
  }
  const isHeld = new Uint8Array(end - from).fill(columns.length === 0 ? 1 : 0);
  for (const column of new Map(columns.map((each) => [each?.records, each])).values()) {
    if (!column) continue;
    const endRow = column.rowsBefore(end);
    for (let row = column.rowsBefore(from); row < endRow; row++) isHeld[column.records[row]! - from] = 1;
  }
  const records = new Uint32Array(end - from);
  let length = 0;
  for (let i = 0; i < isHeld.length; i++) if (isHeld[i] === 1) records[length++] = from + i;
  const held = records.subarray(0, length);
  return {
    records: held,
    secs: Float64Array.from(held, (record) => table.secs[record]!),
    nsecs: Int32Array.from(held, (record) => table.nsecs[record]!),
  };
}

/** Whether two columns of a segment have the same records. */
function haveSameRecords(a: MetricColumn, b: MetricColumn): boolean {
  if (a.records === b.records) return true;
  return a.records.length === b.records.length && a.records.every((record, row) => record === b.records[row]);
}

class ColumnView implements BatchColumn {
  readonly #pmid: number;
  readonly #type: MetricType;
  readonly #indom: number;
  readonly #set = new ValueSet();
  #column: MetricColumn | undefined;
  #profile: InstanceProfile | undefined;
  #rows: Rows | undefined;
  #block: NumberBlock | undefined;
  #row = -1;

  constructor(pmid: number, descriptor: MetricDescriptor | undefined) {
    this.#pmid = pmid;
    this.#type = descriptor?.type ?? MetricType.U32;
    this.#indom = descriptor?.indom ?? NO_PROFILE_INDOM;
  }

  /** Shows some rows of a column; undefined if it has none of them. */
  show(column: MetricColumn | undefined, rows: Rows | undefined, profile: InstanceProfile): void {
    this.#row = -1;
    this.#block = undefined;
    this.#profile = profile;
    this.#column = rows && column;
    this.#rows = rows;
  }

  get block(): NumberBlock | undefined {
    if (this.#rows?.places || this.#column?.isRegular !== true) return undefined;
    return (this.#block ??= this.#column.block(this.#rows!.first, this.#indom, this.#profile!));
  }

  holds(row: number): boolean {
    return this.#place(row) >= 0;
  }

  status(row: number): number {
    const place = this.#place(row);
    return place < 0 ? 0 : this.#column!.status(place, this.#indom, this.#profile!);
  }

  at(row: number): ValueSet {
    if (row === this.#row) return this.#set;
    this.#row = row;
    const place = this.#place(row);
    if (place < 0) this.#set.reset(this.#pmid, this.#type);
    else this.#column!.fill(place, this.#indom, this.#profile!, this.#set);
    return this.#set;
  }

  #place(row: number): number {
    const rows = this.#rows;
    if (!rows) return -1;
    return rows.places ? rows.places[row]! : rows.first + row;
  }
}

/** The rows of a batch's records: from a row on, or one by one where the column lacks some (-1). */
interface Rows {
  readonly first: number;
  readonly places: Int32Array | undefined;
}

/** The rows of some records; undefined if the column has none of them. */
function rowsIn(column: MetricColumn, records: Uint32Array): Rows | undefined {
  const first = column.rowsBefore(records[0]!);
  const count = column.rowsBefore(records.at(-1)! + 1) - first;
  if (count === 0) return undefined;
  if (count === records.length) return { first, places: undefined };
  let row = first;
  return { first, places: Int32Array.from(records, (record) => (column.records[row] === record ? row++ : -1)) };
}
