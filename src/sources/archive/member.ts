import { compareTimestamps, PM_ERR, PmError, type Timestamp } from '../../pmapi/index.js';
import { SharedWorks } from '../shared-work.js';
import { waitFor, type Waits } from '../waits.js';
import { ENOENT, lastPart, type ArchiveFile, type ArchiveFiles } from './files/archive-files.js';
import type { ArchiveMemory } from './archive-memory.js';
import { BlockFile } from './files/block-file.js';
import type { ByteFile, FileSystem } from './files/byte-file.js';
import { INDEX_VOLUME, META_VOLUME, readLabelRecord, requireSameArchive } from './metadata/label-record.js';
import type { LabelRecord } from './metadata/label-record.js';
import { readTemporalIndex, type IndexEntry } from './metadata/temporal-index.js';
import { SEGMENT_BYTES, Volume, type Segment } from './records/volume.js';

interface VolumeSlot {
  readonly number: number;
  file: ArchiveFile;
  volume: Volume | undefined;
}

/** Pieces that the temporal index may divide a volume into before it is read. */
const MAX_HINTS = 2000;

/** One archive of a context: its files, opened as they are needed. @see LOGARCHIVE(5) */
export class Member {
  readonly base: string;
  readonly label: LabelRecord;
  readonly meta: BlockFile;
  readonly #memory: ArchiveMemory;
  readonly #files: FileSystem;
  readonly #slots: VolumeSlot[];
  readonly #opening = new SharedWorks<VolumeSlot, Volume>();
  readonly #hints: readonly IndexEntry[];
  /** When the directory had changed before it was listed last; undefined if a later change may not show. */
  #listed: number | undefined;
  #end: { readonly volume: Volume; readonly size: number; readonly stamp: Timestamp } | undefined;

  private constructor(
    { base, listed }: ArchiveFiles,
    label: LabelRecord,
    meta: BlockFile,
    hints: readonly IndexEntry[],
    slots: VolumeSlot[],
    memory: ArchiveMemory,
    files: FileSystem,
  ) {
    this.base = base;
    this.#listed = listed;
    this.label = label;
    this.meta = meta;
    this.#hints = hints;
    this.#slots = slots;
    this.#memory = memory;
    this.#files = files;
    meta.findCopy = () => this.#copyOf(META_VOLUME);
    for (const { number, volume } of slots) if (volume) volume.file.findCopy = () => this.#copyOf(number);
  }

  /** Opens its metadata, index and first volume. Throws PM_ERR_LABEL, PM_ERR_NODATA, PM_ERR_LOGREC, PM_ERR_TOOBIG, or a negated errno. */
  static async open(
    archive: ArchiveFiles,
    memory: ArchiveMemory,
    files: FileSystem,
    signal?: AbortSignal,
  ): Promise<Member> {
    try {
      return await Member.#openFiles(archive, memory, files, signal);
    } catch (error) {
      // A file may have been compressed since the directory was listed.
      if (!(error instanceof PmError) || error.pmErr !== ENOENT) throw error;
      return Member.#openFiles(await files.find(archive.base), memory, files, signal);
    }
  }

