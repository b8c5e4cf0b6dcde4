import { addInterval, compareTimestamps, formatPmid, formatTimestamp } from '../../../pmapi/index.js';
import type { Instance, LabelSet, LabelTarget, MetricDescriptor, Timestamp } from '../../../pmapi/index.js';
import type { HelpLevel, HelpTarget } from '../../metric-source.js';
import { joinBytes } from '../../wire/index.js';
import { INDEX_VOLUME, LABEL_RECORD_BYTES, META_VOLUME } from '../metadata/label-record.js';
import type { IndexEntry } from '../metadata/temporal-index.js';
import { encodeIndexEntry, encodeLabelRecord, encodeMark, encodeRecord } from './encode-metadata.js';
import type { ArchiveLabel, ArchiveSample } from './encode-metadata.js';
import { findResumePoint } from './resume-point.js';
import { WrittenMetadata } from './written-metadata.js';
import { open, rename } from 'node:fs/promises';

const LABEL_BYTES = LABEL_RECORD_BYTES[3];
/** Bytes between entries of the temporal index, as in pmlogger. */
const INDEX_SPACING_BYTES = 100_000;
const MARK_DISTANCE: Timestamp = { sec: 0, nsec: 1_000_000 };

interface Continuation {
  readonly metadata: WrittenMetadata;
  readonly meta: AppendFile;
  readonly index: AppendFile | undefined;
  readonly data: AppendFile;
  readonly volume: number;
  readonly start: Timestamp;
  readonly end: Timestamp;
  readonly owesMark: boolean;
}

/**
 * Writes an archive of version 3: the inverse of the reader. Files come with the first record: metadata, volume 0, temporal
 * index. New metadata waits for the next record and is written before it; each record is handed to the system as a whole before
 * {@link append} ends, so that a process that is killed loses at most the record that it was writing. A call that fails has
 * written nothing that counts and can be made again. Calls that answer a promise must not overlap.
 * @see LOGARCHIVE(5), src/sources/archive/FORMAT.md
 */
export class ArchiveWriter {
  readonly base: string;
  readonly label: ArchiveLabel;
  readonly #directory: WritableDirectory;
  readonly #metadata: WrittenMetadata;
  #pending: Uint8Array[] = [];
  /** Instance domains and labels from the next record on. */
  readonly #nextIndoms = new Map<number, readonly Instance[]>();
  readonly #nextLabels = new Map<string, readonly [target: LabelTarget, sets: readonly LabelSet[]]>();
  #meta: AppendFile | undefined;
  #index: AppendFile | undefined;
  #data: AppendFile | undefined;
  #volume: number;
  /** The stamp of the last record, and the requested one: see `stampFor`. */
  #end: Timestamp | undefined;
  #asked: Timestamp | undefined;
  #owesMark: boolean;
  #start: Timestamp | undefined;
  /** The place of the last record, and of the last one that the temporal index has. */
  #last: IndexEntry | undefined;
  #indexed: IndexEntry | undefined;
  #entries: Uint8Array[] = [];
  #closedBytes = 0;

  private constructor(base: string, label: ArchiveLabel, directory: WritableDirectory, from?: Continuation) {
    this.base = base;
    this.label = label;
    this.#directory = directory;
    this.#metadata = from?.metadata ?? new WrittenMetadata();
    this.#meta = from?.meta;
    this.#index = from?.index;
    this.#data = from?.data;
    this.#volume = from?.volume ?? -1;
    this.#start = from?.start;
    this.#end = this.#asked = from?.end;
    this.#owesMark = from?.owesMark ?? false;
  }

  /** A new archive. Nothing is written before the first record, which replaces files of the same name. */
  static create(base: string, label: ArchiveLabel, directory: WritableDirectory = fileSystem): ArchiveWriter {
    return new ArchiveWriter(base, label, directory);
  }

