import { compareTimestamps, type Timestamp } from '../../../pmapi/index.js';
import { SharedWorks } from '../../shared-work.js';
import { viewOf } from '../../wire/index.js';
import type { ArchiveMemory } from '../archive-memory.js';
import type { BlockFile } from '../files/block-file.js';
import { LABEL_RECORD_BYTES, type LabelRecord } from '../metadata/label-record.js';
import { readStamp, type ArchiveVersion } from '../metadata/stamped-records.js';
import type { IndexEntry } from '../metadata/temporal-index.js';
import { RECORD_HEADER_BYTES, RecordChecker } from './record-checker.js';
import { LONGEST_PAUSE_SEC, scanRecords, recordStamp, type RecordTable, type UnreadTail } from './record-table.js';
import { lowerBound } from '../../../kit/index.js';

/** Approximate bytes of a segment: more where a record crosses the line, less at ends and index entries. */
export const SEGMENT_BYTES = 1024 * 1024;

/** Bytes read at the end of a volume to find its last record: most records are smaller. */
const TAIL_BYTES = 4096;

/** Maximum number of PMID sets that segments share. */
const MAX_PMID_SETS = 64;

/** A volume, divided into segments that are read when needed: one at first, whose reading takes pieces off its beginning. */
export class Volume implements SegmentOwner {
  readonly file: BlockFile;
  readonly version: ArchiveVersion;
  readonly segments: Segment[] = [];
  readonly readAhead = new ReadAhead();
  readonly #memory: ArchiveMemory;
  readonly #archiveStart: Timestamp;
  readonly #loading = new SharedWorks<Segment, RecordTable>();
  readonly #pmidSets: Uint32Array[] = [];
  /** The place of the segment that was scanned last. */
  #lastScanned = -2;
  /** Untried index entries, in file order. */
  #hints: readonly IndexEntry[];

