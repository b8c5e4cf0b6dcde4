import { eventLoopTurns } from '../../../kit/index.js';
import type { Timestamp } from '../../../pmapi/index.js';
import { viewOf } from '../../wire/index.js';
import type { BlockFile } from '../files/block-file.js';
import { RECORD_HEADER_BYTES, type RecordChecker } from './record-checker.js';
import { readStamp, stampSeconds } from '../metadata/stamped-records.js';

export interface SearchScope {
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
export class RecordSearch {
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