  /** Continues a version 3 archive with a mark; cuts off an incomplete record. Throws an error with the reason if that is impossible. */
  static async resume(base: string, directory: WritableDirectory = fileSystem): Promise<ArchiveWriter> {
    const point = await findResumePoint(base);
    const opened: AppendFile[] = [];
    const reopen = async (suffix: string | number, length: number): Promise<AppendFile> => {
      const file = await AppendFile.resume(`${base}.${suffix}`, length, directory);
      opened.push(file);
      return file;
    };
    try {
      const meta = await reopen('meta', point.metaLength);
      const data = await reopen(point.volume, point.volumeLength);
      const index = point.indexLength === undefined ? undefined : await reopen('index', point.indexLength);
      const { label, metadata, volume, end } = point;
      const from = { metadata, meta, data, index, volume, start: label.start, end, owesMark: !point.endsWithMark };
      return new ArchiveWriter(base, label, directory, from);
    } catch (error) {
      for (const file of opened) await file.close().catch(() => undefined);
      throw error;
    }
  }

  get start(): Timestamp | undefined {
    return this.#start;
  }

  /** The moment of the last record, before which nothing can be written; undefined before the first. */
  get end(): Timestamp | undefined {
    return this.#asked;
  }

  /** The number of the volume that holds the last record; -1 before the first. */
  get volume(): number {
    return this.#volume;
  }

  /** Bytes of the current volume; 0 when the next record begins another. */
  get volumeBytes(): number {
    return this.#data?.length ?? 0;
  }

  /** Bytes of the archive, without those of volumes before it was resumed. */
  get bytes(): number {
    return this.#closedBytes + this.volumeBytes + (this.#meta?.length ?? 0) + (this.#index?.length ?? 0);
  }

  pmidOf(name: string): number | undefined {
    return this.#metadata.pmidOf(name);
  }

  hasMetric(pmid: number): boolean {
    return this.#metadata.hasMetric(pmid);
  }

  /** Describes a metric. Throws PM_ERR_LOGCHANGETYPE (or …SEM, …INDOM, …UNITS) for another descriptor, PM_ERR_PMID for another PMID. */
  describe(descriptor: MetricDescriptor, names: readonly string[]): void {
    this.#add(this.#metadata.describe(descriptor, names));
  }

  /** Sets the instances of a domain from the next record of values on; writes only changes. */
  instances(indom: number, instances: readonly Instance[]): void {
    this.#nextIndoms.set(indom, instances);
  }

  /** Sets the labels of a target from the next record of values on; writes only changes. */
  labels(target: LabelTarget, sets: readonly LabelSet[]): void {
    this.#nextLabels.set(JSON.stringify(target), [target, sets]);
  }

  /** Records a help text; of several for one target, the first stays. */
  help(target: HelpTarget, level: HelpLevel, text: string): void {
    this.#add(this.#metadata.help(target, level, text));
  }

