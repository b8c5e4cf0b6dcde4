import { LRUCache } from 'lru-cache';
import { compareTimestamps, onPmError, PM_ERR, PmError, type Timestamp } from '../../../pmapi/index.js';
import { SharedWorks } from '../../shared-work.js';
import { filesOf, type ArchiveFiles } from '../files/archive-files.js';
import { endOfArchive, metricsIn, withMeta } from '../ends.js';
import { META_VOLUME, readLabelRecord, type LabelRecord } from '../metadata/label-record.js';
import { countMetrics } from '../metadata/metadata-records.js';
import { findArchives } from './archive-roots.js';
import type { ArchiveStore } from './archive-store.js';
import { Directories, type ListDirectory } from './open-files.js';

/** An archive below a root, described by its label and its files' times: neither metadata nor volumes were read. */
export interface LabelledArchive {
  /** The name to open it by: relative to its root. */
  readonly name: string;
  readonly files: ArchiveFiles;
  readonly hostName: string;
  readonly timezone: string;
  readonly start: Timestamp;
  /** Nothing in it is later, judging by its modification time; undefined where that cannot be told. */
  readonly latest: Timestamp | undefined;
  readonly version: LabelRecord['version'];
  readonly metrics: number | undefined;
  /** Changes with the last volume. */
  readonly state: string;
  /** Changes with the metadata. */
  readonly metaState: string;
  /** Bytes of its metadata file and its last volume. */
  readonly lookedAtBytes: number;
}

/** An archive's label, extent and size. */
export interface ArchiveSummary {
  readonly end: Timestamp;
  readonly metrics: number;
  /** The size of all its files on disk, in bytes. */
  readonly sizeBytes: number;
}

/** An archive below a root that cannot be opened, and why. */
export interface BrokenArchive {
  readonly name: string;
  readonly error: PmError;
}

interface Known {
  /** Device, inode, size and time of the metadata file: another archive may have been written over it. */
  readonly identity: string;
  readonly label: ArchiveLabel | PmError;
}

interface ArchiveLabel extends Pick<LabelRecord, 'version' | 'pid' | 'hostName' | 'timezone' | 'start'> {
  /** The metadata file's number of metrics, if counted with the label, and its size then. */
  readonly counted: { readonly metrics: number; readonly size: number } | undefined;
}

interface Summarized {
  readonly state: string;
  readonly metaState: string;
  readonly summary: ArchiveSummary | PmError;
}

/** The metrics of metadata files up to this size, and of compressed ones, are counted when their label is read. */
const SMALL_META_BYTES = 64 * 1024;
/** Bytes that labels may take: those of some 60,000 archives. */
const LABEL_BYTES = 32 * 1024 * 1024;
const ENTRY_BYTES = 400;
/** Archives whose ends and summaries are cached. */
const KEPT = 20_000;
/** For `max`, everything is allocated at once. */
const COUNTED = { maxSize: KEPT, sizeCalculation: () => 1 };
const READ_AT_ONCE = 8;

