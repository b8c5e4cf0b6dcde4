import { BLOCK_HEADER_BYTES } from '../../wire/index.js';
import { STAMP_BYTES, stampNanoseconds, type ArchiveVersion } from '../metadata/stamped-records.js';

/** Bytes from a record's beginning to its first value set: length, stamp, number of sets. */
export const RECORD_HEADER_BYTES: Readonly<Record<ArchiveVersion, number>> = {
  2: 4 + STAMP_BYTES[2] + 4,
  3: 4 + STAMP_BYTES[3] + 4,
};

const SET_HEADER_BYTES = 8;
/** Value pointers count words from two words before the record. @see LOGARCHIVE(5) */
export const POINTER_BIAS = 2;
const NSEC_PER_SEC = 1_000_000_000;

/** Tells intact records from others, and notes the value sets of the one that it looked at last. */
export class RecordChecker {
  readonly version: ArchiveVersion;
  readonly headerBytes: number;
  /** The smallest record: a mark. */
  readonly smallest: number;
  pmids = new Uint32Array(64);
  setOffsets = new Uint32Array(64);
  counts = new Int32Array(64);
  /** Offset in the record of the first pointer to a value block, and its expected value; both 0 for none. */
  pointerAt = 0;
  pointer = 0;
  /** Offset of the last value block in the record; -1 for none. */
  #lastBlock = -1;

  constructor(version: ArchiveVersion) {
    this.version = version;
    this.headerBytes = RECORD_HEADER_BYTES[version];
    this.smallest = this.headerBytes + 4;
  }

  countAt(view: DataView, start: number): number {
    return view.getInt32(start + this.headerBytes - 4);
  }

  /** What is wrong with a record, `start` bytes into the view, judging by its stamp and number of value sets. */
  headProblem(view: DataView, start: number, length: number): string | undefined {
    const nsec = stampNanoseconds(view, start + 4, this.version);
    if (nsec < 0 || nsec >= NSEC_PER_SEC) return `a time stamp with ${nsec} nanoseconds`;
    const count = this.countAt(view, start);
    const room = length - this.smallest;
    return count < 0 || count * SET_HEADER_BYTES > room ? `${count} value sets in ${length} bytes` : undefined;
  }

  /** Walks the value sets of a record with a valid head; they must end at its end or first value block. Returns a hash or a problem. */
  walk(view: DataView, start: number, length: number): number | string {
    const count = this.countAt(view, start);
    const end = length - 4;
    this.#reserve(count);
    let at = this.headerBytes;
    let hash = count;
    let isKnownFormat = true;
    this.pointerAt = 0;
    this.#lastBlock = -1;
    for (let i = 0; i < count; i++) {
      if (at + SET_HEADER_BYTES > end) return beyondRecord(length);
      const pmid = view.getUint32(start + at);
      const values = view.getInt32(start + at + 4);
      this.pmids[i] = pmid;
      this.setOffsets[i] = at;
      this.counts[i] = values;
      hash = (Math.imul(hash, 31) + pmid) | 0;
      hash = (Math.imul(hash, 31) + values) | 0;
      const set = at;
      at += values > 0 ? 12 + 8 * values : SET_HEADER_BYTES;
      if (at > end) return beyondRecord(length);
      const format = values > 0 ? view.getInt32(start + set + 8) : 0;
      if (format === 0) continue;
      if (format !== 1 && format !== 2) isKnownFormat = false;
      if (this.pointerAt === 0) this.pointerAt = set + 16;
      this.#lastBlock = blockAt(view, start + at - 4);
    }
    this.pointer = this.pointerAt === 0 ? 0 : at / 4 + POINTER_BIAS;
    // A set whose format does not exist has no values; the others of its record have.
    if (!isKnownFormat) this.pointerAt = this.pointer = 0;
    else if (this.pointerAt === 0 && at !== end) return `value sets end ${end - at} bytes before the record does`;
    else if (this.pointerAt > 0 && view.getUint32(start + this.pointerAt) !== this.pointer)
      return `value blocks at ${blockAt(view, start + this.pointerAt)}, but the value sets end at ${at}`;
    return hash;
  }

  /** Whether arbitrary bytes are a record: its two lengths agree, too, and the last value block ends with it. */
  isRecord(view: DataView, start: number, length: number): boolean {
    if (view.getUint32(start) !== length || view.getUint32(start + length - 4) !== length) return false;
    if (this.headProblem(view, start, length) !== undefined) return false;
    if (typeof this.walk(view, start, length) === 'string') return false;
    const block = this.#lastBlock;
    if (block < 0) return this.pointerAt === 0;
    const end = length - 4;
    if (block + BLOCK_HEADER_BYTES > end) return false;
    return block + 4 * Math.ceil((view.getUint32(start + block) & 0xffffff) / 4) === end;
  }

  #reserve(count: number): void {
    if (this.pmids.length >= count) return;
    this.pmids = new Uint32Array(count * 2);
    this.setOffsets = new Uint32Array(count * 2);
    this.counts = new Int32Array(count * 2);
  }
}

/** Where a pointer's block begins, in bytes from the record's beginning. */
function blockAt(view: DataView, pointer: number): number {
  return 4 * (view.getUint32(pointer) - POINTER_BIAS);
}

function beyondRecord(length: number): string {
  return `value sets run beyond the record's ${length} bytes`;
}
