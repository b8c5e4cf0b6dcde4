import { getOrMake } from '../../kit/index.js';
import { compareTimestamps, PM_ERR, PmError, addSeconds, type Timestamp } from '../../pmapi/index.js';
import { lastPart, type ArchiveFiles } from './files/archive-files.js';
import type { FileSystem } from './files/byte-file.js';
import { doWaiting, waitFor, type Waits } from '../waits.js';
import type { ArchiveMemory } from './archive-memory.js';
import type { LabelRecord } from './metadata/label-record.js';
import { Member } from './member.js';
import { Metadata } from './metadata/metadata.js';
import { SharedWorks } from '../shared-work.js';
import { countBefore, markTable } from './records/record-table.js';
import { Segment, summarize, type SegmentOwner, type Volume } from './records/volume.js';

/** So many instances without values are remembered of each metric. */
const MAX_WITHOUT_VALUES = 256;

/** Archives read as one (often just one): shared by contexts, without a position, within the budgets of {@link ArchiveMemory}. */
export class Archive {
  readonly members: readonly Member[];
  readonly metadata: Metadata;
  readonly timeline: Timeline;
  readonly memory: ArchiveMemory;
  readonly #withoutValues = new Map<number, Set<number>>();
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

  /** By PMID: instances of which no record has a value, as far as that is known. To look for one is to go through everything. */
  get withoutValues(): ReadonlyMap<number, ReadonlySet<number>> {
    return this.#withoutValues;
  }

