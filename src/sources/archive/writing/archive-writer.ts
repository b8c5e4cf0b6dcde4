import { addInterval, compareTimestamps, formatPmid, formatTimestamp } from '../../../pmapi/index.js';
import type { Instance, LabelSet, LabelTarget, MetricDescriptor, Timestamp } from '../../../pmapi/index.js';
import type { HelpLevel, HelpTarget } from '../../metric-source.js';
import { INDEX_VOLUME, LABEL_RECORD_BYTES, META_VOLUME } from '../metadata/label-record.js';
import type { IndexEntry } from '../metadata/temporal-index.js';
import { AppendFile, fileSystem } from './append-file.js';
import type { WritableDirectory } from './append-file.js';
import { encodeIndexEntry, encodeLabelRecord } from './encode-metadata.js';
import type { ArchiveLabel } from './encode-metadata.js';
import { encodeMark, encodeRecord } from './encode-record.js';
import type { ArchiveSample } from './encode-record.js';
import { findResumePoint } from './resume-point.js';
import { WrittenMetadata } from './written-metadata.js';

const LABEL_BYTES = LABEL_RECORD_BYTES[3];
/** How far apart entries of the temporal index are, as pmlogger has them. */
const INDEX_SPACING_BYTES = 100_000;
/** A mark stands a millisecond behind the last record, as pmlogextract has it. */
const MARK_DISTANCE: Timestamp = { sec: 0, nsec: 1_000_000 };

