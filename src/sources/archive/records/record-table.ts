import { addTo, bisect, eventLoopTurns } from '../../../kit/index.js';
import { justAfter, PM_ERR, PmError, type Timestamp } from '../../../pmapi/index.js';
import { viewOf } from '../../wire/index.js';
import { BLOCK_BYTES, type Block } from '../files/block-cache.js';
import type { BlockFile } from '../files/block-file.js';
import { RECORD_HEADER_BYTES, RecordChecker } from './record-checker.js';
import { stampNanoseconds, stampSeconds, readStamp, type ArchiveVersion } from '../metadata/stamped-records.js';

/** The value sets of a record and their places. Records that agree in all of it share one layout. */
export interface RecordLayout {
  readonly pmids: Uint32Array;
  /** Bytes from the record's beginning to each value set. */
  readonly offsets: Uint32Array;
  /** Each set's number of values, or its error code. */
  readonly counts: Int32Array;
  /** Offset in the record of the first pointer to a value block, and its value; both 0 for none. */
  readonly pointerAt: number;
  readonly pointer: number;
}

const NO_SETS = {
  pmids: new Uint32Array(0),
  offsets: new Uint32Array(0),
  counts: new Int32Array(0),
  pointerAt: 0,
  pointer: 0,
};

/** The layout of bytes that are no intact record: a mark, but its own layout, so that readers who skip marks still notice damage. */
export const DAMAGE_LAYOUT: RecordLayout = { ...NO_SETS };

/** Why a file could not be read to its end. */
export interface UnreadTail {
  readonly error: PmError;
  /** It may be a record that is still being written: all that is there of it is valid. */
  readonly isIncomplete: boolean;
}

/** The records of a piece of a volume: where each lies, when it was taken, and which value sets it has. */
export interface RecordTable {
  readonly count: number;
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
  readonly secs: Float64Array;
  readonly nsecs: Int32Array;
  readonly layouts: readonly RecordLayout[];
  /** The index of each record's layout. A layout without sets is that of a mark record, or of damage. */
  readonly layoutOf: Uint32Array;
  readonly consumed: number;
  /** Problems by the number of the record in place of damaged bytes, whose layout is {@link DAMAGE_LAYOUT}. */
  readonly damages: ReadonlyMap<number, string>;
  /** Why reading stopped before the end of the file; no intact record follows. */
  readonly tail: UnreadTail | undefined;
  readonly bytes: number;
}

const TABLE_BYTES = 400;
const DAMAGE_BYTES = 200;
/** A single record further than this from both its neighbours, which are in order, has a damaged time stamp. */
const OUT_OF_LINE_SEC = 60;
/** The last record of a file has no later neighbour: after a pause this long, or as far back, the next one has to confirm it. */
export const LONGEST_PAUSE_SEC = 366 * 86_400;
const OUT_OF_LINE = 'a time stamp far from those of the records beside it';
/** Blocks that a reader prefetches. */
const BLOCKS_AHEAD = 2;

export function recordStamp(table: RecordTable, record: number): Timestamp {
  return { sec: table.secs[record]!, nsec: table.nsecs[record]! };
}

/** Negative, zero or positive for a record before, at or after a moment. */
export function compareRecord(table: RecordTable, record: number, moment: Timestamp): number {
  return table.secs[record]! - moment.sec || table.nsecs[record]! - moment.nsec;
}

/** How many records of the table were taken before a moment, or at it too; they are in order of time. */
export function countBefore(table: RecordTable, moment: Timestamp, includingEqual: boolean): number {
  const end = includingEqual ? 1 : 0;
  return bisect(0, table.count, (record) => compareRecord(table, record, moment) >= end);
}

/** A table of one mark record that no file holds: the gap between two archives. */
export function markTable(stamp: Timestamp): RecordTable {
  return {
    count: 1,
    offsets: new Float64Array(1),
    lengths: new Uint32Array(1),
    secs: Float64Array.of(stamp.sec),
    nsecs: Int32Array.of(stamp.nsec),
    layouts: [NO_SETS],
    layoutOf: new Uint32Array(1),
    consumed: 0,
    damages: new Map(),
    tail: undefined,
    bytes: TABLE_BYTES,
  };
}