  noteWithoutValues(pmid: number, instance: number, dataVersion: number): void {
    const known = getOrMake(this.#withoutValues, pmid, () => new Set<number>());
    if (dataVersion === this.#dataVersion && known.size < MAX_WITHOUT_VALUES) known.add(instance);
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
    this.#withoutValues.clear();
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

/** A place between two records: so many of the segment's records lie before it, and the others behind. */
export interface Position {
  readonly segment: Segment;
  readonly index: number;
}

/** libpcp's distance from an archive's last record to the mark that it adds. */
const GAP_MARK_SECONDS = 0.001;

interface OwnerPlace {
  readonly member: number;
  /** The volume's place in the member; undefined for the gap behind the member. */
  readonly volume: number | undefined;
}

/** The segments of all archives of a context in order, with a gap of one mark between archives. @see pmNewContext(3) */
export class Timeline {
  readonly members: readonly Member[];
  readonly #memory: ArchiveMemory;
  readonly #places = new Map<SegmentOwner, OwnerPlace>();
  readonly #gaps = new SharedWorks<number, Segment>();
  readonly #openGaps = new Map<number, Segment>();

  /** @param members in order of their start */
  constructor(members: readonly Member[], memory: ArchiveMemory) {
    this.members = members;
    this.#memory = memory;
  }

  first(signal?: AbortSignal): Waits<Segment | undefined> {
    return this.#firstOf(0, 0, signal);
  }

  /** The segment behind another; undefined at the end. */
  *next(segment: Segment, signal?: AbortSignal): Waits<Segment | undefined> {
    const { member, volume } = this.#places.get(segment.owner)!;
    if (volume === undefined) return yield* this.#firstOf(member + 1, 0, signal);
    const next = this.members[member]!.peekVolume(volume)?.segments[segment.index + 1];
    return next ?? (yield* this.#firstOf(member, volume + 1, signal));
  }

  /** The segment before another; undefined at the start. */
  *previous(segment: Segment, signal?: AbortSignal): Waits<Segment | undefined> {
    const { member, volume } = this.#places.get(segment.owner)!;
    if (volume !== undefined && segment.index > 0) {
      const own = yield* this.#volume(member, volume, signal);
      return yield* lastPieceOf(own, own.segments[segment.index - 1]!);
    }
    return yield* this.#lastOf(member, (volume ?? this.members[member]!.volumeCount) - 1, signal);
  }

  isGap(segment: Segment): boolean {
    return this.#places.get(segment.owner)?.volume === undefined;
  }

  memberOf(segment: Segment): number {
    return this.#places.get(segment.owner)!.member;
  }

  volumeNumberOf(segment: Segment): number | undefined {
    const place = this.#places.get(segment.owner);
    return place?.volume === undefined ? undefined : this.members[place.member]!.volumeNumber(place.volume);
  }

  /** The volumes behind that of one segment and before that of another; undefined for one that is not open. */
  volumesBetween(from: Segment, to: Segment): readonly (Volume | undefined)[] {
    const [first, last] = [this.#places.get(from.owner)!, this.#places.get(to.owner)!];
    const volumes: (Volume | undefined)[] = [];
    for (let member = first.member; member <= last.member; member++) {
      const { volumeCount } = this.members[member]!;
      const start = member === first.member ? (first.volume ?? volumeCount) + 1 : 0;
      const end = member === last.member ? (last.volume ?? volumeCount) : volumeCount;
      for (let i = start; i < end; i++) volumes.push(this.members[member]!.peekVolume(i));
    }
    return volumes;
  }

  /** Before it, records are older than a moment (or not newer, when `includingEqual`); undefined without records, which are taken to be in order. */
  async locate(moment: Timestamp, includingEqual: boolean, signal?: AbortSignal): Promise<Position | undefined> {
    const isBefore = (stamp: Timestamp): boolean => {
      const order = compareTimestamps(stamp, moment);
      return order < 0 || (includingEqual && order === 0);
    };
    let member = this.members.length - 1;
    while (member > 0 && compareTimestamps(this.members[member]!.label.start, moment) > 0) member--;
    // A cursor at the start gets everything, also from volumes whose records are not in order.
    const isStart = !includingEqual && compareTimestamps(moment, this.members[0]!.label.start) <= 0;
    const volume = isStart ? undefined : await this.#volumeFor(member, isBefore, signal);
    if (!volume) {
      const segment = await doWaiting(this.#firstOf(member, 0, signal));
      return segment && { segment, index: 0 };
    }
    const position = await locateInVolume(volume, moment, includingEqual, isBefore, signal);
    if (member + 1 >= this.members.length) return position;
    // Behind the last record of an archive, but also behind the mark that follows it?
    const { segment, index } = position;
    const gap = index >= segment.summary!.count ? await doWaiting(this.next(segment, signal)) : undefined;
    return gap && this.isGap(gap) && isBefore(gap.summary!.first) ? { segment: gap, index: 1 } : position;
  }

  /** The gap behind an archive: a segment of one mark, a millisecond after the archive's last record. */
  *gapAfter(member: number, signal?: AbortSignal): Waits<Segment> {
    const known = this.#openGaps.get(member);
    return known ?? (yield* waitFor(this.#gaps.join(member, (stop) => this.#makeGap(member, stop), signal)));
  }

  /** The stamp of a gap's mark for readers that go backward: a millisecond before the later archive. */
  gapStampBackward(segment: Segment): Timestamp {
    const later = this.members[this.memberOf(segment) + 1]!;
    return addSeconds(later.label.start, -GAP_MARK_SECONDS);
  }

  async #makeGap(member: number, signal: AbortSignal): Promise<Segment> {
    const stamp = addSeconds(await doWaiting(this.members[member]!.end(signal)), GAP_MARK_SECONDS);
    const table = markTable(stamp);
    const owner: SegmentOwner = { peek: () => table, load: () => Promise.resolve(table) };
    const gap = new Segment(owner, 0, 0, 0, this.#memory.nextSegmentUid());
    gap.summary = summarize(table, (pmids) => pmids);
    this.#places.set(owner, { member, volume: undefined });
    this.#openGaps.set(member, gap);
    return gap;
  }

  /** The last volume of an archive that has a record before the moment, or else its first one with records. */
  async #volumeFor(
    member: number,
    isBefore: (stamp: Timestamp) => boolean,
    signal: AbortSignal | undefined,
  ): Promise<Volume | undefined> {
    const { volumeCount } = this.members[member]!;
    for (let i = volumeCount - 1; i > 0; i--) {
      const hinted = this.members[member]!.volumeSince(i);
      if (hinted && !isBefore(hinted)) continue;
      const volume = await doWaiting(this.#volume(member, i, signal));
      const first = await firstStamp(volume, signal);
      if (first && isBefore(first)) return volume;
    }
    const volume = await doWaiting(this.#volume(member, 0, signal));
    return volume.segments.length > 0 ? volume : undefined;
  }

  *#volume(member: number, i: number, signal: AbortSignal | undefined): Waits<Volume> {
    const open = this.members[member]!.peekVolume(i);
    const volume = open ?? (yield* waitFor(this.members[member]!.openVolume(i, signal)));
    if (!this.#places.has(volume)) this.#places.set(volume, { member, volume: i });
    return volume;
  }

  *#firstOf(member: number, from: number, signal?: AbortSignal): Waits<Segment | undefined> {
    for (let m = member; m < this.members.length; m++) {
      for (let i = m === member ? from : 0; i < this.members[m]!.volumeCount; i++) {
        const segment = (yield* this.#volume(m, i, signal)).segments[0];
        if (segment) return segment;
      }
      if (from > 0 && m === member && m + 1 < this.members.length) return yield* this.gapAfter(m, signal);
    }
    return undefined;
  }

  *#lastOf(member: number, from: number, signal?: AbortSignal): Waits<Segment | undefined> {
    for (let i = from; i >= 0; i--) {
      const volume = yield* this.#volume(member, i, signal);
      const segment = volume.segments.at(-1);
      if (segment) return yield* lastPieceOf(volume, segment);
    }
    return member === 0 ? undefined : yield* this.gapAfter(member - 1, signal);
  }
}

/** A segment as those find it who come from behind: its end, where it can be divided. */
function* lastPieceOf(volume: Volume, segment: Segment): Waits<Segment> {
  return volume.isDivisible(segment) ? yield* waitFor(volume.divideEnd(segment)) : segment;
}

/** When the first intact record of a volume was taken; undefined when there is none. */
async function firstStamp(volume: Volume, signal: AbortSignal | undefined): Promise<Timestamp | undefined> {
  for (let i = 0; i < volume.segments.length; i++) {
    const segment = volume.segments[i]!;
    if (!segment.summary) await volume.load(segment, signal);
    if (segment.summary && segment.summary.intact > 0) return segment.summary.first;
  }
  return undefined;
}

async function locateInVolume(
  volume: Volume,
  moment: Timestamp,
  includingEqual: boolean,
  isBefore: (stamp: Timestamp) => boolean,
  signal: AbortSignal | undefined,
): Promise<Position> {
  const { segments } = volume;
  await volume.divideBefore(isBefore);
  let i = segments.length - 1;
  for (; i > 0; i--) {
    const since = segments[i]!.since;
    if (since && isBefore(since)) break;
  }
  for (;;) {
    const segment = segments[i]!;
    const table = await volume.load(segment, signal);
    const index = countBefore(table, moment, includingEqual);
    if (index === 0 && i > 0) {
      // The index promised too much: the record before the moment is in the segment before.
      i = (await volume.divideEnd(segments[i - 1]!)).index;
      continue;
    }
    const next = segments[i + 1];
    if (index < table.count || !next) return { segment, index };
    if (!next.summary) await volume.load(next, signal);
    if (!next.summary || next.summary.count === 0 || !isBefore(next.summary.first)) return { segment, index };
    i++;
  }
}
