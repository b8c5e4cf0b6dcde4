import { stat } from 'node:fs/promises';
import path from 'node:path';
import { LRUCache } from 'lru-cache';
import { PM_ERR, PmError } from '../../pmapi/index.js';
import type { Timestamp } from '../../pmapi/index.js';
import { Archive } from './archive.js';
import { Directories, errnoOf, filesOf } from './files/archive-files.js';
import type { ArchiveFile, ArchiveFiles, ListDirectory } from './files/archive-files.js';
import { findArchives } from './archive-roots.js';
import type { ArchiveStore } from './archive-store.js';
import { Member } from './member.js';

/** What an archive says of itself. */
export interface ArchiveSummary {
  readonly hostName: string;
  readonly timezone: string;
  readonly start: Timestamp;
  readonly end: Timestamp;
  readonly version: number;
  /** How many metrics it describes. */
  readonly metrics: number;
  /** Bytes of all its files, as they lie on disk. */
  readonly sizeBytes: number;
}

/** What a root holds under one name. */
export interface ArchiveListing extends ArchiveSummary {
  /** The name to open it by: relative to its root. */
  readonly name: string;
}

/** An archive below a root that cannot be opened, and why. */
export interface BrokenArchive {
  readonly name: string;
  readonly error: Error;
}

/** What the roots hold: archives, and those that cannot be opened. */
export interface ArchiveList {
  readonly archives: readonly ArchiveListing[];
  readonly broken: readonly BrokenArchive[];
}

/** An archive as it was when it was read. */
interface Known {
  /** Sizes, times and inodes of its files. */
  readonly state: string;
  /** Those of its metadata. */
  readonly metaState: string;
  readonly summary: ArchiveSummary | PmError;
}

/** Bytes that what is known may take: some 20,000 archives of a few files each. */
const KNOWN_BYTES = 16 * 1024 * 1024;
/** What an entry takes beside its texts. */
const KNOWN_ITSELF_BYTES = 500;

/**
 * Lists the archives below roots. What was read of an archive is remembered for as long as its files stay as they are; of one that
 * grows, no more is read again than its end.
 */
export class ArchiveCatalogue {
  readonly #store: ArchiveStore;
  readonly #list: ListDirectory | undefined;
  readonly #known = new LRUCache<string, Known>({
    maxSize: KNOWN_BYTES,
    sizeCalculation: ({ state, metaState }, base) =>
      KNOWN_ITSELF_BYTES + 2 * (base.length + state.length + metaState.length),
  });

  /** @param list lists a directory; the file system by default */
  constructor(store: ArchiveStore, list?: ListDirectory) {
    this.#store = store;
    this.#list = list;
  }

  /**
   * Everything that the roots hold now, down to eight levels; archives that cannot be opened are listed as such. Throws the signal's
   * reason once that is aborted.
   */
  async list(roots: readonly string[], signal?: AbortSignal): Promise<ArchiveList> {
    const archives: ArchiveListing[] = [];
    const broken: BrokenArchive[] = [];
    for (const { name, files } of await findArchives(roots, new Directories(this.#list), signal)) {
      signal?.throwIfAborted();
      try {
        archives.push({ name, ...(await this.#summarize(files, signal)) });
      } catch (error) {
        signal?.throwIfAborted();
        broken.push({ name, error: error instanceof Error ? error : new Error(String(error)) });
      }
    }
    return { archives, broken };
  }

  async #summarize(files: ArchiveFiles, signal: AbortSignal | undefined): Promise<ArchiveSummary> {
    const { state, metaState, sizeBytes } = await this.#look(files);
    const known = this.#known.get(files.base);
    if (known?.state === state) return summaryOrThrow(known.summary);
    const before =
      known && known.metaState === metaState && !(known.summary instanceof Error) ? known.summary : undefined;
    let summary: Known['summary'];
    try {
      summary = { ...(await this.#read(files, before?.metrics, signal)), sizeBytes };
    } catch (error) {
      if (!(error instanceof PmError) || !isLasting(error)) throw error;
      summary = error;
    }
    this.#known.set(files.base, { state, metaState, summary });
    return summaryOrThrow(summary);
  }

  /** @param metrics how many it describes, when its metadata need not be read */
  async #read(
    files: ArchiveFiles,
    metrics: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Omit<ArchiveSummary, 'sizeBytes'>> {
    const { memory, inflater } = this.#store;
    if (metrics === undefined) {
      const archive = await Archive.open([files], memory, inflater, signal);
      try {
        return { ...describe(archive), end: await archive.end(signal), metrics: archive.metadata.metricCount };
      } finally {
        await archive.close();
      }
    }
    const member = await Member.open(files, memory, inflater, signal);
    try {
      return { ...describe(member), end: await member.end(signal), metrics };
    } finally {
      await member.close();
    }
  }

  async #look(files: ArchiveFiles): Promise<{ state: string; metaState: string; sizeBytes: number }> {
    const all = await Promise.all(filesOf(files).map((file) => this.#stateOf(file)));
    const sizeBytes = all.reduce((sum, { size }) => sum + size, 0);
    return { state: all.map(({ state }) => state).join(), metaState: all[0]!.state, sizeBytes };
  }

  async #stateOf({ path: file }: ArchiveFile): Promise<{ readonly state: string; readonly size: number }> {
    const name = path.basename(file);
    const found = await this.#store.memory.files
      .inTurn(() => stat(file))
      .catch((error: unknown) => {
        throw new PmError(errnoOf(error), name, { cause: error });
      });
    const { size, mtimeMs, dev, ino } = found;
    return { state: `${name}:${size}:${mtimeMs}:${dev}:${ino}`, size };
  }
}

function describe({ label }: Archive | Member): Pick<ArchiveSummary, 'hostName' | 'timezone' | 'start' | 'version'> {
  const { hostName, timezone, start, version } = label;
  return { hostName, timezone, start, version };
}

function summaryOrThrow(summary: Known['summary']): ArchiveSummary {
  if (summary instanceof Error) throw summary;
  return summary;
}

/** Whether an error is of the files themselves, and not of the system or the moment. */
function isLasting({ pmErr }: PmError): boolean {
  return pmErr <= PM_ERR_BASE && pmErr !== PM_ERR.NOCONTEXT;
}

/** PCP's own codes lie below. */
const PM_ERR_BASE = -12345;