/** What an archive is continued with. */
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
  /** Metadata records that are not written yet. */
  #pending: Buffer[] = [];
  /** What instance domains and labels are from the next record on. */
  readonly #nextIndoms = new Map<number, readonly Instance[]>();
  readonly #nextLabels = new Map<string, readonly [target: LabelTarget, sets: readonly LabelSet[]]>();
  #meta: AppendFile | undefined;
  #index: AppendFile | undefined;
  #data: AppendFile | undefined;
  #volume: number;
  /** The stamp of the last record, and the one that was asked for: see `stampFor`. */
  #end: Timestamp | undefined;
  #asked: Timestamp | undefined;
  #owesMark: boolean;
  /** The stamp in the labels of metadata and index: that of the first record. */
  #start: Timestamp | undefined;
  /** The place of the last record, and of the last one that the temporal index has. */
  #last: IndexEntry | undefined;
  #indexed: IndexEntry | undefined;
  /** Index entries that are not written yet. */
  #entries: Buffer[] = [];
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

  /** A new archive. Nothing is written before the first record; files of the same name are replaced then. */
  static create(base: string, label: ArchiveLabel, directory: WritableDirectory = fileSystem): ArchiveWriter {
    return new ArchiveWriter(base, label, directory);
  }

  /**
   * Go on behind the last whole record of an archive of version 3, with a mark; half a record behind it is cut off. Throws an error that says
   * why when that is not possible, and leaves the files as they are.
   */
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

  /** The moment of the first record; undefined before it. */
  get start(): Timestamp | undefined {
    return this.#start;
  }

  /** The moment of the last record; undefined before the first. Nothing can be written before it. */
  get end(): Timestamp | undefined {
    return this.#asked;
  }

  /** The number of the volume that holds the last record; -1 before the first. */
  get volume(): number {
    return this.#volume;
  }

  /** Bytes of the current volume; 0 when the next record begins one. */
  get volumeBytes(): number {
    return this.#data?.length ?? 0;
  }

  /** Bytes that this writer's archive has, without those of volumes before it was resumed. */
  get bytes(): number {
    return this.#closedBytes + this.volumeBytes + (this.#meta?.length ?? 0) + (this.#index?.length ?? 0);
  }

  /** The PMID that a name was described with; undefined for a name that was not. */
  pmidOf(name: string): number | undefined {
    return this.#metadata.pmidOf(name);
  }

  /** Whether a metric was described: its values can be recorded then. */
  hasMetric(pmid: number): boolean {
    return this.#metadata.hasMetric(pmid);
  }

  /**
   * Describe a metric. Throws PM_ERR_LOGCHANGETYPE, …SEM, …INDOM or …UNITS when the archive has another descriptor of that PMID,
   * PM_ERR_PMID when it has one of the names with another PMID: such metrics need another archive.
   */
  describe(descriptor: MetricDescriptor, names: readonly string[]): void {
    this.#add(this.#metadata.describe(descriptor, names));
  }

  /** Say which instances a domain has from the next record of values on. What has not changed is not written. */
  instances(indom: number, instances: readonly Instance[]): void {
    this.#nextIndoms.set(indom, instances);
  }

  /** Say which labels a target has from the next record of values on. What has not changed is not written. */
  labels(target: LabelTarget, sets: readonly LabelSet[]): void {
    this.#nextLabels.set(JSON.stringify(target), [target, sets]);
  }

  /** Record a help text. Texts have no time: of several for one target, the first stays. */
  help(target: HelpTarget, level: HelpLevel, text: string): void {
    this.#add(this.#metadata.help(target, level, text));
  }

  /**
   * Append a record of values of metrics that were described. Where instances or labels changed again at the moment of the last record, its
   * stamp is a nanosecond later. Throws RangeError for other metrics and for a moment before {@link end}, and errors of the system.
   */
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

  /** Append a mark: what comes behind it does not continue what is before it. Nothing happens before the first record. */
  async mark(time: Timestamp): Promise<void> {
    if (this.#end === undefined) return;
    this.#requireOrder(time);
    const stamp = this.#notBeforeEnd(time);
    await this.#write(encodeMark(stamp), stamp);
    this.#asked = time;
    this.#owesMark = false;
  }

  /** Have the system write all records to the disk, so that a power failure does not lose them. Throws an error of the system. */
  async sync(): Promise<void> {
    // Records need the metadata that was written before them.
    for (const file of [this.#meta, this.#data, this.#index]) await file?.sync();
  }

  /** Begin a new volume with the next record. Throws an error of the system when some of this one may not have reached the disk. */
  async rotate(): Promise<void> {
    const data = this.#data;
    if (!data) return;
    this.#indexLast();
    this.#data = undefined;
    this.#closedBytes += data.length;
    await data.close();
  }

  /** Write what is left and close the files. Throws an error of the system when some of it may not have reached the disk. */
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

  #add(record: Buffer | undefined): void {
    if (record) this.#pending.push(record);
  }

  /** Turn what has changed into records that wait; returns the stamp that these, and the record at that moment, have. */
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

  async #write(record: Buffer, stamp: Timestamp): Promise<void> {
    const metaOffset = this.#meta?.length ?? LABEL_BYTES;
    this.#start ??= stamp;
    await this.#writeMetadata(this.#start);
    const dataOffset = this.#data?.length ?? LABEL_BYTES;
    if (this.#data) await this.#data.append(record);
    else await this.#beginVolume(record, this.#start);
    this.#end = stamp;
    this.#last = { stamp, volume: this.#volume, metaOffset, dataOffset };
    const indexed = this.#indexed;
    if (indexed?.volume !== this.#volume || dataOffset >= indexed.dataOffset + INDEX_SPACING_BYTES) this.#indexLast();
    // The index only helps to find records: an entry that cannot be written now is written later.
    await this.#writeEntries().catch(() => undefined);
  }

  /** Write the metadata that waits, in one piece. */
  async #writeMetadata(start: Timestamp): Promise<void> {
    const { length } = this.#pending;
    const piece = Buffer.concat(this.#pending);
    if (!this.#meta) {
      const label = encodeLabelRecord(this.label, start, META_VOLUME);
      this.#meta = await this.#createFile('meta', Buffer.concat([label, piece]));
    } else if (piece.length > 0) {
      await this.#meta.append(piece);
    }
    this.#pending.splice(0, length);
  }

  /** All labels tell when the archive began: libpcp takes that of any volume for it. */
  async #beginVolume(record: Buffer, start: Timestamp): Promise<void> {
    const volume = this.#volume + 1;
    const label = encodeLabelRecord(this.label, start, volume);
    this.#data = await this.#createFile(volume, Buffer.concat([label, record]));
    this.#volume = volume;
  }

  /** Have an entry of the temporal index lead to the last record. */
  #indexLast(): void {
    if (!this.#last || this.#last === this.#indexed) return;
    this.#entries.push(encodeIndexEntry(this.#last));
    this.#indexed = this.#last;
  }

  async #writeEntries(): Promise<void> {
    if (this.#entries.length === 0) return;
    const piece = Buffer.concat(this.#entries);
    if (this.#index) {
      await this.#index.append(piece);
    } else {
      const label = encodeLabelRecord(this.label, this.#start!, INDEX_VOLUME);
      this.#index = await this.#createFile('index', Buffer.concat([label, piece]));
    }
    this.#entries = [];
  }

  #createFile(suffix: string | number, piece: Buffer): Promise<AppendFile> {
    return AppendFile.create(`${this.base}.${suffix}`, piece, this.#directory);
  }
}