export interface RecordScan extends SearchScope {
  readonly version: ArchiveVersion;
  readonly start: number;
  /** Where the next piece, or the file, ends. */
  readonly end: number;
  readonly isLast: boolean;
  /** Stop at the first record that begins this many bytes from the start or later. */
  readonly softBytes: number;
  /** The piece behind this one will probably be scanned next. */
  readonly goesOn: boolean;
  readonly before: Timestamp | undefined;
}

/**
 * Read a piece of a volume record by record and note what is where. Inconsistent parts are noted as damage, and reading continues
 * with the next intact record; where there is none up to the end of the file, the table ends with a `tail`. Fewer than four bytes at
 * the end of the file are a clean end. Throws the signal's reason once it is aborted.
 */
export async function scanRecords(scan: RecordScan): Promise<RecordTable> {
  const { file, signal } = scan;
  const checker = new RecordChecker(scan.version);
  const builder = new TableBuilder(file.name, checker, scan.before ?? scan.archiveStart);
  const search = new RecordSearch(scan, checker);
  let offset = scan.start;
  let tail: UnreadTail | undefined;
  let block: Block | undefined;
  try {
    while (offset < scan.end && offset - scan.start < scan.softBytes) {
      const left = scan.end - offset;
      if (left < 4) break;
      if (!block?.covers(offset, 1)) {
        block?.release();
        block = undefined;
        signal?.throwIfAborted();
        block = await file.hold(offset);
        readAhead(scan, offset);
      }
      const inBlock = block.covers(offset, 4);
      const length = inBlock
        ? block.view.getUint32(offset - block.start)
        : viewOf(await file.read(offset, 4)).getUint32(0);
      let problem = lengthProblem(length, left, scan);
      if (problem === undefined && inBlock && block.covers(offset, length)) {
        problem = builder.add(block.view, offset - block.start, length, offset);
      } else if (problem === undefined) {
        problem = builder.add(viewOf(await file.read(offset, length)), 0, length, offset);
      }
      if (problem === undefined) {
        offset += length;
        continue;
      }
      const next = (await search.behind(offset, length)) ?? (scan.isLast ? undefined : scan.end);
      if (next === undefined) {
        tail = unreadTail(file, offset, problem, isIncomplete(length, left, scan));
        break;
      }
      builder.addDamage(offset, next - offset, problem);
      offset = next;
    }
  } finally {
    block?.release();
  }
  if (!tail && builder.isLastDoubtful) {
    const next = await search.stampAt(offset);
    if (next) builder.settleLast(next.sec);
    else if (scan.isLast && builder.isLastUnlikely) {
      offset = builder.dropLast();
      tail = unreadTail(file, offset, OUT_OF_LINE, false);
    }
  }
  signal?.throwIfAborted();
  return builder.finish(offset, tail);
}

function unreadTail({ name }: BlockFile, offset: number, problem: string, isIncomplete: boolean): UnreadTail {
  return { error: new PmError(PM_ERR.LOGREC, damageMessage(name, offset, problem)), isIncomplete };
}

function damageMessage(name: string, offset: number, problem: string): string {
  return `${name} at offset ${offset}: ${problem}`;
}

/** Whether a length that does not fit may be that of a record that is still being written. */
function isIncomplete(length: number, left: number, { version, maxRecordBytes }: RecordScan): boolean {
  return length > left && length >= RECORD_HEADER_BYTES[version] + 4 && length <= maxRecordBytes;
}

/** Prefetches the blocks behind an offset. */
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

/** Whether a record of the same length has a layout. */
function hasLayout(view: DataView, start: number, count: number, layout: RecordLayout): boolean {
  const { pmids, offsets, counts, pointerAt, pointer } = layout;
  if (pmids.length !== count) return false;
  for (let i = 0; i < count; i++) {
    const at = start + offsets[i]!;
    if (view.getUint32(at) !== pmids[i] || view.getInt32(at + 4) !== counts[i]) return false;
  }
  return pointerAt === 0 || view.getUint32(start + pointerAt) === pointer;
}

