import { lowerBound } from '../../../kit/index.js';
import type { Timestamp } from '../../../pmapi/index.js';
import { recordStamp, type RecordTable, type UnreadTail } from './record-table.js';

/** Facts about a segment that outlive its record table. */
export interface SegmentSummary {
  /** Its records, with what stands in for damaged ones. */
  readonly count: number;
  readonly intact: number;
  /** The first and the last intact record; where there is none, what stands in for it. */
  readonly first: Timestamp;
  readonly last: Timestamp;
  readonly pmids: Uint32Array;
  /** The numbers of its mark records and of damaged ones, ascending. */
  readonly marks: Uint32Array;
  readonly markStamps: readonly Timestamp[];
  /** The numbers of what stands in for damaged records, ascending. */
  readonly damages: Uint32Array;
  readonly tail: UnreadTail | undefined;
}

/** Reads segments: a volume, or the gap between two archives. */
export interface SegmentOwner {
  /** The table of a segment, read again if it was dropped. Throws the reason of the signal when it aborts. */
  load(segment: Segment, signal?: AbortSignal): Promise<RecordTable>;
  peek(segment: Segment): RecordTable | undefined;
}

/**
 * A run of consecutive records of one volume, about a mebibyte: the unit in which plans and columns are made, kept and
 * dropped. A segment may grow at its end (a growing archive) and be cut short before it was first read, never otherwise
 * change: record numbers in it stay good.
 */
export class Segment {
  readonly owner: SegmentOwner;
  readonly start: number;
  end: number;
  index: number;
  /** Changes whenever the segment grows: what was made from its table is keyed by it. */
  uid: number;
  /** The temporal index's lower bound of the first record's time, if it has one. */
  readonly hint: Timestamp | undefined;
  summary: SegmentSummary | undefined;

  constructor(owner: SegmentOwner, start: number, end: number, index: number, uid: number, hint?: Timestamp) {
    this.owner = owner;
    this.start = start;
    this.end = end;
    this.index = index;
    this.uid = uid;
    this.hint = hint;
  }

  /** A moment that no record of the segment precedes, as far as is known without reading. */
  get since(): Timestamp | undefined {
    return this.summary && this.summary.intact > 0 ? this.summary.first : this.hint;
  }

  /** Whether a record has the PMID; true until it has been read. */
  mayHold(pmid: number): boolean {
    if (!this.summary) return true;
    const { pmids } = this.summary;
    return pmids[lowerBound(pmids, pmid)] === pmid;
  }
}

export function summarize(table: RecordTable, share: (pmids: Uint32Array) => Uint32Array): SegmentSummary {
  const pmids = new Set<number>();
  for (const layout of table.layouts) for (const pmid of layout.pmids) pmids.add(pmid);
  const marks: number[] = [];
  for (let i = 0; i < table.count; i++) {
    if (table.layouts[table.layoutOf[i]!]!.pmids.length === 0) marks.push(i);
  }
  const intact = table.count - table.damages.size;
  let [first, last] = [0, Math.max(table.count - 1, 0)];
  while (intact > 0 && table.damages.has(first)) first++;
  while (intact > 0 && table.damages.has(last)) last--;
  return {
    count: table.count,
    intact,
    first: { sec: table.secs[first] ?? 0, nsec: table.nsecs[first] ?? 0 },
    last: { sec: table.secs[last] ?? 0, nsec: table.nsecs[last] ?? 0 },
    pmids: share(Uint32Array.from(pmids).sort()),
    marks: Uint32Array.from(marks),
    markStamps: marks.map((i) => recordStamp(table, i)),
    damages: Uint32Array.from(table.damages.keys()).sort(),
    tail: table.tail,
  };
}