  /** @param hints entries of this volume, in file order, a segment or more apart; not trusted */
  constructor(
    file: BlockFile,
    { version, start: archiveStart }: Pick<LabelRecord, 'version' | 'start'>,
    hints: readonly IndexEntry[],
    memory: ArchiveMemory,
  ) {
    this.file = file;
    this.version = version;
    this.#archiveStart = archiveStart;
    this.#memory = memory;
    const start = Math.min(LABEL_RECORD_BYTES[version], file.size);
    let end = start;
    this.#hints = hints.filter(({ dataOffset }) => {
      const isAhead = dataOffset > end && dataOffset < file.size;
      if (isAhead) end = dataOffset;
      return isAhead;
    });
    if (start < file.size) this.#append(start, file.size, hints.find((entry) => entry.dataOffset === start)?.stamp);
  }

  /** Makes a segment begin at the last index entry before a moment, so that nothing before it is read. */
  async divideBefore(isBefore: (stamp: Timestamp) => boolean): Promise<void> {
    for (;;) {
      const entry = this.#hints.findLast(({ stamp }) => isBefore(stamp));
      if (!entry || (await this.#divideAt(entry))) return;
    }
  }

  /** Whether {@link divideEnd} would try to. */
  isDivisible(segment: Segment): boolean {
    return segment.summary === undefined && this.#lastHintIn(segment) !== undefined;
  }

  /** Starts another segment near the end of an unread one, if the index allows it. Returns the one that then ends where this one did. */
  async divideEnd(segment: Segment): Promise<Segment> {
    const { end } = segment;
    for (;;) {
      const entry = segment.end === end && !segment.summary ? this.#lastHintIn(segment) : undefined;
      if (!entry) return this.#segmentOf(end - 1) ?? segment;
      await this.#divideAt(entry);
    }
  }

  peek(segment: Segment): RecordTable | undefined {
    return segment.summary && this.#memory.tables.get(segment.uid);
  }

  load(segment: Segment, signal?: AbortSignal): Promise<RecordTable> {
    const table = this.peek(segment);
    if (table) return Promise.resolve(table);
    return this.#loading.join(segment, (stop) => this.#read(segment, stop), signal);
  }

  async refresh(): Promise<boolean> {
    const before = this.file.size;
    await this.file.refresh();
    if (this.file.size <= before) return false;
    let last = this.segments.at(-1);
    for (let loading = last && this.#loading.get(last); loading; loading = last && this.#loading.get(last)) {
      await loading.result.catch(() => undefined);
      last = this.segments.at(-1);
    }
    const begin = Math.min(LABEL_RECORD_BYTES[this.version], this.file.size);
    if (!last) {
      if (begin < this.file.size) this.#append(begin, this.file.size, undefined);
      return true;
    }
    last.end = this.file.size;
    last.uid = this.#memory.nextSegmentUid();
    last.summary = undefined;
    return true;
  }

  /** The stamp of the file's last record, from that record alone; undefined if it is not intact, or only earlier ones can tell. */
  async lastStamp(): Promise<Timestamp | undefined> {
    const { file, version } = this;
    const begin = LABEL_RECORD_BYTES[version];
    const checker = new RecordChecker(version);
    if (file.size < begin + checker.smallest) return undefined;
    const tailBytes = Math.min(file.size - begin, TAIL_BYTES);
    const tail = await file.readExact(file.size - tailBytes, tailBytes);
    const length = viewOf(tail).getUint32(tail.length - 4);
    if (length < checker.smallest || length > file.size - begin) return undefined;
    const isInTail = length <= tail.length;
    const bytes = isInTail
      ? tail.subarray(tail.length - length)
      : await file.readExact(file.size - length, RECORD_HEADER_BYTES[version]);
    const view = viewOf(bytes);
    if (view.getUint32(0) !== length || checker.headProblem(view, 0, length) !== undefined) return undefined;
    const stamp = readStamp(view, 4, version);
    const since = stamp.sec - this.#archiveStart.sec;
    return since >= 0 && since <= LONGEST_PAUSE_SEC ? stamp : undefined;
  }

  async close(): Promise<void> {
    for (const segment of this.segments) this.#memory.tables.delete(segment.uid);
    await this.file.close();
  }

  async #isRecord(offset: number, notBefore: Timestamp): Promise<boolean> {
    const { file, version } = this;
    const header = RECORD_HEADER_BYTES[version];
    if (offset + header + 4 > file.size) return false;
    const head = viewOf(await file.readExact(offset, header));
    const length = head.getUint32(0);
    if (length < header + 4 || offset + length > file.size) return false;
    if (compareTimestamps(readStamp(head, 4, version), notBefore) < 0) return false;
    return viewOf(await file.readExact(offset + length - 4, 4)).getUint32(0) === length;
  }

  #lastHintIn({ start, end }: Segment): IndexEntry | undefined {
    const entry = this.#hints.findLast(({ dataOffset }) => dataOffset < end);
    return entry && entry.dataOffset > start ? entry : undefined;
  }

  /** Divides at an entry that points to a record; returns whether it does. An entry that does not is never tried again. */
  async #divideAt(entry: IndexEntry): Promise<boolean> {
    const { dataOffset, stamp } = entry;
    const known = this.#segmentOf(dataOffset);
    if (known && !isInside(known, dataOffset)) return true;
    if (!(await this.#isRecord(dataOffset, stamp))) {
      this.#hints = this.#hints.filter((other) => other !== entry);
      return false;
    }
    for (let segment = this.#segmentOf(dataOffset); segment; segment = this.#segmentOf(dataOffset)) {
      const loading = this.#loading.get(segment);
      if (!isInside(segment, dataOffset)) break;
      if (!loading) {
        this.#split(segment, dataOffset, stamp);
        break;
      }
      await loading.result.catch(() => undefined);
    }
    return true;
  }

  #segmentOf(offset: number): Segment | undefined {
    return this.segments.findLast(({ start }) => start <= offset);
  }

  #append(start: number, end: number, hint: Timestamp | undefined): void {
    const { segments } = this;
    segments.push(new Segment(this, start, end, segments.length, this.#memory.nextSegmentUid(), hint));
  }

  async #read(segment: Segment, signal: AbortSignal): Promise<RecordTable> {
    const isFirstTime = segment.summary === undefined;
    const previous = this.segments[segment.index - 1]?.summary;
    const table = await scanRecords({
      file: this.file,
      version: this.version,
      start: segment.start,
      end: segment.end,
      isLast: segment.index === this.segments.length - 1,
      softBytes: isFirstTime ? SEGMENT_BYTES : Infinity,
      maxRecordBytes: this.#memory.limits.recordBytes,
      goesOn: segment.index === this.#lastScanned + 1,
      archiveStart: this.#archiveStart,
      before: previous ? previous.last : segment.hint,
      signal,
    });
    this.#lastScanned = segment.index;
    if (isFirstTime) {
      if (!table.tail && table.consumed < segment.end && table.consumed - segment.start >= SEGMENT_BYTES) {
        this.#split(segment, table.consumed, undefined);
      }
      segment.summary = summarize(this.#withInflateDamage(segment, table), (pmids) => this.#share(pmids));
    }
    this.#memory.tables.set(segment.uid, table);
    return table;
  }

  /** A volume whose inflating broke off is damaged behind its last record, even at a record boundary. */
  #withInflateDamage(segment: Segment, table: RecordTable): RecordTable {
    const { damage: error } = this.file;
    if (!error || table.tail || segment.index < this.segments.length - 1) return table;
    return { ...table, tail: { error, isIncomplete: false } };
  }

  #split(segment: Segment, at: number, hint: Timestamp | undefined): void {
    const rest = new Segment(this, at, segment.end, segment.index + 1, this.#memory.nextSegmentUid(), hint);
    segment.end = at;
    this.segments.splice(rest.index, 0, rest);
    for (let i = rest.index + 1; i < this.segments.length; i++) this.segments[i]!.index = i;
  }

  /** The PMIDs of a segment: most hold the same as others. */
  #share(pmids: Uint32Array): Uint32Array {
    const known = this.#pmidSets.find(
      (set) => set.length === pmids.length && set.every((pmid, i) => pmid === pmids[i]),
    );
    if (known) return known;
    if (this.#pmidSets.length < MAX_PMID_SETS) this.#pmidSets.push(pmids);
    return pmids;
  }
}

