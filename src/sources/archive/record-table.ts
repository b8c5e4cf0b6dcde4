import { PM_ERR, PmError } from '../../pmapi/index.js';
import type { Timestamp } from '../../pmapi/index.js';
import { BLOCK_BYTES } from './block-cache.js';
import type { Block } from './block-cache.js';
import type { BlockFile } from './block-file.js';
import { footprint } from './footprint.js';
import { STAMP_BYTES, readStamp } from './stamp.js';
import type { ArchiveVersion } from './stamp.js';

/** Which value sets a record has and where. Records that agree in all of it share one layout. */
export interface RecordLayout {
  readonly pmids: Uint32Array;
  /** Bytes from the record's beginning to each value set. */
  readonly offsets: Uint32Array;
  /** Each set's number of values, or its error code. */
  readonly counts: Int32Array;
}

/** The records of a piece of a volume: where each lies, when it was taken, and which value sets it has. */
export interface RecordTable {
  readonly count: number;
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
  readonly secs: Float64Array;
  readonly nsecs: Int32Array;
  readonly layouts: readonly RecordLayout[];
  /** The index of each record's layout. A layout without sets is that of a mark record. */
  readonly layoutOf: Uint32Array;
  /** Where the last intact record ends. */
  readonly consumed: number;
  /** Why reading stopped before the end of the piece, when it did. */
  readonly damage: PmError | undefined;
  /** What the table costs in memory, in bytes. */
  readonly bytes: number;
}

/** Bytes from a record's beginning to its first value set: length, stamp, number of sets. */
export const RECORD_HEADER_BYTES: Readonly<Record<ArchiveVersion, number>> = { 2: 16, 3: 20 };

/** What a table takes in memory without its typed arrays. */
const TABLE_BYTES = 400;
const SET_HEADER_BYTES = 8;
/** How many blocks a reader has read before it comes to them. */
const BLOCKS_AHEAD = 2;

/** The stamp of a record of the table. */
export function recordStamp(table: RecordTable, record: number): Timestamp {
  return { sec: table.secs[record]!, nsec: table.nsecs[record]! };
}

/** Negative, zero or positive as a record was taken before, at or after a moment. */
export function compareRecord(table: RecordTable, record: number, moment: Timestamp): number {
  return table.secs[record]! - moment.sec || table.nsecs[record]! - moment.nsec;
}

