import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { LRUCache } from 'lru-cache';
import { compareTimestamps, onPmError, PmError } from '../../pmapi/index.js';
import type { Timestamp } from '../../pmapi/index.js';
import { findArchives } from './archive-roots.js';
import type { ArchiveStore } from './archive-store.js';
import { Directories, errnoOf } from './files/archive-files.js';
import type { ArchiveFile, ArchiveFiles, ListDirectory } from './files/archive-files.js';
import { BlockFile } from './files/block-file.js';
import { Member } from './member.js';
import { META_VOLUME, readLabelRecord } from './metadata/label-record.js';
import type { LabelRecord } from './metadata/label-record.js';
import { Volume } from './records/volume.js';

/** An archive below a root as its label and its files' times describe it: no metadata was read, and no volume. */
export interface LabelledArchive {
  /** The name to open it by: relative to its root. */
  readonly name: string;
  readonly files: ArchiveFiles;
  readonly hostName: string;
  readonly timezone: string;
  readonly start: Timestamp;
  /** Nothing in it is later, as far as the time of its last change tells; undefined where that cannot be. */
  readonly latest: Timestamp | undefined;
  /** Another text when its last volume has changed. */
  readonly state: string;
}

/** An archive below a root whose label cannot be read. */
export interface UnlabelledArchive {
  readonly name: string;
  readonly error: PmError;
}

interface Known {
  /** Device and inode of the metadata file; of one that cannot be read its size, too: it may be about to be written. */
  readonly identity: string;
  readonly label: Pick<LabelRecord, 'hostName' | 'timezone' | 'start'> | PmError;
}

/** Bytes that labels may take: those of some 60,000 archives. */
const LABEL_BYTES = 32 * 1024 * 1024;
/** What an entry takes beside its texts. */
const ENTRY_BYTES = 400;
const ENDS_KEPT = 20_000;
/** How many labels are read at the same time. */
const READ_AT_ONCE = 8;

/**
 * The labels of all archives below roots. A label is read once: what is looked at again are directories, and the times and sizes of
 * two files of each archive.
 */
export class ArchiveLabels {
  readonly #store: ArchiveStore;
  readonly #list: ListDirectory | undefined;
  readonly #known = new LRUCache<string, Known>({
    maxSize: LABEL_BYTES,
    sizeCalculation: ({ identity }, path) => ENTRY_BYTES + 2 * (path.length + identity.length),
  });
  readonly #ends = new LRUCache<string, { readonly state: string; readonly end: Timestamp }>({ max: ENDS_KEPT });

  /** @param list lists a directory; the file system by default */
  constructor(store: ArchiveStore, list?: ListDirectory) {
    this.#store = store;
    this.#list = list;
  }

  /** The archives that the roots hold now, and those whose label cannot be read. Throws the signal's reason once that is aborted. */
  async list(
    roots: readonly string[],
    signal?: AbortSignal,
  ): Promise<{ readonly archives: readonly LabelledArchive[]; readonly broken: readonly UnlabelledArchive[] }> {
    const archives: LabelledArchive[] = [];
    const broken: UnlabelledArchive[] = [];
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

  /** The stamp of an archive's last intact record, which is looked for once for as long as the archive stays as it is. Throws a PmError. */
  async endOf({ files, state }: LabelledArchive, signal?: AbortSignal): Promise<Timestamp> {
    const known = this.#ends.get(files.base);
    if (known?.state === state) return known.end;
    const end = (await this.#lastStamp(files)) ?? (await this.#searchEnd(files, signal));
    this.#ends.set(files.base, { state, end });
    return end;
  }

  /** The stamp of the record at the end of the last volume; undefined if it has to be searched for. */
  async #lastStamp({ volumes }: ArchiveFiles): Promise<Timestamp | undefined> {
    const { memory } = this.#store;
    const { file: last, number } = volumes.at(-1)!;
    if (last.compression !== undefined) return undefined;
    const file = await BlockFile.open(last.path, memory).catch(onPmError(() => undefined));
    if (!file) return undefined;
    try {
      const volume = new Volume(file, await readLabelRecord(file, number), [], memory, undefined);
      return await volume.lastStamp();
    } catch (error) {
      if (error instanceof PmError) return undefined;
      throw error;
    } finally {
      await file.close();
    }
  }

  async #searchEnd(files: ArchiveFiles, signal: AbortSignal | undefined): Promise<Timestamp> {
    const { memory, inflater } = this.#store;
    const member = await Member.open(files, memory, inflater, signal);
    try {
      return await member.end(signal);
    } finally {
      await member.close();
    }
  }

  async #read(name: string, files: ArchiveFiles, signal: AbortSignal | undefined): Promise<LabelledArchive> {
    const last = files.volumes.at(-1)!.file;
    const [meta, volume] = await Promise.all([this.#stat(files.meta), this.#stat(last)]);
    const inode = `${meta.dev}:${meta.ino}`;
    let known = this.#known.get(files.base);
    if (known?.identity !== (known?.label instanceof PmError ? `${inode}:${meta.size}` : inode)) {
      const label = await this.#label(files, signal);
      known = { identity: label instanceof PmError ? `${inode}:${meta.size}` : inode, label };
      this.#known.set(files.base, known);
    }
    const { label } = known;
    if (label instanceof PmError) throw label;
    const { hostName, timezone, start } = label;
    const changed = { sec: Math.ceil(volume.mtimeMs / 1000), nsec: 0 };
    const latest = compareTimestamps(changed, start) < 0 ? undefined : changed;
    const state = `${inode}:${last.path}:${volume.ino}:${volume.size}:${volume.mtimeMs}`;
    return { name, files, hostName, timezone, start, latest, state };
  }

  async #label({ meta }: ArchiveFiles, signal: AbortSignal | undefined): Promise<Known['label']> {
    const { memory, inflater } = this.#store;
    const { metadataBytes, inflatedFileBytes } = memory.limits;
    try {
      const plain = await inflater.open(meta, Math.min(metadataBytes, inflatedFileBytes), signal);
      try {
        const file = await BlockFile.open(meta.path, memory, plain.copy);
        try {
          const { hostName, timezone, start } = await readLabelRecord(file, META_VOLUME);
          return { hostName, timezone, start };
        } finally {
          await file.close();
        }
      } finally {
        await plain.release();
      }
    } catch (error) {
      if (error instanceof PmError && error.pmErr < LAST_ERRNO) return error;
      throw error;
    }
  }

  #stat({ path }: ArchiveFile): Promise<{ dev: number; ino: number; size: number; mtimeMs: number }> {
    return this.#store.memory.files
      .inTurn(() => stat(path))
      .catch((error: unknown) => {
        throw new PmError(errnoOf(error), basename(path), { cause: error });
      });
  }
}

/** PCP's own codes lie below: those are of the file itself, and not of the moment. */
const LAST_ERRNO = -4096;
