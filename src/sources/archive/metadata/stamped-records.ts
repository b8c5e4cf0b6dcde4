import { bisect } from '../../../kit/index.js';
import { makeTimestamp, type Timestamp } from '../../../pmapi/index.js';

export interface RecordPlace {
  /** Index of the metadata file among those of the context. */
  readonly file: number;
  readonly offset: number;
  readonly length: number;
}

/** Numbers of a record in {@link StampedRecords}: seconds, nanoseconds, file, offset, length, kind. */
const FIELDS = 6;

/** Places of records that replace one another over time (of one indom or label target), by stamp, then file order. */
export class StampedRecords {
  #fields: number[] = [];
  #isSorted = true;

  get length(): number {
    return this.#fields.length / FIELDS;
  }

  /** Returns whether it comes after all others. */
  push(stamp: Timestamp, { file, offset, length }: RecordPlace, kind: number): boolean {
    const isLast = this.#isSorted && (this.length === 0 || this.#compare(this.length - 1, stamp) <= 0);
    this.#isSorted = isLast;
    this.#fields.push(stamp.sec, stamp.nsec, file, offset, length, kind);
    return isLast;
  }

  /** The index of the last record at or before a moment; -1 when all are later. */
  floor(at: Timestamp): number {
    this.#sort();
    return bisect(0, this.length, (i) => this.#compare(i, at) > 0) - 1;
  }

  stampAfter(at: Timestamp): Timestamp | undefined {
    const i = this.floor(at) + 1;
    return i < this.length ? this.#stampAt(i) : undefined;
  }

  placeAt(i: number): RecordPlace {
    this.#sort();
    const [file, offset, length] = this.#fields.slice(FIELDS * i + 2, FIELDS * i + 5) as [number, number, number];
    return { file, offset, length };
  }

  kindAt(i: number): number {
    this.#sort();
    return this.#fields[FIELDS * i + 5]!;
  }

  #stampAt(i: number): Timestamp {
    return { sec: this.#fields[FIELDS * i]!, nsec: this.#fields[FIELDS * i + 1]! };
  }

  #compare(i: number, stamp: Timestamp): number {
    return this.#fields[FIELDS * i]! - stamp.sec || this.#fields[FIELDS * i + 1]! - stamp.nsec;
  }

  #sort(): void {
    if (this.#isSorted) return;
    const order = Array.from({ length: this.length }, (_, i) => i);
    order.sort((a, b) => this.#compare(a, this.#stampAt(b)) || a - b);
    this.#fields = order.flatMap((i) => this.#fields.slice(FIELDS * i, FIELDS * (i + 1)));
    this.#isSorted = true;
  }
}

/** The versions of the archive format that exist outside of museums. */
export type ArchiveVersion = 2 | 3;

/** Bytes of a time stamp on disk. */
export const STAMP_BYTES: Readonly<Record<ArchiveVersion, number>> = { 2: 8, 3: 12 };

/** Seconds of a stamp on disk; the caller has checked its bounds. Version 3 writes the low word first. @see LOGARCHIVE(5) */
export function stampSeconds(view: DataView, offset: number, version: ArchiveVersion): number {
  if (version === 2) return view.getInt32(offset);
  return view.getInt32(offset + 4) * 0x100000000 + view.getUint32(offset);
}

export function stampNanoseconds(view: DataView, offset: number, version: ArchiveVersion): number {
  return version === 2 ? view.getInt32(offset + 4) * 1000 : view.getInt32(offset + 8);
}

/** A whole stamp; nanoseconds out of range are carried into the seconds. */
export function readStamp(view: DataView, offset: number, version: ArchiveVersion): Timestamp {
  return makeTimestamp(stampSeconds(view, offset, version), stampNanoseconds(view, offset, version));
}
