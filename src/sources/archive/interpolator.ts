import {
  compareTimestamps,
  INDOM_NULL,
  INSTANCE_NULL,
  isArithmeticType,
  MetricType,
  PM_ERR,
  PmError,
  secondsBetween,
  Semantics,
} from '../../pmapi/index.js';
import type { FetchResult, MetricDescriptor, Timestamp, ValueSet } from '../../pmapi/index.js';
import type { InstanceProfile } from '../profile.js';
import type { Archive } from './archive.js';
import { columnKey, loadColumns, peekColumn } from './column-loader.js';
import { isAlive } from './indom-history.js';
import type { Lifespan } from './indom-history.js';
import { addValueBetween, Neighbour } from './interpolated-value.js';
import type { InterpolationRules, Neighbourhood } from './interpolated-value.js';
import type { MetricColumn } from './metric-column.js';
import { compareRecord, countBefore } from './record-table.js';
import type { Segment } from './segment.js';
import type { Position, Timeline } from './timeline.js';

/** What has to be read before the interpolator can go on. */
type Missing =
  | { readonly kind: 'columns' | 'records'; readonly segment: Segment }
  | { readonly kind: 'next' | 'previous'; readonly segment: Segment };

/** What INTERP allows beyond both ends of an archive. */
const SLACK_SECONDS = 0.001;
/** Instance domains from this size on are limited to the instances that live at the moment. */
const LIFESPAN_MIN_INSTANCES = 16;

/** One instance of one metric: the two neighbours of the moment that was asked last, and how far a search has come. */
class InstanceTrack implements Neighbourhood {
  readonly instance: number;
  readonly lifespan: Lifespan | undefined;
  readonly low = new Neighbour();
  readonly high = new Neighbour();
  /** Of the archive's data, when both were found. */
  dataVersion = -1;
  lowSearch: Position | undefined;
  highSearch: Position | undefined;
  lowIsFound = false;

  constructor(instance: number, lifespan: Lifespan | undefined) {
    this.instance = instance;
    this.lifespan = lifespan;
  }
}

/** One metric: its instances, and what the mark-crossing rule needs to know of the fetch before. */
class MetricTrack {
  readonly descriptor: MetricDescriptor;
  readonly dataVersion: number;
  readonly instances: readonly InstanceTrack[];
  readonly pmErr: number | undefined;
  last: Position | undefined;
  lastStamp: Timestamp | undefined;

  constructor(
    descriptor: MetricDescriptor,
    dataVersion: number,
    instances: readonly InstanceTrack[],
    pmErr: number | undefined,
  ) {
    this.descriptor = descriptor;
    this.dataVersion = dataVersion;
    this.instances = instances;
    this.pmErr = pmErr;
  }
}

/**
 * Values at moments between records, by the rules of libpcp 7.2.1: counters lie on the line between their neighbours,
 * instantaneous and discrete numbers take the nearer neighbour (the earlier one at a tie), all else the earlier; nothing is
 * made up across a mark. One interpolator follows one context or one range; it is quickest when moments come in order.
 * @see pmSetMode(3), PM_MODE_INTERP
 */
export class Interpolator {
  readonly #archive: Archive;
  readonly #timeline: Timeline;
  readonly #rules: InterpolationRules;
  readonly #tracks = new Map<number, MetricTrack>();
  #position: Position | undefined;
  #lastAt: Timestamp | undefined;
  /** The gap between two archives in which the last moment lay, when it was entered from its earlier end. */
  #forwardGap: Segment | undefined;
  #pinned: ReadonlyMap<string, MetricColumn> = new Map();
  /** The column that was looked up last: the instances of a metric ask for the same one after the other. */
  #lastColumn: { readonly uid: number; readonly column: MetricColumn } | undefined;

  constructor(archive: Archive, { stepRule = 'nearer', wrap = false }: Partial<InterpolationRules> = {}) {
    this.#archive = archive;
    this.#rules = { stepRule, wrap };
    this.#timeline = archive.timeline;
  }