class TableBuilder {
  readonly #fileName: string;
  readonly #checker: RecordChecker;
  readonly #before: Timestamp;
  readonly #offsets: number[] = [];
  readonly #lengths: number[] = [];
  readonly #secs: number[] = [];
  readonly #nsecs: number[] = [];
  readonly #layoutOf: number[] = [];
  readonly #layouts: RecordLayout[] = [];
  readonly #byHash = new Map<number, number[]>();
  /** The last layout for records of a size, which is usually that of the next one. */
  readonly #byLength = new Map<number, number>();
  readonly #damages = new Map<number, string>();
  /** The last intact record, -1 for none; and when it and the one before it were taken. */
  #last = -1;
  #lastSec: number;
  #beforeLastSec: number;
  #intact = 0;

  /** @param before the record before the first one, or else when the archive starts */
  constructor(fileName: string, checker: RecordChecker, before: Timestamp) {
    this.#fileName = fileName;
    this.#checker = checker;
    this.#before = before;
    this.#lastSec = before.sec;
    this.#beforeLastSec = before.sec;
  }

  /** Takes one whole record, `start` bytes into the view and `offset` bytes into the file; returns what is wrong with it, if anything. */
  add(view: DataView, start: number, length: number, offset: number): string | undefined {
    const checker = this.#checker;
    const trailer = view.getUint32(start + length - 4);
    if (trailer !== length) return `lengths ${length} and ${trailer} at both ends of a record differ`;
    const problem = checker.headProblem(view, start, length);
    if (problem !== undefined) return problem;
    const count = checker.countAt(view, start);
    let layout = this.#byLength.get(length);
    if (layout === undefined || !hasLayout(view, start, count, this.#layouts[layout]!)) {
      const hash = checker.walk(view, start, length);
      if (typeof hash === 'string') return hash;
      layout = this.#intern(hash, count);
      this.#byLength.set(length, layout);
    }
    const sec = stampSeconds(view, start + 4, checker.version);
    if (this.#last >= 0) this.settleLast(sec);
    this.#beforeLastSec = this.#lastSec;
    this.#lastSec = sec;
    this.#last = this.#push(offset, length, sec, stampNanoseconds(view, start + 4, checker.version), layout);
    this.#intact++;
    return undefined;
  }

  addDamage(offset: number, length: number, problem: string): void {
    this.#damages.set(
      this.#push(offset, length, 0, 0, this.#damageLayout()),
      damageMessage(this.#fileName, offset, problem),
    );
  }

  /** The last intact record is so far from the one before that only the next one tells whether its stamp is right. */
  get isLastDoubtful(): boolean {
    return this.#last >= 0 && Math.abs(this.#lastSec - this.#beforeLastSec) > OUT_OF_LINE_SEC;
  }

  /** The last record follows so long a pause that only another record behind it would confirm it. */
  get isLastUnlikely(): boolean {
    if (this.#intact < 2 || this.#last !== this.#offsets.length - 1) return false;
    return Math.abs(this.#lastSec - this.#beforeLastSec) > LONGEST_PAUSE_SEC;
  }

  /** Compares the last intact record with its neighbours; the one behind it was taken at `sec`. */
  settleLast(sec: number): void {
    const [before, last] = [this.#beforeLastSec, this.#lastSec];
    if ((last >= before && last <= sec) || before > sec) return;
    if (before - last <= OUT_OF_LINE_SEC && last - sec <= OUT_OF_LINE_SEC) return;
    this.#layoutOf[this.#last] = this.#damageLayout();
    this.#damages.set(this.#last, damageMessage(this.#fileName, this.#offsets[this.#last]!, OUT_OF_LINE));
    this.#lastSec = before;
    this.#intact--;
  }

  dropLast(): number {
    for (const numbers of [this.#lengths, this.#secs, this.#nsecs, this.#layoutOf]) numbers.pop();
    return this.#offsets.pop()!;
  }

  finish(consumed: number, tail: UnreadTail | undefined): RecordTable {
    this.#stampDamages();
    const offsets = Float64Array.from(this.#offsets);
    const lengths = Uint32Array.from(this.#lengths);
    const secs = Float64Array.from(this.#secs);
    const nsecs = Int32Array.from(this.#nsecs);
    const layoutOf = Uint32Array.from(this.#layoutOf);
    let bytes = TABLE_BYTES + DAMAGE_BYTES * this.#damages.size + footprint(offsets, lengths, secs, nsecs, layoutOf);
    for (const layout of this.#layouts) bytes += footprint(layout.pmids, layout.offsets, layout.counts);
    const [count, layouts, damages] = [offsets.length, this.#layouts, this.#damages];
    return { count, offsets, lengths, secs, nsecs, layouts, layoutOf, consumed, damages, tail, bytes };
  }

  #push(offset: number, length: number, sec: number, nsec: number, layout: number): number {
    this.#offsets.push(offset);
    this.#lengths.push(length);
    this.#secs.push(sec);
    this.#nsecs.push(nsec);
    return this.#layoutOf.push(layout) - 1;
  }

  /** Damage is right behind the record before it, and not later than the one behind it. */
  #stampDamages(): void {
    const [secs, nsecs] = [this.#secs, this.#nsecs];
    for (const record of [...this.#damages.keys()].sort((a, b) => a - b)) {
      const before = record === 0 ? this.#before : { sec: secs[record - 1]!, nsec: nsecs[record - 1]! };
      const isAfterDamage = record === 0 || this.#damages.has(record - 1);
      let { sec, nsec } = isAfterDamage ? before : justAfter(before);
      let next = record + 1;
      while (this.#damages.has(next)) next++;
      if (next < secs.length && (secs[next]! - sec || nsecs[next]! - nsec) < 0)
        [sec, nsec] = [secs[next]!, nsecs[next]!];
      secs[record] = sec;
      nsecs[record] = nsec;
    }
  }

  #damageLayout(): number {
    const known = this.#layouts.indexOf(DAMAGE_LAYOUT);
    return known >= 0 ? known : this.#layouts.push(DAMAGE_LAYOUT) - 1;
  }

  #intern(hash: number, count: number): number {
    const known = this.#byHash.get(hash)?.find((i) => this.#isSame(this.#layouts[i]!, count));
    if (known !== undefined) return known;
    const index = this.#layouts.length;
    const { pmids, setOffsets, counts, pointerAt, pointer } = this.#checker;
    this.#layouts.push({
      pmids: pmids.slice(0, count),
      offsets: setOffsets.slice(0, count),
      counts: counts.slice(0, count),
      pointerAt,
      pointer,
    });
    addTo(this.#byHash, hash, index);
    return index;
  }

  #isSame(layout: RecordLayout, count: number): boolean {
    if (layout.pmids.length !== count) return false;
    const { pmids, counts } = this.#checker;
    for (let i = 0; i < count; i++) {
      if (layout.pmids[i] !== pmids[i] || layout.counts[i] !== counts[i]) return false;
    }
    return true;
  }
}

/** A typed array without its numbers: object, buffer, and V8's bookkeeping. */
const TYPED_ARRAY_BYTES = 240;

/** Approximate memory of typed arrays in bytes (measured on Node 20): small ones are nearly all overhead. */
export function footprint(...arrays: readonly (ArrayBufferView | undefined)[]): number {
  let bytes = 0;
  for (const array of arrays) if (array) bytes += TYPED_ARRAY_BYTES + array.byteLength;
  return bytes;
}

interface SearchScope {
  readonly file: BlockFile;
  readonly end: number;
  readonly maxRecordBytes: number;
  readonly archiveStart: Timestamp;
  readonly signal: AbortSignal | undefined;
}

const CHUNK_BYTES = 64 * 1024;
/** Reads elsewhere in the file per chunk, to confirm the end of a record. */
const PROBES_PER_CHUNK = 8;
/** Bytes of possible records that are examined for each byte searched, at most. */
const BYTES_PER_BYTE = 4;
/** Records are at most this much older than the archive's start … */
const EARLY_SEC = 86_400;
/** … and not later than this after it. */
const LATE_SEC = 100 * 366 * 86_400;

/** Finds where records continue after damage. Linear in the bytes searched: lengths that point further are not followed. */
class RecordSearch {
  readonly #scope: SearchScope;
  readonly #checker: RecordChecker;
  #probesLeft = 0;
  #bytesLeft: number;

  constructor(scope: SearchScope, checker: RecordChecker) {
    this.#scope = scope;
    this.#checker = checker;
    this.#bytesLeft = 2 * scope.maxRecordBytes;
  }

  /** Where records continue after a damaged one (its `length` may be anything); undefined if nowhere. Throws the signal's reason. */
  async behind(offset: number, length: number): Promise<number | undefined> {
    const { file, end } = this.#scope;
    this.#probesLeft += PROBES_PER_CHUNK;
    if (this.#mayBeLength(length, end - offset)) {
      const behind = offset + length;
      if (viewOf(await file.readExact(behind - 4, 4)).getUint32(0) === length) return behind;
      if (await this.#isRecordAt(behind)) return behind;
    }
    return this.#search(offset + 1);
  }

  async stampAt(offset: number): Promise<Timestamp | undefined> {
    const { version } = this.#checker;
    const { file } = this.#scope;
    const length = RECORD_HEADER_BYTES[version];
    if (offset + length > file.size) return undefined;
    return readStamp(viewOf(await file.read(offset, length)), 4, version);
  }

  async #search(from: number): Promise<number | undefined> {
    const { file, end, signal } = this.#scope;
    const { smallest } = this.#checker;
    for (let offset = from; offset + smallest <= end; offset += CHUNK_BYTES) {
      const turn = eventLoopTurns.next();
      if (turn) await turn;
      signal?.throwIfAborted();
      this.#probesLeft += PROBES_PER_CHUNK;
      this.#bytesLeft += BYTES_PER_BYTE * CHUNK_BYTES;
      // Each candidate's head is read in place: those at the end of the chunk reach a little beyond.
      const view = viewOf(await file.read(offset, Math.min(CHUNK_BYTES + smallest, end - offset)));
      const last = Math.min(CHUNK_BYTES, view.byteLength - smallest + 1);
      for (let at = 0; at < last; at++) {
        if (!this.#mayBegin(view, at, end - offset - at)) continue;
        if (await this.#isConfirmed(view, at, offset + at)) return offset + at;
      }
    }
    return undefined;
  }

  #mayBeLength(length: number, left: number): boolean {
    // Records are made of words.
    return length >= this.#checker.smallest && length % 4 === 0 && length <= Math.min(left, this.#scope.maxRecordBytes);
  }

  /** Whether the head at an offset is that of a record. */
  #mayBegin(view: DataView, at: number, left: number): boolean {
    const length = view.getUint32(at);
    if (!this.#mayBeLength(length, left)) return false;
    const since = stampSeconds(view, at + 4, this.#checker.version) - this.#scope.archiveStart.sec;
    if (since < -EARLY_SEC || since > LATE_SEC) return false;
    return this.#checker.headProblem(view, at, length) === undefined;
  }

  /** Whether a record begins at an offset; a mark, short enough to be there by chance, must be followed by another. */
  async #isConfirmed(view: DataView, at: number, offset: number): Promise<boolean> {
    const length = view.getUint32(at);
    const isInView = at + length <= view.byteLength;
    if (isInView ? view.getUint32(at + length - 4) !== length : !(await this.#endsWith(offset, length))) return false;
    if (!(await this.#isWhole(offset, length))) return false;
    const behind = offset + length;
    return length > this.#checker.smallest || behind === this.#scope.end || this.#isRecordAt(behind);
  }

  async #endsWith(offset: number, length: number): Promise<boolean> {
    if (this.#probesLeft <= 0) return false;
    this.#probesLeft--;
    return viewOf(await this.#scope.file.readExact(offset + length - 4, 4)).getUint32(0) === length;
  }

  async #isRecordAt(offset: number): Promise<boolean> {
    const { file, end } = this.#scope;
    const { smallest } = this.#checker;
    if (offset + smallest > end || this.#probesLeft <= 0) return false;
    this.#probesLeft--;
    const head = viewOf(await file.readExact(offset, smallest));
    return this.#mayBegin(head, 0, end - offset) && this.#isWhole(offset, head.getUint32(0));
  }

  async #isWhole(offset: number, length: number): Promise<boolean> {
    if (length > this.#bytesLeft) return false;
    this.#bytesLeft -= length;
    return this.#checker.isRecord(viewOf(await this.#scope.file.read(offset, length)), 0, length);
  }
}