/** How many records of the table, which are in order of time, were taken before a moment, or at it too. */
export function countBefore(table: RecordTable, moment: Timestamp, includingEqual: boolean): number {
  let low = 0;
  let high = table.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareRecord(table, middle, moment);
    if (order < 0 || (includingEqual && order === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A table of one mark record that no file holds: the gap between two archives. */
export function markTable(stamp: Timestamp): RecordTable {
  return {
    count: 1,
    offsets: new Float64Array(1),
    lengths: new Uint32Array(1),
    secs: Float64Array.of(stamp.sec),
    nsecs: Int32Array.of(stamp.nsec),
    layouts: [{ pmids: new Uint32Array(0), offsets: new Uint32Array(0), counts: new Int32Array(0) }],
    layoutOf: new Uint32Array(1),
    consumed: 0,
    damage: undefined,
    bytes: TABLE_BYTES,
  };
}

/** What {@link scanRecords} needs to know. */
export interface RecordScan {
  readonly file: BlockFile;
  readonly version: ArchiveVersion;
  readonly start: number;
  /** Where the next piece, or the file, ends. */
  readonly end: number;
  /** Stop at the first record that begins this many bytes from the start or later. */
  readonly softBytes: number;
  readonly maxRecordBytes: number;
  /** Whether the piece behind this one will be scanned next, as far as one can tell. */
  readonly goesOn: boolean;
}

/**
 * Read a piece of a volume record by record and note what is where. Whatever does not hold together ends the table, with
 * `damage` saying what and where; fewer than four bytes at the end of the file are a clean end.
 */
export async function scanRecords(scan: RecordScan): Promise<RecordTable> {
  const builder = new TableBuilder(scan.version);
  const { file } = scan;
  let offset = scan.start;
  let problem: string | undefined;
  let block: Block | undefined;
  try {
    while (offset < scan.end && offset - scan.start < scan.softBytes) {
      const left = scan.end - offset;
      if (left < 4) break;
      if (!block?.covers(offset, 1)) {
        block?.release();
        block = undefined;
        block = await file.hold(offset);
        readAhead(scan, offset);
      }
      const inBlock = block.covers(offset, 4);
      const length = inBlock
        ? block.view.getUint32(offset - block.start)
        : (await file.read(offset, 4)).readUInt32BE(0);
      problem = lengthProblem(length, left, scan);
      if (problem !== undefined) break;
      if (inBlock && block.covers(offset, length)) {
        problem = builder.add(block.view, offset - block.start, length, offset);
      } else {
        const { buffer, byteOffset } = await file.read(offset, length);
        problem = builder.add(new DataView(buffer, byteOffset, length), 0, length, offset);
      }
      if (problem !== undefined) break;
      offset += length;
    }
  } finally {
    block?.release();
  }
  const damage =
    problem === undefined ? undefined : new PmError(PM_ERR.LOGREC, `${file.name} at offset ${offset}: ${problem}`);
  return builder.finish(offset, damage);
}

/** Have the blocks behind an offset read while the one at hand is looked at. */
function readAhead({ file, end, softBytes, start, goesOn }: RecordScan, offset: number): void {
  for (let i = 1; i <= BLOCKS_AHEAD; i++) {
    const ahead = (Math.floor(offset / BLOCK_BYTES) + i) * BLOCK_BYTES;
    if (goesOn || ahead < Math.min(end, start + softBytes)) file.readAhead(ahead);
  }
}

function lengthProblem(length: number, left: number, scan: RecordScan): string | undefined {
  const smallest = RECORD_HEADER_BYTES[scan.version] + 4;
  if (length < smallest) return `a record of ${length} bytes, the smallest has ${smallest}`;
  if (length > scan.maxRecordBytes) return `a record of ${length} bytes, more than ${scan.maxRecordBytes}`;
  return length > left ? `a record of ${length} bytes, ${left} are left` : undefined;
}

/** Whether a record, as long as another one of that layout, has it too. */
function hasLayout(view: DataView, start: number, count: number, layout: RecordLayout): boolean {
  const { pmids, offsets, counts } = layout;
  if (pmids.length !== count) return false;
  for (let i = 0; i < count; i++) {
    const at = start + offsets[i]!;
    if (view.getUint32(at) !== pmids[i] || view.getInt32(at + 4) !== counts[i]) return false;
  }
  return true;
}

class TableBuilder {
  readonly #version: ArchiveVersion;
  readonly #offsets: number[] = [];
  readonly #lengths: number[] = [];
  readonly #secs: number[] = [];
  readonly #nsecs: number[] = [];
  readonly #layoutOf: number[] = [];
  readonly #layouts: RecordLayout[] = [];
  readonly #byHash = new Map<number, number[]>();
  /** By the bytes of a record, the layout of the last one of that size: the next one's, as a rule. */
  readonly #byLength = new Map<number, number>();
  #pmids = new Uint32Array(64);
  #setOffsets = new Uint32Array(64);
  #counts = new Int32Array(64);

  constructor(version: ArchiveVersion) {
    this.#version = version;
  }

  /** Take one whole record, `start` bytes into the view and `offset` bytes into the file; the answer is what is wrong with it, if anything. */
  add(view: DataView, start: number, length: number, offset: number): string | undefined {
    const trailer = view.getUint32(start + length - 4);
    if (trailer !== length) return `lengths ${length} and ${trailer} at both ends of a record differ`;
    const stamp = readStamp(view, start + 4, this.#version);
    const count = view.getInt32(start + 4 + STAMP_BYTES[this.#version]);
    const sets = RECORD_HEADER_BYTES[this.#version];
    if (count < 0 || count * SET_HEADER_BYTES > length - 4 - sets) return `${count} value sets in ${length} bytes`;
    let layout = this.#byLength.get(length);
    if (layout === undefined || !hasLayout(view, start, count, this.#layouts[layout]!)) {
      const hash = this.#walk(view, start, sets, count, length - 4);
      if (hash === undefined) return `value sets run beyond the record's ${length} bytes`;
      layout = this.#intern(hash, count);
      this.#byLength.set(length, layout);
    }
    this.#offsets.push(offset);
    this.#lengths.push(length);
    this.#secs.push(stamp.sec);
    this.#nsecs.push(stamp.nsec);
    this.#layoutOf.push(layout);
    return undefined;
  }

  finish(consumed: number, damage: PmError | undefined): RecordTable {
    const offsets = Float64Array.from(this.#offsets);
    const lengths = Uint32Array.from(this.#lengths);
    const secs = Float64Array.from(this.#secs);
    const nsecs = Int32Array.from(this.#nsecs);
    const layoutOf = Uint32Array.from(this.#layoutOf);
    let bytes = TABLE_BYTES + footprint(offsets, lengths, secs, nsecs, layoutOf);
    for (const layout of this.#layouts) bytes += footprint(layout.pmids, layout.offsets, layout.counts);
    const count = offsets.length;
    return { count, offsets, lengths, secs, nsecs, layouts: this.#layouts, layoutOf, consumed, damage, bytes };
  }

  /** Note the sets of a record in the scratch arrays; undefined when they run beyond `end`. */
  #walk(view: DataView, start: number, sets: number, count: number, end: number): number | undefined {
    if (this.#pmids.length < count) {
      this.#pmids = new Uint32Array(count * 2);
      this.#setOffsets = new Uint32Array(count * 2);
      this.#counts = new Int32Array(count * 2);
    }
    let at = sets;
    let hash = count;
    for (let i = 0; i < count; i++) {
      if (at + SET_HEADER_BYTES > end) return undefined;
      const pmid = view.getUint32(start + at);
      const values = view.getInt32(start + at + 4);
      this.#pmids[i] = pmid;
      this.#setOffsets[i] = at;
      this.#counts[i] = values;
      hash = (Math.imul(hash, 31) + pmid) | 0;
      hash = (Math.imul(hash, 31) + values) | 0;
      at += values > 0 ? 12 + 8 * values : SET_HEADER_BYTES;
      if (at > end) return undefined;
    }
    return hash;
  }

  #intern(hash: number, count: number): number {
    const candidates = this.#byHash.get(hash);
    const known = candidates?.find((i) => this.#isSame(this.#layouts[i]!, count));
    if (known !== undefined) return known;
    const index = this.#layouts.length;
    this.#layouts.push({
      pmids: this.#pmids.slice(0, count),
      offsets: this.#setOffsets.slice(0, count),
      counts: this.#counts.slice(0, count),
    });
    if (candidates) candidates.push(index);
    else this.#byHash.set(hash, [index]);
    return index;
  }

  #isSame(layout: RecordLayout, count: number): boolean {
    if (layout.pmids.length !== count) return false;
    for (let i = 0; i < count; i++) {
      if (layout.pmids[i] !== this.#pmids[i] || layout.counts[i] !== this.#counts[i]) return false;
    }
    return true;
  }
}