  /** Forget the fetch before, as pmSetMode does: the next one crosses no mark. */
  forget(): void {
    for (const track of this.#tracks.values()) track.last = undefined;
    this.#lastAt = undefined;
    this.#forwardGap = undefined;
  }

  /**
   * The values at a moment. Throws PM_ERR_EOL for one more than a millisecond outside of the archive.
   * @param end the archive's end
   */
  async fetch(
    pmids: readonly number[],
    profile: InstanceProfile,
    at: Timestamp,
    end: Timestamp,
    into: FetchResult,
  ): Promise<void> {
    if (secondsBetween(at, this.#archive.start) < -SLACK_SECONDS || secondsBetween(at, end) > SLACK_SECONDS) {
      throw new PmError(PM_ERR.EOL);
    }
    into.timestamp = at;
    into.resize(pmids.length);
    this.#position = this.#enterGap(this.#findPosition(at) ?? (await this.#timeline.locate(at, true)), at);
    for (let i = 0; i < pmids.length; i++) {
      const pmid = pmids[i]!;
      const track = this.#track(pmid) ?? (await this.#makeTrack(pmid));
      await this.#fetchMetric(track, pmid, pmids, profile, at, into.sets[i]!);
    }
  }

  /**
   * PCP: the mark between two archives lies a millisecond behind the earlier one for those who come forward, and a
   * millisecond before the later one for all others (recorded from 7.2.1: discrete values in the gap depend on it).
   */
  #enterGap(position: Position | undefined, at: Timestamp): Position | undefined {
    const lastAt = this.#lastAt;
    this.#lastAt = at;
    if (!position || position.index === 0 || !this.#timeline.isGap(position.segment)) {
      this.#forwardGap = undefined;
      return position;
    }
    const { segment } = position;
    const cameForward = lastAt !== undefined && compareTimestamps(lastAt, segment.summary!.first) < 0;
    if (!cameForward && this.#forwardGap !== segment) {
      const isBehindMark = compareTimestamps(this.#timeline.gapStampBackward(segment), at) <= 0;
      return isBehindMark ? position : { segment, index: 0 };
    }
    this.#forwardGap = segment;
    return position;
  }

  #track(pmid: number): MetricTrack | undefined {
    const track = this.#tracks.get(pmid);
    return track?.dataVersion === this.#archive.dataVersion ? track : undefined;
  }

  async #makeTrack(pmid: number): Promise<MetricTrack | undefined> {
    const { metadata, dataVersion } = this.#archive;
    const descriptor = metadata.descriptor(pmid);
    if (!descriptor) return undefined;
    const known = this.#tracks.get(pmid);
    let instances: InstanceTrack[];
    let pmErr: number | undefined;
    if (descriptor.indom === INDOM_NULL) {
      instances = [new InstanceTrack(INSTANCE_NULL, undefined)];
    } else {
      const lifespans = await metadata.lifespans(descriptor.indom);
      const isLarge = lifespans.size >= LIFESPAN_MIN_INSTANCES;
      instances = Array.from(lifespans, ([id, span]) => new InstanceTrack(id, isLarge ? span : undefined));
    }
    if (descriptor.semantics === Semantics.COUNTER && !isArithmeticType(descriptor.type)) pmErr = PM_ERR.TYPE;
    if (descriptor.type === MetricType.NOSUPPORT) pmErr = PM_ERR.PMID_LOG;
    const track = new MetricTrack(descriptor, dataVersion, instances, pmErr);
    track.last = known?.last;
    track.lastStamp = known?.lastStamp;
    this.#tracks.set(pmid, track);
    return track;
  }

