import { bisect } from '../../../kit/index.js';
import { makeTimestamp, type Timestamp } from '../../../pmapi/index.js';

export interface RecordPlace {
  /** Index of the metadata file among those of the context. */
  readonly file: number;
  readonly offset: number;
  readonly length: number;
}

/** Places of records that replace one another over time (of one indom or label target), by stamp, then file order. */
export class StampedRecords {
  #secs: number[] = [];
  #nsecs: number[] = [];
  #files: number[] = [];
  #offsets: number[] = [];
  #lengths: number[] = [];
  #kinds: number[] = [];
  #sorted = true;

  get length(): number {
    return this.#secs.length;
  }

  push(stamp: Timestamp, place: RecordPlace, kind: number): void {
    const n = this.#secs.length;
    if (n > 0 && this.#compare(n - 1, stamp) > 0) this.#sorted = false;
    this.#secs.push(stamp.sec);
    this.#nsecs.push(stamp.nsec);
    this.#files.push(place.file);
    this.#offsets.push(place.offset);
    this.#lengths.push(place.length);
    this.#kinds.push(kind);
  }

  /** The index of the last record at or before a moment; -1 when all are later. */
  floor(at: Timestamp): number {
    this.#sort();
    return bisect(0, this.#secs.length, (i) => this.#compare(i, at) > 0) - 1;
  }

  stampAfter(at: Timestamp): Timestamp | undefined {
    const i = this.floor(at) + 1;
    return i < this.#secs.length ? { sec: this.#secs[i]!, nsec: this.#nsecs[i]! } : undefined;
  }

  placeAt(i: number): RecordPlace {
    this.#sort();
    return { file: this.#files[i]!, offset: this.#offsets[i]!, length: this.#lengths[i]! };
  }

  kindAt(i: number): number {
    this.#sort();
    return this.#kinds[i]!;
  }

  #compare(i: number, stamp: Timestamp): number {
    return this.#secs[i]! - stamp.sec || this.#nsecs[i]! - stamp.nsec;
  }

  #sort(): void {
    if (this.#sorted) return;
    const [secs, nsecs] = [this.#secs, this.#nsecs];
    const order = Array.from(secs.keys()).sort((a, b) => secs[a]! - secs[b]! || nsecs[a]! - nsecs[b]! || a - b);
    const reorder = (values: number[]): number[] => order.map((i) => values[i]!);
    this.#secs = reorder(this.#secs);
    this.#nsecs = reorder(this.#nsecs);
    this.#files = reorder(this.#files);
    this.#offsets = reorder(this.#offsets);
    this.#lengths = reorder(this.#lengths);
    this.#kinds = reorder(this.#kinds);
    this.#sorted = true;
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