  /** 1 ns later if instances or labels changed again then. Throws RangeError before {@link end} or for undescribed metrics. */
  async append(sample: ArchiveSample): Promise<void> {
    const { timestamp, sets } = sample;
    this.#requireOrder(timestamp);
    const unknown = sets.find(({ pmid }) => !this.hasMetric(pmid));
    if (unknown) throw new RangeError(`metric ${formatPmid(unknown.pmid)} was not described`);
    if (sets.length === 0) throw new RangeError('a record without metrics would be a mark');
    if (this.#owesMark) await this.#writeMark(timestamp);
    const stamp = this.#addChanges(this.#notBeforeEnd(timestamp));
    await this.#write(encodeRecord({ timestamp: stamp, sets }), stamp);
    this.#asked = timestamp;
  }

  /** Appends a mark record (recording was interrupted). No-op before the first record. */
  async mark(time: Timestamp): Promise<void> {
    if (this.#end === undefined) return;
    this.#requireOrder(time);
    const stamp = this.#notBeforeEnd(time);
    await this.#write(encodeMark(stamp), stamp);
    this.#asked = time;
    this.#owesMark = false;
  }

  /** Flushes all records to the disk. Throws an error of the system. */
  async sync(): Promise<void> {
    // Records need the metadata that was written before them.
    for (const file of [this.#meta, this.#data, this.#index]) await file?.sync();
  }

  /** Begins a new volume with the next record. Throws an error of the system when this one may not have reached the disk. */
  async rotate(): Promise<void> {
    const data = this.#data;
    if (!data) return;
    this.#indexLast();
    this.#data = undefined;
    this.#closedBytes += data.length;
    await data.close();
  }

  /** Writes what is left and closes the files. Throws an error of the system when some may not have reached the disk. */
  async close(): Promise<void> {
    this.#indexLast();
    const results = await Promise.allSettled([this.#writeEntries()]);
    for (const file of [this.#data, this.#meta, this.#index]) {
      if (file) results.push(...(await Promise.allSettled([file.close()])));
    }
    this.#data = this.#meta = this.#index = undefined;
    const failed = results.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  #add(record: Uint8Array | undefined): void {
    if (record) this.#pending.push(record);
  }

  /** Turns changes into waiting records; returns their stamp and that of the record at that moment. */
  #addChanges(time: Timestamp): Timestamp {
    const indoms = [...this.#nextIndoms].map(([indom, instances]) => this.#metadata.instances(indom, instances));
    const labels = [...this.#nextLabels.values()].map(([target, sets]) => this.#metadata.labels(target, sets));
    this.#nextIndoms.clear();
    this.#nextLabels.clear();
    const records = [...indoms, ...labels].filter((record) => record !== undefined);
    this.#pending.push(...records);
    return this.#metadata.stamp(records, time);
  }

  #notBeforeEnd(time: Timestamp): Timestamp {
    return this.#end && compareTimestamps(time, this.#end) < 0 ? this.#end : time;
  }

  #requireOrder(time: Timestamp): void {
    if (this.#asked === undefined || compareTimestamps(time, this.#asked) >= 0) return;
    throw new RangeError(`a record of ${formatTimestamp(time)} after one of ${formatTimestamp(this.#asked)}`);
  }

  /** The mark between the last record and the first of this process. */
  async #writeMark(next: Timestamp): Promise<void> {
    const usual = addInterval(this.#asked!, MARK_DISTANCE);
    await this.mark(compareTimestamps(usual, next) < 0 ? usual : this.#asked!);
  }

  async #write(record: Uint8Array, stamp: Timestamp): Promise<void> {
    const metaOffset = this.#meta?.length ?? LABEL_BYTES;
    this.#start ??= stamp;
    await this.#writeMetadata();
    const dataOffset = this.#data?.length ?? LABEL_BYTES;
    if (this.#data) await this.#data.append(record);
    else await this.#beginVolume(record);
    this.#end = stamp;
    this.#last = { stamp, volume: this.#volume, metaOffset, dataOffset };
    const indexed = this.#indexed;
    if (indexed?.volume !== this.#volume || dataOffset >= indexed.dataOffset + INDEX_SPACING_BYTES) this.#indexLast();
    // The index only helps to find records: an entry that cannot be written now is written later.
    await this.#writeEntries().catch(() => undefined);
  }

  async #writeMetadata(): Promise<void> {
    const { length } = this.#pending;
    const piece = joinBytes(this.#pending);
    if (!this.#meta) {
      this.#meta = await this.#createFile('meta', META_VOLUME, piece);
    } else if (piece.length > 0) {
      await this.#meta.append(piece);
    }
    this.#pending.splice(0, length);
  }

  async #beginVolume(record: Uint8Array): Promise<void> {
    const volume = this.#volume + 1;
    this.#data = await this.#createFile(volume, volume, record);
    this.#volume = volume;
  }

  #indexLast(): void {
    if (!this.#last || this.#last === this.#indexed) return;
    this.#entries.push(encodeIndexEntry(this.#last));
    this.#indexed = this.#last;
  }

  async #writeEntries(): Promise<void> {
    if (this.#entries.length === 0) return;
    const piece = joinBytes(this.#entries);
    if (this.#index) {
      await this.#index.append(piece);
    } else {
      this.#index = await this.#createFile('index', INDEX_VOLUME, piece);
    }
    this.#entries = [];
  }

  /** All labels have the archive's start: libpcp takes it from any volume. */
  #createFile(suffix: string | number, volume: number, piece: Uint8Array): Promise<AppendFile> {
    const label = encodeLabelRecord(this.label, this.#start!, volume);
    return AppendFile.create(`${this.base}.${suffix}`, joinBytes([label, piece]), this.#directory);
  }
}

export interface WritableFile {
  write(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesWritten: number }>;
  truncate(length: number): Promise<void>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** The file operations of a writer; injected, so that tests can let any of them fail. */
export interface WritableDirectory {
  /** Opens a file: `w` creates an empty one, `r+` needs an existing one. */
  open(path: string, flags: 'w' | 'r+'): Promise<WritableFile>;
  rename(from: string, to: string): Promise<void>;
}

const MODE = 0o640;

export const fileSystem: WritableDirectory = { open: (path, flags) => open(path, flags, MODE), rename };

/** A file that grows in whole pieces: an incomplete piece is cut off before the next is written. Calls must not overlap. */
class AppendFile {
  readonly #file: WritableFile;
  #length: number;
  /** There may be bytes of a failed piece beyond the length. */
  #isTorn: boolean;

  private constructor(file: WritableFile, length: number, isTorn: boolean) {
    this.#file = file;
    this.#length = length;
    this.#isTorn = isTorn;
  }

  /** A file that is created with its first piece. Throws an error of the system. */
  static async create(path: string, piece: Uint8Array, directory: WritableDirectory): Promise<AppendFile> {
    const unfinished = `${path}.new`;
    const file = new AppendFile(await directory.open(unfinished, 'w'), 0, false);
    return file.#orClosed(async () => {
      await file.append(piece);
      await directory.rename(unfinished, path);
    });
  }

  /** Continues a file behind its first `length` bytes; the rest is cut off. Throws an error of the system. */
  static async resume(path: string, length: number, directory: WritableDirectory): Promise<AppendFile> {
    const file = new AppendFile(await directory.open(path, 'r+'), length, true);
    return file.#orClosed(() => file.#mend());
  }

  /** Bytes of the pieces that were written completely. */
  get length(): number {
    return this.#length;
  }

  /** Appends a piece. Throws an error of the system, leaving the file as it was. */
  async append(piece: Uint8Array): Promise<void> {
    await this.#mend();
    this.#isTorn = true;
    try {
      await this.#write(piece);
    } catch (error) {
      await this.#mend().catch(() => undefined);
      throw error;
    }
    this.#isTorn = false;
    this.#length += piece.length;
  }

  async sync(): Promise<void> {
    await this.#mend();
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    try {
      await this.sync();
    } finally {
      await this.#file.close();
    }
  }

  async #write(piece: Uint8Array): Promise<void> {
    let done = 0;
    while (done < piece.length) {
      const { bytesWritten } = await this.#file.write(piece, done, piece.length - done, this.#length + done);
      if (bytesWritten === 0) throw new Error('the file system wrote nothing');
      done += bytesWritten;
    }
  }

  async #mend(): Promise<void> {
    if (!this.#isTorn) return;
    await this.#file.truncate(this.#length);
    this.#isTorn = false;
  }

  async #orClosed(work: () => Promise<void>): Promise<this> {
    try {
      await work();
      return this;
    } catch (error) {
      await this.#file.close().catch(() => undefined);
      throw error;
    }
  }
}
