import { compareTimestamps, PM_ERR, PmError, type Timestamp } from '../../pmapi/index.js';
import { lastPart, type ArchiveFiles } from './files/archive-files.js';
import type { FileSystem } from './files/byte-file.js';
import type { Waits } from '../waits.js';
import type { ArchiveMemory } from './archive-memory.js';
import type { LabelRecord } from './metadata/label-record.js';
import { Member } from './member.js';
import { Metadata } from './metadata/metadata.js';
import { Timeline } from './timeline.js';

/** Archives read as one (often just one): shared by contexts, without a position, within the budgets of {@link ArchiveMemory}. */
export class Archive {
  readonly members: readonly Member[];
  readonly metadata: Metadata;
  readonly timeline: Timeline;
  readonly memory: ArchiveMemory;
  #dataVersion = 1;
  #refreshing: Promise<boolean> | undefined;

  private constructor(members: readonly Member[], metadata: Metadata, memory: ArchiveMemory) {
    this.members = members;
    this.metadata = metadata;
    this.memory = memory;
    this.timeline = new Timeline(members, memory);
  }

  /** In any order. Throws PM_ERR_LOGHOST, PM_ERR_LOGOVERLAP for equal starts, PM_ERR_LOGCHANGE…, and what opening one throws. */
  static async open(
    archives: readonly ArchiveFiles[],
    memory: ArchiveMemory,
    files: FileSystem,
    signal?: AbortSignal,
  ): Promise<Archive> {
    const members: Member[] = [];
    try {
      for (const archive of archives) members.push(await Member.open(archive, memory, files, signal));
      members.sort((a, b) => compareTimestamps(a.label.start, b.label.start));
      requireOneHistory(members);
      const metas = members.map(({ meta, label }) => ({ file: meta, version: label.version }));
      const metadata = await Metadata.read(metas, members[0]!.label.hostName, memory.limits, signal);
      const archive = new Archive(members, metadata, memory);
      await archive.#requireData();
      signal?.throwIfAborted();
      return archive;
    } catch (error) {
      await Promise.all(members.map((member) => member.close()));
      throw error;
    }
  }

  get label(): LabelRecord {
    return this.members[0]!.label;
  }

  get start(): Timestamp {
    return this.label.start;
  }

  /** The last record of the latest archive. Throws the signal's reason. @see pmGetArchiveEnd(3) */
  end(signal?: AbortSignal): Waits<Timestamp> {
    return this.members.at(-1)!.end(signal);
  }

  get dataVersion(): number {
    return this.#dataVersion;
  }

  /** Looks for appended data; returns whether there is any. Concurrent callers share one look. */
  refresh(): Promise<boolean> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map((member) => member.close()));
  }

  async #refresh(): Promise<boolean> {
    const before = this.metadata.version;
    await this.metadata.refresh();
    const grown = await this.members.at(-1)!.refresh();
    if (!grown && this.metadata.version === before) return false;
    this.#dataVersion++;
    return true;
  }

  /** An archive of one volume with only a label is no archive. */
  async #requireData(): Promise<void> {
    if (this.members.length > 1 || this.members[0]!.volumeCount > 1) return;
    const member = this.members[0]!;
    const volume = await member.openVolume(0);
    if (volume.segments.length === 0) throw new PmError(PM_ERR.NODATA, volume.file.name);
  }
}

function requireOneHistory(members: readonly Member[]): void {
  for (let i = 1; i < members.length; i++) {
    const [earlier, later] = [members[i - 1]!, members[i]!];
    if (earlier.label.hostName !== later.label.hostName) {
      throw new PmError(
        PM_ERR.LOGHOST,
        `${lastPart(later.base)}: host ${later.label.hostName}, but ${lastPart(earlier.base)} is of ${earlier.label.hostName}`,
      );
    }
    if (compareTimestamps(earlier.label.start, later.label.start) === 0) {
      const message = `${lastPart(earlier.base)} and ${lastPart(later.base)} start at the same time`;
      throw new PmError(PM_ERR.LOGOVERLAP, message);
    }
  }
}
