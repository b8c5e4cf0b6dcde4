import { LRUCache } from 'lru-cache';
import { eventLoopTurns, getOrMake, lowerBound } from '../../kit/index.js';
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
  ValueSet,
} from '../../pmapi/index.js';
import type { FetchResult, MetricDescriptor, Timestamp } from '../../pmapi/index.js';
import type { InstanceProfile } from '../profile.js';
import type { ReadingOptions } from '../metric-source.js';
import { doWaiting, waitFor, type Waits } from '../waits.js';
import type { Archive, Position, Timeline } from './archive.js';
import { loadColumns, metricsWith, peekColumn } from './columns/column-loader.js';
import { isAlive, type Lifespan } from './metadata/indom-history.js';
import { columnOfBlock, type Batch, type InterpolationRules } from '../batch.js';
import { addValueAt, Neighbour, type Neighbourhood } from './neighbour.js';
import type { MetricColumn } from './columns/metric-column.js';
import { compareRecord, countBefore } from './records/record-table.js';
import type { Segment } from './records/volume.js';

/** The tolerance of INTERP at both ends of an archive. */
const SLACK_SECONDS = 0.001;
/** Instance domains from this size on are limited to the instances that live at the moment. */
const LIFESPAN_MIN_INSTANCES = 16;
const METRICS_PER_LOOK = 8;
/** Segments whose columns stay at hand: the one that moments lie in, and one that neighbours were found in. */
const SEGMENTS_AT_HAND = 2;
/** How many values are read as blocks at once, unless one moment has more. */
const BLOCK_VALUES = 16_384;
/** Additional instances, besides living ones, that a metric remembers. */
const SPARE_INSTANCES = 64;
const SINGULAR = [{ id: INSTANCE_NULL, lifespan: undefined }];

/** An instance that lives at the moment, and in a large domain how long. */
interface Living {
  readonly id: number;
  readonly lifespan: Lifespan | undefined;
}

/** One instance of one metric: the two neighbours of the moment that was asked last. */
class InstanceTrack implements Neighbourhood {
  readonly instance: number;
  /** In a large domain: when there are values of it at all. */
  readonly lifespan: Lifespan | undefined;
  readonly low = new Neighbour();
  readonly high = new Neighbour();
  /** The version of the archive's data when both were found. */
  dataVersion = -1;

  constructor({ id, lifespan }: Living) {
    this.instance = id;
    this.lifespan = lifespan;
  }

  /** Whether no record has a value of it, as far as it was searched: up to both ends, or while it lives. */
  get isWithoutValues(): boolean {
    const { low, high } = this;
    return low.kind === 'none' && high.kind === 'none' && high.sec === Infinity && !low.damage && !high.damage;
  }
}

/** One metric: its instances, and what the mark-crossing rule needs to know of the fetch before. */
class MetricTrack {
  readonly descriptor: MetricDescriptor;
  readonly dataVersion: number;
  readonly pmErr: number | undefined;
  asked: readonly InstanceTrack[] = [];
  /** The position of the last fetch, if it gave values. */
  last: Position | undefined;
  lastStamp: Timestamp | undefined;
  /** The last column used, and the uid of its segment. */
  column: MetricColumn | undefined;
  columnUid = -1;
  #instances = new Map<number, InstanceTrack>();

  constructor(descriptor: MetricDescriptor, dataVersion: number, pmErr: number | undefined) {
    this.descriptor = descriptor;
    this.dataVersion = dataVersion;
    this.pmErr = pmErr;
  }

  /** A counter that had a value at the fetch before: it gives none when a mark lies between. */
  get needsMarks(): boolean {
    return this.last !== undefined && this.descriptor.semantics === Semantics.COUNTER;
  }