/** The archives below roots. Directories and the times of two files each are read each time; labels and ends when they changed. */
export class ArchiveCatalogue {
  readonly #store: ArchiveStore;
  readonly #list: ListDirectory | undefined;
  readonly #known = new LRUCache<string, Known>({
    maxSize: LABEL_BYTES,
    sizeCalculation: ({ identity }, path) => ENTRY_BYTES + 2 * (path.length + identity.length),
  });
  readonly #ends = new LRUCache<string, { readonly state: string; readonly end: Timestamp }>(COUNTED);
  readonly #summaries = new LRUCache<string, Summarized>(COUNTED);
  readonly #summarizing = new SharedWorks<string, ArchiveSummary>();

  /** @param list lists a directory; the file system by default */
  constructor(store: ArchiveStore, list?: ListDirectory) {
    this.#store = store;
    this.#list = list;
  }

  /** The archives that the roots hold now, and those whose label cannot be read. Throws the signal's reason once that is aborted. */
  async list(
    roots: readonly string[],
    signal?: AbortSignal,
  ): Promise<{ readonly archives: readonly LabelledArchive[]; readonly broken: readonly BrokenArchive[] }> {
    const archives: LabelledArchive[] = [];
    const broken: BrokenArchive[] = [];
    const found = (await findArchives(roots, new Directories(this.#list), signal)).values();
    const work = async (): Promise<void> => {
      for (const { name, files } of found) {
        signal?.throwIfAborted();
        try {
          archives.push(await this.#read(name, files, signal));
        } catch (error) {
          signal?.throwIfAborted();
          if (!(error instanceof PmError)) throw error;
          broken.push({ name, error });
        }
      }
    };
    await Promise.all(Array.from({ length: READ_AT_ONCE }, work));
    archives.sort((a, b) => compareTimestamps(a.start, b.start) || (a.name < b.name ? -1 : 1));
    return { archives, broken };
  }

  /** The stamp of an archive's last intact record; cached until the archive changes. Throws a PmError. */
  async endOf({ files, state }: LabelledArchive, signal?: AbortSignal): Promise<Timestamp> {
    const known = this.#ends.get(files.base);
    if (known?.state === state) return known.end;
    const label = this.#known.get(files.base)?.label;
    const end = await endOfArchive(this.#store, files, label instanceof PmError ? undefined : label, signal);
    this.#ends.set(files.base, { state, end });
    return end;
  }

  /** An archive's summary; shared by concurrent callers. Throws a PmError if it cannot be opened, and the signal's reason. */
  async summarize(archive: LabelledArchive, signal?: AbortSignal): Promise<ArchiveSummary> {
    const { files, state, metaState } = archive;
    const known = this.#summaries.get(files.base);
    if (known?.state === state && known.metaState === metaState) return summaryOrThrow(known.summary);
    const key = `${files.base}\0${state}\0${metaState}`;
    return this.#summarizing.join(key, (stop) => this.#makeSummary(archive, known, stop), signal);
  }

  async #makeSummary(
    archive: LabelledArchive,
    before: Summarized | undefined,
    signal: AbortSignal,
  ): Promise<ArchiveSummary> {
    const { files, state, metaState } = archive;
    const knows = before?.metaState === metaState && !(before.summary instanceof PmError) ? before.summary : undefined;
    let summary: ArchiveSummary | PmError;
    try {
      const metrics = knows?.metrics ?? archive.metrics ?? (await metricsIn(this.#store, files, signal));
      const end = await this.endOf(archive, signal);
      const others = filesOf(files).filter((file) => file !== files.meta && file !== files.volumes.at(-1)!.file);
      const sizes = await Promise.all(others.map(async ({ path }) => (await this.#store.files.stat(path)).size));
      summary = { end, metrics, sizeBytes: sizes.reduce((sum, size) => sum + size, archive.lookedAtBytes) };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof PmError) || !isLasting(error)) throw error;
      summary = error;
    }
    this.#summaries.set(files.base, { state, metaState, summary });
    return summaryOrThrow(summary);
  }

  async #read(name: string, files: ArchiveFiles, signal: AbortSignal | undefined): Promise<LabelledArchive> {
    const last = files.volumes.at(-1)!.file;
    const { files: disk } = this.#store;
    const [meta, volume] = await Promise.all([disk.stat(files.meta.path), disk.stat(last.path)]);
    const inode = `${meta.dev}:${meta.ino}`;
    const identity = `${inode}:${meta.size}:${meta.mtimeMs}`;
    let known = this.#known.get(files.base);
    if (known?.identity !== identity) {
      known = { identity, label: await this.#label(files, meta.size, signal) };
      this.#known.set(files.base, known);
    }
    const { label } = known;
    if (label instanceof PmError) throw label;
    const { version, hostName, timezone, start, counted } = label;
    const metrics = counted?.size === meta.size ? counted.metrics : undefined;
    const lookedAtBytes = meta.size + volume.size;
    const changed = { sec: Math.ceil(volume.mtimeMs / 1000), nsec: 0 };
    const latest = compareTimestamps(changed, start) < 0 ? undefined : changed;
    const state = `${inode}:${last.path}:${volume.ino}:${volume.size}:${volume.mtimeMs}`;
    const metaState = `${inode}:${files.meta.path}:${meta.size}:${meta.mtimeMs}`;
    return { name, files, version, metrics, hostName, timezone, start, latest, state, metaState, lookedAtBytes };
  }

  async #label({ meta }: ArchiveFiles, size: number, signal: AbortSignal | undefined): Promise<ArchiveLabel | PmError> {
    const { memory } = this.#store;
    try {
      return await withMeta(
        this.#store,
        meta,
        async (file) => {
          const { version, pid, hostName, timezone, start } = await readLabelRecord(file, META_VOLUME);
          const label = { version, pid, hostName, timezone, start, counted: undefined };
          if (meta.compression === undefined && file.size > SMALL_META_BYTES) return label;
          const unknown = onPmError(() => undefined);
          const metrics = await countMetrics(file, version, memory.limits, signal).catch(unknown);
          return { ...label, counted: metrics === undefined ? undefined : { metrics, size } };
        },
        signal,
      );
    } catch (error) {
      if (error instanceof PmError && isLasting(error)) return error;
      throw error;
    }
  }
}

function summaryOrThrow(summary: ArchiveSummary | PmError): ArchiveSummary {
  if (summary instanceof PmError) throw summary;
  return summary;
}

/** Whether an error is of the file itself, not of the system or the moment. */
function isLasting({ pmErr }: PmError): boolean {
  return pmErr < LAST_ERRNO && pmErr !== PM_ERR.NOCONTEXT;
}

/** PCP's own codes lie below. */
const LAST_ERRNO = -4096;