  async #fetchMetric(
    track: MetricTrack | undefined,
    pmid: number,
    pmids: readonly number[],
    profile: InstanceProfile,
    at: Timestamp,
    set: ValueSet,
  ): Promise<void> {
    set.reset(pmid, track?.descriptor.type ?? MetricType.U32);
    const pmErr = track ? track.pmErr : PM_ERR.PMID_LOG;
    if (!track || pmErr !== undefined) {
      set.fail(pmErr ?? PM_ERR.PMID_LOG);
      return;
    }
    const isCounter = track.descriptor.semantics === Semantics.COUNTER;
    let crosses: boolean | Missing = isCounter && this.#crossesMark(track, at);
    while (typeof crosses === 'object') {
      await this.#supply(crosses, pmids);
      crosses = this.#crossesMark(track, at);
    }
    const all = profile.includesAll(track.descriptor.indom);
    for (const instance of track.instances) {
      if (!all && !profile.includes(track.descriptor.indom, instance.instance)) continue;
      if (instance.lifespan && !isAlive(instance.lifespan, at)) continue;
      if (!this.#isBetween(instance, at)) {
        instance.lowSearch = this.#position;
        instance.highSearch = this.#position;
        instance.lowIsFound = false;
        // Should the search fail, what it found so far counts for nothing.
        instance.dataVersion = -1;
        for (let missing = this.#search(instance, pmid); missing; missing = this.#search(instance, pmid)) {
          await this.#supply(missing, pmids);
        }
      }
      if (!crosses) addValueBetween(instance, track.descriptor, at, this.#archive.start, this.#rules, set);
    }
    track.last = set.status > 0 ? this.#position : undefined;
    track.lastStamp = at;
  }

  #isBetween(track: InstanceTrack, at: Timestamp): boolean {
    return (
      track.dataVersion === this.#archive.dataVersion &&
      compareTimestamps(track.low, at) <= 0 &&
      compareTimestamps(at, track.high) < 0
    );
  }

  /** Find both neighbours, going on where the search stopped for want of something to read. */
  #search(track: InstanceTrack, pmid: number): Missing | undefined {
    if (!track.lowIsFound) {
      const missing = this.#searchLow(track, pmid);
      if (missing) return missing;
      track.lowIsFound = true;
    }
    const missing = this.#searchHigh(track, pmid);
    if (!missing) track.dataVersion = this.#archive.dataVersion;
    return missing;
  }

  #searchLow(track: InstanceTrack, pmid: number): Missing | undefined {
    track.low.setNothing(-Infinity);
    while (track.lowSearch) {
      const { segment, index }: Position = track.lowSearch;
      const { summary } = segment;
      if (!summary) return { kind: 'records', segment };
      const column = segment.mayHold(pmid) ? this.#column(segment, pmid) : null;
      if (column === undefined) return { kind: 'columns', segment };
      const value = column ? column.lastBefore(track.instance, index) : -1;
      const record = column && value >= 0 ? column.records[column.rowOfValue(value)]! : -1;
      const mark = lastBelow(summary.marks, index);
      if (mark >= 0 && summary.marks[mark]! > record) {
        track.low.setMark(summary.markStamps[mark]!);
        return undefined;
      }
      if (column && record >= 0) {
        track.low.setValue(column, value);
        return undefined;
      }
      const previous = this.#timeline.peekPrevious(segment);
      if (previous === undefined) return { kind: 'previous', segment };
      if (previous && !previous.summary) return { kind: 'records', segment: previous };
      if (previous?.summary?.damage) {
        track.low.setMark(previous.summary.last);
        return undefined;
      }
      // Reading a segment for the first time may have cut it: what was cut off is the one before.
      const before = previous && this.#timeline.peekPrevious(segment);
      track.lowSearch = before ? { segment: before, index: Infinity } : undefined;
    }
    return undefined;
  }

  #searchHigh(track: InstanceTrack, pmid: number): Missing | undefined {
    track.high.setNothing(Infinity);
    while (track.highSearch) {
      const { segment, index }: Position = track.highSearch;
      const { summary } = segment;
      if (!summary) return { kind: 'records', segment };
      const column = segment.mayHold(pmid) ? this.#column(segment, pmid) : null;
      if (column === undefined) return { kind: 'columns', segment };
      const value = column ? column.firstFrom(track.instance, index) : -1;
      const record = column && value >= 0 ? column.records[column.rowOfValue(value)]! : Infinity;
      const mark = firstFrom(summary.marks, index);
      if (mark < summary.marks.length && summary.marks[mark]! < record) {
        track.high.setMark(summary.markStamps[mark]!);
        return undefined;
      }
      if (column && value >= 0) {
        track.high.setValue(column, value);
        return undefined;
      }
      if (summary.damage) {
        track.high.setNothing(Infinity);
        return undefined;
      }
      const next = this.#timeline.peekNext(segment);
      if (next === undefined) return { kind: 'next', segment };
      track.highSearch = next ? { segment: next, index: 0 } : undefined;
    }
    return undefined;
  }

  /** Whether a mark lies between the fetch before, if it gave values, and this one. */
  #crossesMark(track: MetricTrack, at: Timestamp): boolean | Missing {
    if (!track.last || !track.lastStamp || !this.#position) return false;
    const forward = compareTimestamps(track.lastStamp, at) <= 0;
    const from = forward ? track.last : this.#position;
    const to = forward ? this.#position : track.last;
    let segment = from.segment;
    let index = from.index;
    for (;;) {
      if (!segment.summary) return { kind: 'records', segment };
      const { marks, damage } = segment.summary;
      const mark = firstFrom(marks, index);
      const limit = segment === to.segment ? to.index : Infinity;
      if (mark < marks.length && marks[mark]! < limit) return true;
      if (segment === to.segment) return false;
      if (damage) return true;
      const next = this.#timeline.peekNext(segment);
      if (next === undefined) return { kind: 'next', segment };
      if (next === null) return false;
      segment = next;
      index = 0;
    }
  }

  #column(segment: Segment, pmid: number): MetricColumn | undefined {
    const { uid } = segment;
    if (this.#lastColumn?.uid === uid && this.#lastColumn.column.pmid === pmid) return this.#lastColumn.column;
    const column = peekColumn(this.#archive.memory, segment, pmid) ?? this.#pinned.get(columnKey(segment, pmid));
    if (column) this.#lastColumn = { uid, column };
    return column;
  }

  async #supply(missing: Missing, pmids: readonly number[]): Promise<void> {
    const { segment } = missing;
    switch (missing.kind) {
      case 'next':
        await this.#timeline.next(segment);
        break;
      case 'previous':
        await this.#timeline.previous(segment);
        break;
      case 'records':
        await segment.owner.load(segment);
        break;
      case 'columns': {
        // The others will want theirs of this segment too, and one plan reads them all.
        const { memory, metadata } = this.#archive;
        const wanted = pmids.filter((pmid) => segment.mayHold(pmid) && metadata.descriptor(pmid) !== undefined);
        const columns = await loadColumns(memory, segment, wanted, (pmid) => metadata.descriptor(pmid)?.type);
        // Kept at hand even when the budget is too small to keep them in the cache until they are used.
        this.#pinned = new Map(columns.map((column) => [columnKey(segment, column.pmid), column]));
        break;
      }
    }
  }

  /** Where a moment lies, when that is near the moment before and takes no reading to say. */
  #findPosition(at: Timestamp): Position | undefined {
    const segment = this.#position?.segment;
    const table = segment?.owner.peek(segment);
    if (!segment || !table) return undefined;
    const index = countBefore(table, at, true);
    if (index === 0) return undefined;
    if (index < table.count) return { segment, index };
    const next = this.#timeline.peekNext(segment);
    if (next === null) return { segment, index };
    if (!next?.summary || next.summary.count === 0 || segment.summary?.damage) return undefined;
    if (compareTimestamps(next.summary.first, at) > 0) return { segment, index };
    const nextTable = next.owner.peek(next);
    if (!nextTable || compareRecord(nextTable, nextTable.count - 1, at) <= 0) return undefined;
    return { segment: next, index: countBefore(nextTable, at, true) };
  }
}

/** The place in an ascending list of the last number below a limit; -1 for none. */
function lastBelow(numbers: Uint32Array, limit: number): number {
  return firstFrom(numbers, limit) - 1;
}

/** The place in an ascending list of the first number not below a limit; its length for none. */
function firstFrom(numbers: Uint32Array, limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