  /** Asks for some instances; others are forgotten when there are many of them. @param withoutValues need no search */
  ask(living: readonly Living[], withoutValues: ReadonlySet<number> | undefined): void {
    const { asked } = this;
    if (asked.length === living.length && asked.every(({ instance }, i) => instance === living[i]!.id)) return;
    this.asked = living.map((one) => this.#instances.get(one.id) ?? new InstanceTrack(one));
    for (const track of withoutValues ? this.asked : []) {
      if (!withoutValues!.has(track.instance)) continue;
      track.low.setNothing(-Infinity);
      track.high.setNothing(Infinity);
      track.dataVersion = this.dataVersion;
    }
    for (const track of this.asked) this.#instances.set(track.instance, track);
    if (this.#instances.size <= 2 * living.length + SPARE_INSTANCES) return;
    this.#instances = new Map(this.asked.map((track) => [track.instance, track]));
  }
}

/** Instances of a metric for which a neighbour is looked for. */
interface Sought {
  readonly pmid: number;
  readonly instances: ReadonlyMap<number, InstanceTrack>;
}

/** The rest: those that are found are removed. */
interface OpenSearch extends Sought {
  readonly instances: Map<number, InstanceTrack>;
}

/** The instances of a domain, and whether only those count that live at the moment. */
interface Domain {
  readonly all: readonly Living[];
  readonly isLarge: boolean;
}

interface Fetch {
  readonly pmids: readonly number[];
  readonly profile: InstanceProfile;
  readonly at: Timestamp;
  readonly signal: AbortSignal | undefined;
  readonly onDamage: (damage: PmError) => void;
  /** By indom: the instances that live at the moment and that the profile lets through. */
  readonly living: Map<number, readonly Living[]>;
  /** By the position of the fetch before: whether a mark lies between. */
  readonly crossings: Map<Position, boolean>;
}

/**
 * Values at moments between records, as in libpcp 7.2.1 ({@link addValueBetween}), for one context or range; quickest in order. The
 * neighbours of all metrics are looked for together, in one pass in each direction. @see pmSetMode(3), PM_MODE_INTERP
 */
export class Interpolator {
  readonly #archive: Archive;
  readonly #timeline: Timeline;
  readonly #rules: InterpolationRules;
  readonly #tracks = new Map<number, MetricTrack>();
  readonly #domains = new Map<number, Domain>();
  #dataVersion = -1;
  #position: Position | undefined;
  #lastAt: Timestamp | undefined;
  /** The gap between two archives in which the last moment lay, when it was entered from its earlier end. */
  #forwardGap: Segment | undefined;
  /** Columns by PMID of the last segments (by uid), even when the cache is too small to keep them. */
  readonly #atHand = new LRUCache<number, Map<number, MetricColumn>>({ max: SEGMENTS_AT_HAND });

  constructor(
    archive: Archive,
    { stepRule = 'nearer', wrap = false }: Partial<Omit<InterpolationRules, 'start'>> = {},
  ) {
    this.#archive = archive;
    this.#rules = { stepRule, wrap, start: archive.start };
    this.#timeline = archive.timeline;
  }

  /** Forget the fetch before, as pmSetMode does: the next one crosses no mark. */
  forget(): void {
    for (const track of this.#tracks.values()) track.last = undefined;
    this.#lastAt = undefined;
    this.#forwardGap = undefined;
  }

  neighbourhoods(pmid: number): readonly Neighbourhood[] {
    return this.#tracks.get(pmid)?.asked ?? [];
  }

  /** At once where the columns are in memory. Throws PM_ERR_EOL more than 1 ms beyond the archive, whose end is `end`. Damage is a mark. */
  fetch(
    pmids: readonly number[],
    profile: InstanceProfile,
    at: Timestamp,
    end: Timestamp,
    into: FetchResult,
    { signal, onDamage = () => undefined }: ReadingOptions = {},
  ): void | Promise<void> {
    if (secondsBetween(at, this.#archive.start) < -SLACK_SECONDS || secondsBetween(at, end) > SLACK_SECONDS) {
      throw new PmError(PM_ERR.EOL);
    }
    signal?.throwIfAborted();
    into.timestamp = at;
    into.resize(pmids.length);
    const fetch: Fetch = { pmids, profile, at, signal, onDamage, living: new Map(), crossings: new Map() };
    return doWaiting(this.#fetch(fetch, into));
  }

  /** What {@link fetch} would give at the first of some later moments: those whose neighbours are in columns of the last one's segment. */
  block(pmids: readonly number[], times: readonly Timestamp[]): Batch | undefined {
    const { segment } = this.#position ?? {};
    const table = segment?.owner.peek(segment);
    if (!segment || !table || this.#rules.wrap || this.#dataVersion !== this.#archive.dataVersion) return undefined;
    let [end, values] = [times.length, 1];
    const parts: { readonly track: MetricTrack; readonly asked: readonly InstanceTrack[]; readonly set: ValueSet }[] =
      [];
    for (const pmid of pmids) {
      const track = this.#track(pmid);
      if (track?.pmErr !== undefined || !track?.asked.length || !this.#columnIn(segment, track)?.isRegular)
        return undefined;
      const asked = track.asked.filter((one) => !one.isWithoutValues);
      const set = new ValueSet();
      set.reset(pmid, track.descriptor.type);
      parts.push({ track, asked, set });
      values += asked.length;
      end = countUnchanged(this.#domains.get(track.descriptor.indom), this.#lastAt!, times, end);
    }
    end = Math.min(end, Math.ceil(BLOCK_VALUES / values));
    const last = this.#position;
    let count = 0;
    for (; count < end; count++) {
      this.#position = { segment, index: countBefore(table, times[count]!, true) };
      if (!parts.every(({ track, asked }) => this.#setFromHere(track, asked))) break;
      for (const { track, asked, set } of parts) {
        for (const one of asked) addValueAt(one, times[count]!, track.descriptor, this.#rules, set);
      }
    }
    this.#position = last;
    if (count === 0) return undefined;
    const read = times.slice(0, count);
    this.#lastAt = read.at(-1);
    const columns = parts.map(({ asked, set }) => {
      const instances = set.instances.slice(0, asked.length);
      return columnOfBlock(set.pmid, {
        type: set.type,
        instances,
        numbers: set.column.numbers,
        stride: asked.length,
        places: Int32Array.from(asked.keys()),
      });
    });
    const secs = Float64Array.from(read, ({ sec }) => sec);
    return { length: count, isMark: false, secs, nsecs: Int32Array.from(read, ({ nsec }) => nsec), columns };
  }

  *#fetch(fetch: Fetch, into: FetchResult): Waits<void> {
    const { pmids, at, signal } = fetch;
    const position =
      (yield* this.#findPosition(at, signal)) ?? (yield* waitFor(this.#timeline.locate(at, true, signal)));
    this.#position = this.#enterGap(position, at);
    if (this.#dataVersion !== this.#archive.dataVersion) this.#domains.clear();
    this.#dataVersion = this.#archive.dataVersion;
    const tracks: (MetricTrack | undefined)[] = [];
    for (const pmid of pmids) tracks.push(this.#track(pmid) ?? this.#makeTrack(pmid));
    yield* this.#findNeighbours(tracks, fetch);
    for (let i = 0; i < pmids.length; i++) {
      if (i % METRICS_PER_LOOK === METRICS_PER_LOOK - 1) yield* this.#wait(eventLoopTurns.next(), fetch);
      const [track, set] = [tracks[i], into.sets[i]!];
      set.reset(pmids[i]!, track?.descriptor.type ?? MetricType.U32);
      if (!track || track.pmErr !== undefined) set.fail(track?.pmErr ?? PM_ERR.PMID_LOG);
      else if (track.needsMarks && (yield* this.#crossesMark(track, fetch))) track.last = undefined;
      else this.#fill(track, fetch, set);
      if (track) track.lastStamp = at;
    }
  }

  /** PCP: the mark between two archives is 1 ms behind the earlier one going forward, else 1 ms before the later (recorded from 7.2.1). */
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

  #makeTrack(pmid: number): MetricTrack | undefined {
    const { metadata, dataVersion } = this.#archive;
    const descriptor = metadata.descriptor(pmid);
    if (!descriptor) return undefined;
    const known = this.#tracks.get(pmid);
    let pmErr: number | undefined;
    if (descriptor.semantics === Semantics.COUNTER && !isArithmeticType(descriptor.type)) pmErr = PM_ERR.TYPE;
    if (descriptor.type === MetricType.NOSUPPORT) pmErr = PM_ERR.PMID_LOG;
    const track = new MetricTrack(descriptor, dataVersion, pmErr);
    track.last = known?.last;
    track.lastStamp = known?.lastStamp;
    this.#tracks.set(pmid, track);
    return track;
  }

  *#findLiving(indom: number, { profile, at }: Fetch): Waits<readonly Living[]> {
    if (indom === INDOM_NULL) return SINGULAR;
    const { all, isLarge } = this.#domains.get(indom) ?? (yield* this.#learnDomain(indom));
    const takesAll = profile.includesAll(indom);
    if (takesAll && !isLarge) return all;
    return all.filter(({ id, lifespan }) => {
      return (takesAll || profile.includes(indom, id)) && (!lifespan || isAlive(lifespan, at));
    });
  }

  *#learnDomain(indom: number): Waits<Domain> {
    const { dataVersion, metadata } = this.#archive;
    const lifespans = yield* waitFor(metadata.lifespans(indom));
    const isLarge = lifespans.size >= LIFESPAN_MIN_INSTANCES;
    const all = [...lifespans].map(([id, lifespan]) => ({ id, lifespan: isLarge ? lifespan : undefined }));
    const domain: Domain = { all, isLarge };
    if (this.#archive.dataVersion === dataVersion) this.#domains.set(indom, domain);
    return domain;
  }

  #fill(track: MetricTrack, fetch: Fetch, set: ValueSet): void {
    for (const instance of track.asked) {
      const damage = instance.low.damage ?? instance.high.damage;
      if (damage) fetch.onDamage(damage);
      addValueAt(instance, fetch.at, track.descriptor, this.#rules, set);
    }
    track.last = set.status > 0 ? this.#position : undefined;
  }

  /** Find both neighbours of the moment for all instances of all metrics that do not have them from the moment before. */
  *#findNeighbours(tracks: readonly (MetricTrack | undefined)[], fetch: Fetch): Waits<void> {
    const { dataVersion } = this.#archive;
    const sought: Sought[] = [];
    for (const track of tracks) {
      if (!track || track.pmErr !== undefined) continue;
      const { pmid, indom } = track.descriptor;
      const living = fetch.living.get(indom) ?? (yield* this.#findLiving(indom, fetch));
      fetch.living.set(indom, living);
      track.ask(living, this.#archive.withoutValues.get(pmid));
      const open = track.asked.filter((one) => !isBetween(one, fetch.at, dataVersion));
      if (open.length === 0) continue;
      if (this.#setFromHere(track, open)) for (const one of open) one.dataVersion = dataVersion;
      else sought.push({ pmid, instances: new Map(open.map((one) => [one.instance, one])) });
    }
    if (sought.length === 0) return;
    // Should a search fail, what it found so far counts for nothing.
    for (const { instances } of sought) for (const one of instances.values()) one.dataVersion = -1;
    yield* this.#findLow(sought, fetch);
    yield* this.#findHigh(sought, fetch);
    for (const { pmid, instances } of sought) {
      for (const one of instances.values()) {
        one.dataVersion = dataVersion;
        if (one.isWithoutValues) this.#archive.noteWithoutValues(pmid, one.instance, dataVersion);
      }
    }
  }

  /** Sets both neighbours from a column in memory whose rows all have the same instances. Returns false at its ends and at marks. */
  #setFromHere(track: MetricTrack, instances: readonly InstanceTrack[]): boolean {
    if (!this.#position) return false;
    const { segment, index } = this.#position;
    if (segment.summary?.marks.length !== 0) return false;
    const column = this.#columnIn(segment, track);
    if (!column || column.width === 0) return false;
    const row = column.rowsBefore(index);
    if (row === 0 || row === column.records.length) return false;
    for (const { instance, low, high } of instances) {
      const place = column.placeOf(instance);
      if (place < 0) return false;
      low.setValue(column, (row - 1) * column.width + place, row - 1);
      high.setValue(column, row * column.width + place, row);
    }
    return true;
  }

  #columnIn(segment: Segment, track: MetricTrack): MetricColumn | undefined {
    if (track.columnUid !== segment.uid || !track.column) {
      const { pmid } = track.descriptor;
      track.column = this.#atHand.peek(segment.uid)?.get(pmid) ?? peekColumn(this.#archive.memory, segment, pmid);
      track.columnUid = segment.uid;
    }
    return track.column;
  }

  /** Go back from the moment until every instance has a value or a mark before it, or there is nothing more. */
  *#findLow(sought: readonly Sought[], fetch: Fetch): Waits<void> {
    let open = stillSought(sought, ({ low }) => low.setNothing(-Infinity));
    for (let place = this.#position; place && open.length > 0;) {
      const { segment, index }: Position = place;
      const columns = this.#peekColumns(segment, open) ?? (yield* this.#loadColumns(segment, open, fetch));
      const { marks, markStamps } = segment.summary!;
      const mark = lowerBound(marks, index) - 1;
      const start = mark < 0 ? 0 : marks[mark]! + 1;
      for (const [i, { instances }] of open.entries()) {
        columns[i]?.takeLast(instances, start, index, ({ low }, value) => low.setValue(columns[i]!, value));
      }
      // Before the segment beyond is looked at, which may have to be read for that.
      if (open.every(isFound)) return;
      if (mark >= 0) {
        endAt(open, 'low', markStamps[mark], yield* damageAt(segment, marks[mark]!, fetch));
        return;
      }
      yield* this.#wait(eventLoopTurns.next(), fetch);
      const previous = yield* this.#previous(segment, fetch);
      if (previous?.summary?.tail) {
        endAt(open, 'low', previous.summary.last, yield* this.#damageBehind(previous, fetch));
        return;
      }
      const until = previous?.summary?.last;
      open = stillSought(open, ({ lifespan }) => until && lifespan && compareTimestamps(until, lifespan.birth) < 0);
      place = previous && { segment: previous, index: Infinity };
    }
  }

  /** Go on from the moment until every instance has a value or a mark behind it, or there is nothing more. */
  *#findHigh(sought: readonly Sought[], fetch: Fetch): Waits<void> {
    let open = stillSought(sought, ({ high }) => high.setNothing(Infinity));
    for (let place = this.#position; place && open.length > 0;) {
      const { segment, index }: Position = place;
      const columns = this.#peekColumns(segment, open) ?? (yield* this.#loadColumns(segment, open, fetch));
      const { marks, markStamps, tail } = segment.summary!;
      const mark = lowerBound(marks, index);
      const end = mark === marks.length ? Infinity : marks[mark]!;
      for (const [i, { instances }] of open.entries()) {
        columns[i]?.takeFirst(instances, index, end, ({ high }, value) => high.setValue(columns[i]!, value));
      }
      if (open.every(isFound)) return;
      const isMark = mark < marks.length;
      if (isMark || tail) {
        const damage = yield* isMark ? damageAt(segment, marks[mark]!, fetch) : this.#damageBehind(segment, fetch);
        endAt(open, 'high', markStamps[mark], damage);
        return;
      }
      yield* this.#wait(eventLoopTurns.next(), fetch);
      const next = yield* this.#timeline.next(segment, fetch.signal);
      const from = next?.since;
      open = stillSought(open, ({ lifespan }) => {
        return from && lifespan?.death && compareTimestamps(from, lifespan.death) > 0;
      });
      place = next && { segment: next, index: 0 };
    }
  }

  /** The segment before another, whose records are known. */
  *#previous(segment: Segment, { signal }: Fetch): Waits<Segment | undefined> {
    for (;;) {
      const previous = yield* this.#timeline.previous(segment, signal);
      if (!previous || previous.summary) return previous;
      // Reading a segment for the first time may cut it: what is cut off is the one before.
      yield* waitFor(previous.owner.load(previous, signal));
    }
  }

  /** The damage that a volume ends with, unless it may be a record that is still being written. */
  *#damageBehind(segment: Segment, fetch: Fetch): Waits<PmError | undefined> {
    const { tail } = segment.summary!;
    if (!tail?.isIncomplete) return tail?.error;
    const next = yield* this.#timeline.next(segment, fetch.signal);
    return next && !this.#timeline.isGap(next) ? tail.error : undefined;
  }

  /** Whether a mark lies between the last fetch, if it gave values, and this one. */
  *#crossesMark({ last, lastStamp }: MetricTrack, fetch: Fetch): Waits<boolean> {
    const known = last && fetch.crossings.get(last);
    if (known !== undefined || !last || !lastStamp || !this.#position) return known ?? false;
    const isForward = compareTimestamps(lastStamp, fetch.at) <= 0;
    const crosses = yield* this.#isMarkBetween(
      isForward ? last : this.#position,
      isForward ? this.#position : last,
      fetch,
    );
    fetch.crossings.set(last, crosses);
    return crosses;
  }

  *#isMarkBetween(from: Position, to: Position, fetch: Fetch): Waits<boolean> {
    let { segment, index } = from;
    for (;;) {
      while (!segment.summary) yield* waitFor(segment.owner.load(segment, fetch.signal));
      const { marks, tail } = segment.summary;
      const mark = lowerBound(marks, index);
      const limit = segment === to.segment ? to.index : Infinity;
      const isMark = mark < marks.length && marks[mark]! < limit;
      if (!isMark && segment === to.segment) return false;
      if (isMark || tail) {
        const damage = yield* isMark ? damageAt(segment, marks[mark]!, fetch) : this.#damageBehind(segment, fetch);
        if (damage) fetch.onDamage(damage);
        return true;
      }
      yield* this.#wait(eventLoopTurns.next(), fetch);
      const next = yield* this.#timeline.next(segment, fetch.signal);
      if (!next) return false;
      segment = next;
      index = 0;
    }
  }

  *#wait(turn: Promise<void> | undefined, { signal }: Fetch): Waits<void> {
    signal?.throwIfAborted();
    if (!turn) return;
    yield* waitFor(turn);
    signal?.throwIfAborted();
  }

  /** The columns of the wanted metrics in a segment, in order (undefined if it has none), if all are in memory. */
  #peekColumns(segment: Segment, sought: readonly Sought[]): readonly (MetricColumn | undefined)[] | undefined {
    if (!segment.summary) return undefined;
    const atHand = this.#atHand.peek(segment.uid);
    const columns: (MetricColumn | undefined)[] = [];
    for (const { pmid } of sought) {
      let column: MetricColumn | undefined;
      if (segment.mayHold(pmid)) {
        column = atHand?.get(pmid) ?? peekColumn(this.#archive.memory, segment, pmid);
        if (!column) return undefined;
      }
      columns.push(column);
    }
    return columns;
  }

  *#loadColumns(
    segment: Segment,
    sought: readonly Sought[],
    { pmids, signal }: Fetch,
  ): Waits<readonly (MetricColumn | undefined)[]> {
    const { memory, metadata } = this.#archive;
    const typeOf = (pmid: number): MetricType | undefined => metadata.descriptor(pmid)?.type;
    for (;;) {
      // As long as it grows meanwhile, what was read is of no use.
      while (!segment.summary) yield* waitFor(segment.owner.load(segment, signal));
      const found = this.#peekColumns(segment, sought);
      if (found) return found;
      const { uid } = segment;
      // Where the moment lies, all metrics will want theirs sooner or later, and one plan reads them all.
      const isHere = segment === this.#position?.segment;
      const held = isHere
        ? pmids.filter((pmid) => typeOf(pmid) !== undefined && segment.mayHold(pmid))
        : yield* waitFor(metricsWith(segment, sought, signal));
      const columns = yield* waitFor(loadColumns(memory, segment, held, { typeOf, signal }));
      const atHand = getOrMake<number, Map<number, MetricColumn>>(this.#atHand, uid, () => new Map());
      for (const column of columns) atHand.set(column.pmid, column);
      if (!isHere && segment.uid === uid) return sought.map(({ pmid }) => atHand.get(pmid));
    }
  }

  /** The position of a moment near the one before, if no record has to be read. */
  *#findPosition(at: Timestamp, signal: AbortSignal | undefined): Waits<Position | undefined> {
    const segment = this.#position?.segment;
    const table = segment?.owner.peek(segment);
    if (!segment || !table) return undefined;
    const index = countBefore(table, at, true);
    if (index === 0) return undefined;
    if (index < table.count) return { segment, index };
    const next = yield* this.#timeline.next(segment, signal);
    if (!next) return { segment, index };
    if (!next.summary || next.summary.count === 0 || segment.summary?.tail) return undefined;
    if (compareTimestamps(next.summary.first, at) > 0) return { segment, index };
    const nextTable = next.owner.peek(next);
    if (!nextTable || compareRecord(nextTable, nextTable.count - 1, at) <= 0) return undefined;
    return { segment: next, index: countBefore(nextTable, at, true) };
  }
}

/** How many of some moments come before an instance comes or goes after `from`. */
function countUnchanged(
  domain: Domain | undefined,
  from: Timestamp,
  times: readonly Timestamp[],
  most: number,
): number {
  let count = most;
  for (const { lifespan } of domain?.isLarge ? domain.all : []) {
    const { birth, death } = lifespan!;
    if (compareTimestamps(birth, from) > 0)
      while (count > 0 && compareTimestamps(times[count - 1]!, birth) >= 0) count--;
    if (!death || compareTimestamps(death, from) < 0) continue;
    while (count > 0 && compareTimestamps(times[count - 1]!, death) > 0) count--;
  }
  return count;
}

function isBetween(track: InstanceTrack, at: Timestamp, dataVersion: number): boolean {
  if (track.dataVersion !== dataVersion) return false;
  return compareTimestamps(track.low, at) <= 0 && compareTimestamps(at, track.high) < 0;
}

function stillSought(
  sought: readonly Sought[],
  isSettled: (instance: InstanceTrack) => unknown,
): readonly OpenSearch[] {
  const open: OpenSearch[] = [];
  for (const { pmid, instances } of sought) {
    const left = new Map<number, InstanceTrack>();
    for (const [id, instance] of instances) if (!isSettled(instance)) left.set(id, instance);
    if (left.size > 0) open.push({ pmid, instances: left });
  }
  return open;
}

function isFound({ instances }: Sought): boolean {
  return instances.size === 0;
}

/** Ends open searches at a mark, at damage, or both. */
function endAt(
  open: readonly OpenSearch[],
  side: 'low' | 'high',
  mark: Timestamp | undefined,
  damage: PmError | undefined,
): void {
  for (const { instances } of open) {
    for (const instance of instances.values()) {
      if (mark) instance[side].setMark(mark);
      if (damage) instance[side].damage = damage;
    }
  }
}

/** The damage in place of a mark; undefined for a recorded mark. */
function* damageAt(segment: Segment, mark: number, { signal }: Fetch): Waits<PmError | undefined> {
  if (!segment.summary?.damages.includes(mark)) return undefined;
  const { damages } = yield* waitFor(segment.owner.load(segment, signal));
  const message = damages.get(mark);
  return message === undefined ? undefined : new PmError(PM_ERR.LOGREC, message);
}