function isInside({ start, end, summary }: Segment, offset: number): boolean {
  return summary === undefined && offset > start && offset < end;
}

/** Segments that a metric's reader may be behind another and still count as going along. */
const REACH_SEGMENTS = 8;
const MAX_PMIDS = 64;
const MAX_READ_AHEAD = 32;

/** Metrics that several readers (the panels of a dashboard) read at about the same place: the first to come to a segment reads all. */
export class ReadAhead {
  readonly #missedAt = new Map<number, number>();

  /** Notes that columns are missing in a segment; returns which others to read there. */
  at(segment: number, pmids: readonly number[]): readonly number[] {
    const others: number[] = [];
    for (const [pmid, missed] of this.#missedAt) {
      const isNear = segment >= missed && segment - missed <= REACH_SEGMENTS;
      if (isNear && others.length < MAX_READ_AHEAD && !pmids.includes(pmid)) others.push(pmid);
    }
    for (const pmid of pmids) {
      this.#missedAt.delete(pmid);
      this.#missedAt.set(pmid, segment);
    }
    for (const pmid of this.#missedAt.keys()) {
      if (this.#missedAt.size <= MAX_PMIDS) break;
      this.#missedAt.delete(pmid);
    }
    return others;
  }
}

/** Facts about a segment that outlive its record table. */
interface SegmentSummary {
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