  static async #openFiles(
    archive: ArchiveFiles,
    memory: ArchiveMemory,
    files: FileSystem,
    signal: AbortSignal | undefined,
  ): Promise<Member> {
    const { metadataBytes, indexBytes } = memory.limits;
    const opened: BlockFile[] = [];
    const open = async (file: ArchiveFile, most?: number): Promise<BlockFile> => {
      signal?.throwIfAborted();
      const block = new BlockFile(await files.open(file, most, signal), memory.blocks);
      opened.push(block);
      return block;
    };
    try {
      const slots: VolumeSlot[] = archive.volumes.map((volume) => ({ ...volume, volume: undefined }));
      const first = slots[0]!;
      const data = await open(first.file);
      const label = await readLabelRecord(data, first.number);
      const meta = await open(archive.meta, metadataBytes);
      requireSameArchive(label, await readLabelRecord(meta, META_VOLUME), meta.name);
      const spacing = Math.max(SEGMENT_BYTES, data.size / MAX_HINTS);
      let hints: readonly IndexEntry[] = [];
      if (archive.index) {
        const index = await open(archive.index, indexBytes);
        requireSameArchive(label, await readLabelRecord(index, INDEX_VOLUME), index.name);
        hints = await readTemporalIndex(index, label.version, spacing, indexBytes, signal);
        opened.pop();
        await index.close();
      }
      const own = hints.filter((entry) => entry.volume === first.number);
      first.volume = new Volume(data, label, own, memory);
      return new Member(archive, label, meta, hints, slots, memory, files);
    } catch (error) {
      await Promise.all(opened.map((file) => file.close()));
      throw error;
    }
  }

  get volumeCount(): number {
    return this.#slots.length;
  }

  peekVolume(i: number): Volume | undefined {
    return this.#slots[i]?.volume;
  }

  /** Opens a volume. Throws PM_ERR_LABEL for another archive's, and the signal's reason; opening stops when no one else waits. */
  async openVolume(i: number, signal?: AbortSignal): Promise<Volume> {
    const slot = this.#slots[i]!;
    return slot.volume ?? this.#opening.join(slot, (stop) => this.#open(slot, stop), signal);
  }

  volumeNumber(i: number): number {
    return this.#slots[i]!.number;
  }

  /** A moment that no record of a volume precedes, judging without opening it. */
  volumeSince(i: number): Timestamp | undefined {
    const slot = this.#slots[i]!;
    const known = slot.volume?.segments[0]?.since;
    return known ?? this.#hints.find((entry) => entry.volume === slot.number)?.stamp;
  }

  /** The stamp of the last intact record; throws PM_ERR_LOGREC without any. @see pmGetArchiveEnd(3) */
  *end(signal?: AbortSignal): Waits<Timestamp> {
    for (let i = this.#slots.length - 1; i >= 0; i--) {
      const volume = this.peekVolume(i) ?? (yield* waitFor(this.openVolume(i, signal)));
      if (this.#end?.volume === volume && this.#end.size === volume.file.size) return this.#end.stamp;
      const stamp = (yield* waitFor(volume.lastStamp())) ?? (yield* waitFor(lastIntactStamp(volume, signal)));
      if (stamp) {
        this.#end = { volume, size: volume.file.size, stamp };
        return stamp;
      }
    }
    throw new PmError(PM_ERR.LOGREC, `${lastPart(this.base)}: no intact record`);
  }

  /** Looks for appended records and volumes; returns whether there are any. */
  async refresh(): Promise<boolean> {
    const last = this.#slots.at(-1)!;
    let grown = false;
    if (last.file.compression === undefined) {
      if (last.volume) grown = await last.volume.refresh();
      const listed = await this.#files.changed(this.base);
      if (listed !== undefined && listed === this.#listed) return grown;
      const files = await this.#files.find(this.base).catch(() => undefined);
      this.#listed = files?.listed;
      for (const { number, file } of files?.volumes ?? []) {
        if (number <= this.#slots.at(-1)!.number) continue;
        this.#slots.push({ number, file, volume: undefined });
        grown = true;
      }
    }
    return grown;
  }

  async close(): Promise<void> {
    const volumes = await Promise.all(
      this.#slots.map(async (slot) => {
        const opening = this.#opening.get(slot);
        opening?.giveUp(new PmError(PM_ERR.NOCONTEXT));
        return slot.volume ?? opening?.result.catch(() => undefined);
      }),
    );
    await Promise.all([this.meta.close(), ...volumes.map(async (volume) => volume?.close())]);
  }

  async #open(slot: VolumeSlot, stop: AbortSignal): Promise<Volume> {
    try {
      return await this.#openFile(slot, stop);
    } catch (error) {
      // pmlogger_daily(1) compresses volumes while we have the archive open: they continue under other names.
      const found = error instanceof PmError && error.pmErr === ENOENT ? await this.#find(slot.number) : undefined;
      if (!found || found.path === slot.file.path) throw error;
      slot.file = found;
      return this.#openFile(slot, stop);
    }
  }

  async #find(volume: number): Promise<ArchiveFile | undefined> {
    const files = await this.#files.find(this.base).catch(() => undefined);
    if (volume === META_VOLUME) return files?.meta;
    return files?.volumes.find(({ number }) => number === volume)?.file;
  }

  /** The inflated copy of a file that was compressed while it was open. Throws PM_ERR_LABEL for one of another archive. */
  async #copyOf(volume: number): Promise<ByteFile | undefined> {
    const file = await this.#find(volume);
    if (file?.compression === undefined) return undefined;
    const copy = await this.#files.open(file);
    try {
      const label = await readLabelRecord(new BlockFile(copy, this.#memory.blocks), volume);
      requireSameArchive(this.label, label, copy.name);
      return copy;
    } catch (error) {
      await copy.close();
      throw error;
    }
  }

  async #openFile(slot: VolumeSlot, stop: AbortSignal): Promise<Volume> {
    const block = new BlockFile(await this.#files.open(slot.file, undefined, stop), this.#memory.blocks);
    try {
      if (block.size > 0) requireSameArchive(this.label, await readLabelRecord(block, slot.number), block.name);
      const hints = this.#hints.filter((entry) => entry.volume === slot.number);
      const volume = new Volume(block, this.label, hints, this.#memory);
      block.findCopy = () => this.#copyOf(slot.number);
      slot.volume = volume;
      return volume;
    } catch (error) {
      await block.close();
      throw error;
    }
  }
}

/** The last intact record of a volume with a damaged tail: read on from the last place that the index vouches for. */
async function lastIntactStamp(volume: Volume, signal?: AbortSignal): Promise<Timestamp | undefined> {
  for (let last = volume.segments.at(-1); last; last = volume.segments[last.index - 1]) {
    last = await volume.divideEnd(last);
    let found: Timestamp | undefined;
    // Reading a segment for the first time may cut it: what is cut off follows.
    for (let segment: Segment | undefined = last; segment; segment = volume.segments[segment.index + 1]) {
      await volume.load(segment, signal);
      const { summary } = segment;
      if (summary && summary.intact > 0 && (!found || compareTimestamps(summary.last, found) >= 0))
        found = summary.last;
    }
    if (found) return found;
  }
  return undefined;
}
