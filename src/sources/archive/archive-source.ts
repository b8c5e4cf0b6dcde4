import { addSeconds, compareTimestamps, FetchResult, INDOM_NULL, PM_ERR, PmError } from '../../pmapi/index.js';
import type { InstanceDomain, LabelSet, LabelTarget, Timestamp } from '../../pmapi/index.js';
import { ByteReader, decodeValueSet, indexValueSets } from '../wire/index.js';
import type {
  DescriptorResult,
  EstimateRange,
  FindInterruptions,
  HelpLevel,
  HelpTarget,
  NameResult,
  PmnsChildren,
  PreparedFetch,
  RecordedSource,
  SourceInfo,
  InterpolationOptions,
  ReadMoment,
  RecordedMode,
  ReadingOptions,
  RecordedModeChange,
  RecordedPosition,
  RangeEstimate,
} from '../metric-source.js';
import type { InstanceProfile } from '../profile.js';
import { markAt, type Batch, type RecordedSample, type FindNeighbours } from '../batch.js';
import { doWaiting, waitFor, type Waits } from '../waits.js';
import type { Archive, Position, Timeline } from './archive.js';
import { RECORD_LAYOUT } from './columns/column-loader.js';
import { findNeighbours } from './find-neighbours.js';
import { Interpolator } from './interpolator.js';
import type { LabelRecord } from './metadata/label-record.js';
import { MARK, RecordCursor, type RecordPlace, type WantedPmids } from './record-cursor.js';
import { RecordColumns } from './columns/record-columns.js';
import { RECORD_HEADER_BYTES } from './records/record-checker.js';
import { Volume } from './records/volume.js';
import type { RecordTable } from './records/record-table.js';

interface ArchiveFetch extends PreparedFetch {
  /** The metrics at whose records to stop; undefined: at every record. */
  readonly wanted: WantedPmids | undefined;
}

/** A context's view of the shared {@link Archive}: its position, at first the start. @see pmSetMode(3), pmFetchArchive(3) */
export class ArchiveSource implements RecordedSource {
  readonly kind = 'archive';
  /** The files, shared with other sources on them. */
  readonly opened: Archive;
  readonly #release: () => void;
  #gone: Error | undefined;
  #mode: RecordedMode = 'forward';
  #time: Timestamp;
  #intervalSec = 0;
  #cursor: RecordCursor | undefined;
  #interpolator: Interpolator | undefined;
  #columns: RecordColumns | undefined;

  /** @param release told once, when the source lets go of the archive */
  constructor(archive: Archive, release: () => void) {
    this.opened = archive;
    this.#release = release;
    this.#time = archive.start;
  }

  get origin(): object {
    return this.opened;
  }

  get archive(): RecordedSource {
    return this;
  }

  get generation(): number {
    return this.opened.metadata.version;
  }

  async info(): Promise<SourceInfo> {
    await this.#refresh();
    const { label, start } = this.opened;
    return {
      kind: this.kind,
      hostName: label.hostName,
      timezone: label.timezone,
      start,
      end: await doWaiting(this.opened.end()),
    };
  }

  label(): LabelRecord {
    return this.opened.label;
  }

  async end(): Promise<Timestamp> {
    await this.#refresh();
    return doWaiting(this.opened.end());
  }

  get position(): RecordedPosition {
    const position = { mode: this.#mode, time: this.#time, intervalSec: this.#intervalSec };
    return this.#cursor ? { ...position, isRead: true } : position;
  }

  /** Sets the mode; omitted members stay. Forward fetches take records at or after `time`, backward ones at or before. @see pmSetMode(3) */
  setMode({ mode, time, intervalSec = this.#intervalSec }: RecordedModeChange): void {
    if (!Number.isFinite(intervalSec)) throw new PmError(-22, `interval ${intervalSec}`);
    if (time || this.#mode === 'interp' || mode === 'interp') this.#cursor = undefined;
    this.#mode = mode;
    this.#intervalSec = intervalSec;
    if (time) this.#time = time;
    this.#interpolator?.forget();
  }

  standLike(other: RecordedSource): void {
    this.setMode(other.position);
    if (other instanceof ArchiveSource && other.opened === this.opened) this.#cursor = other.#cursor?.copy();
  }

  async lookupNames(names: readonly string[]): Promise<readonly NameResult[]> {
    const { pmns } = this.#metadata;
    const found = names.map((name) => pmns.lookup(name));
    if (!found.includes(PM_ERR.NAME)) return found;
    // A growing archive may have learnt the name since.
    const before = this.generation;
    await this.#refresh();
    return this.generation === before ? found : names.map((name) => pmns.lookup(name));
  }

  async namesOf(pmid: number): Promise<readonly string[]> {
    return Promise.resolve(this.#metadata.pmns.namesOf(pmid));
  }

  async children(prefix: string): Promise<PmnsChildren> {
    return Promise.resolve(this.#metadata.pmns.children(prefix));
  }

  async traverse(prefix: string): Promise<readonly string[]> {
    return Promise.resolve(this.#metadata.pmns.traverse(prefix));
  }

  async describe(pmids: readonly number[]): Promise<readonly DescriptorResult[]> {
    const metadata = this.#metadata;
    return Promise.resolve(pmids.map((pmid) => metadata.descriptor(pmid) ?? PM_ERR.PMID_LOG));
  }

  /** The instances at a moment, by default at the context's position. Throws PM_ERR_INDOM_LOG. @see pmGetInDom(3) */
  async instances(indom: number, at: Timestamp = this.#time): Promise<InstanceDomain> {
    return this.#metadata.instancesAt(indom, at);
  }

  async instancesEver(indom: number): Promise<InstanceDomain> {
    return this.#metadata.instancesEver(indom);
  }

  nextLabels(target: LabelTarget, after: Timestamp): Timestamp | undefined {
    return this.opened.metadata.nextLabels(target, after);
  }

  nextInstances(indom: number, after: Timestamp): Timestamp | undefined {
    return this.opened.metadata.nextInstances(indom, after);
  }

  /** The labels of a target at a moment, by default at the context's position. @see pmLookupLabels(3) */
  async labels(target: LabelTarget, at: Timestamp = this.#time): Promise<readonly LabelSet[]> {
    return this.#metadata.labelsAt(target, at);
  }

  async helpText(target: HelpTarget, level: HelpLevel): Promise<string | undefined> {
    return this.#metadata.helpText(target, level);
  }

  prepare(pmids: readonly number[]): ArchiveFetch {
    return { pmids, wanted: pmids.length > 0 ? new Set(pmids) : undefined };
  }

  /**
   * The next record in the mode's direction with a prepared metric (or any); or values interpolated at the position, which moves on.
   * Throws PM_ERR_EOL at the end. Damage throws PM_ERR_LOGREC once; interpolated values beside it come with a warning.
   */
  async fetch(prepared: PreparedFetch, profile: InstanceProfile, into: FetchResult): Promise<void> {
    this.#requireOpen();
    if (this.#mode === 'interp') {
      const at = this.#time;
      this.#time = addSeconds(at, this.#intervalSec);
      this.#interpolator ??= new Interpolator(this.opened);
      await doWaiting(this.#interpolate(this.#interpolator, prepared.pmids, profile, at, into, warnIn(into)));
      return;
    }
    const wanted = wantedOf(prepared);
    let place = await this.#step(wanted);
    while (place.isMark) place = await this.#step(wanted);
    if (this.#columns?.pmids !== prepared.pmids) this.#columns = new RecordColumns(this.opened, prepared.pmids);
    await this.#columns.fill(place, profile, into);
  }

  async nextRecord(into: FetchResult): Promise<RecordedSample> {
    this.#requireOpen();
    if (this.#mode === 'interp') throw new PmError(PM_ERR.MODE);
    const place = await this.#step(undefined);
    return this.#wholeRecord(place, into);
  }

  /** A reader of interpolated values, independent of the context's position. Gives no counter for the first moment behind a mark. */
  range(
    prepared: PreparedFetch,
    profile: InstanceProfile,
    { wrap = false, ...options }: InterpolationOptions = {},
  ): ReadMoment {
    const interpolator = new Interpolator(this.opened, { wrap });
    const read = (time: Timestamp, into: FetchResult): void | Promise<void> => {
      this.#requireOpen();
      return doWaiting(this.#interpolate(interpolator, prepared.pmids, profile, time, into, options));
    };
    return Object.assign(read, {
      block: (times: readonly Timestamp[]) => (this.#gone ? undefined : interpolator.block(prepared.pmids, times)),
    });
  }

  /** The records around a moment, for each instance of some metrics. Throws PM_ERR_EOL outside of the archive. */
  readonly neighbours: FindNeighbours = async (pmids, profile, at, signal) => {
    this.#requireOpen();
    const interpolator = new Interpolator(this.opened);
    await doWaiting(this.#interpolate(interpolator, pmids, profile, at, new FetchResult(), { signal }));
    return findNeighbours(this.opened.timeline, interpolator, pmids, at, signal);
  };

  /** One batch a segment, as far as no mark lies between. The position stays. Damage is a mark, and told to `onDamage`. */
  async *batches(
    prepared: PreparedFetch,
    profile: InstanceProfile,
    from: Timestamp,
    to: Timestamp,
    { signal, onDamage = () => undefined }: ReadingOptions = {},
  ): AsyncGenerator<Batch, void> {
    await this.#refresh();
    const wanted = prepared.pmids.length > 0 ? new Set([...prepared.pmids, MARK]) : undefined;
    const cursor = new RecordCursor(this.opened.timeline);
    await cursor.seek(from, 'forward', signal);
    const columns = new RecordColumns(this.opened, prepared.pmids);
    let place = await cursor.next(wanted, signal);
    // Damage right before the range may have been records of it, but is no mark in it.
    while (place?.damage && compareTimestamps(place.stamp, from) < 0) {
      onDamage(place.damage);
      place = await cursor.next(wanted, signal);
    }
    while (place && compareTimestamps(place.stamp, to) <= 0) {
      if (place.damage) onDamage(place.damage);
      if (place.isMark) {
        yield markAt(place.stamp);
      } else {
        const { batch, last } = await columns.batch(place, profile, to, signal);
        yield batch;
        cursor.passBy(last);
      }
      this.#requireOpen();
      place = await cursor.next(wanted, signal);
    }
    if (!place && cursor.tail?.isIncomplete === false) onDamage(cursor.tail.error);
  }

  readonly estimate: EstimateRange = async ({ pmids }, profile, from, to, { signal } = {}) => {
    await this.#refresh();
    const { metadata, timeline } = this.opened;
    // Of a domain that is not taken whole, at least one instance counts.
    const isWhole = new Map(
      pmids.map((pmid) => [pmid, profile.includesAll(metadata.descriptor(pmid)?.indom ?? INDOM_NULL)]),
    );
    return estimateRange(
      timeline,
      from,
      to,
      (pmid, count) => {
        const whole = isWhole.get(pmid);
        return whole === undefined ? 0 : whole ? count : 1;
      },
      signal,
    );
  };

  /** One may have begun before the window. */
  readonly interruptions: FindInterruptions = async (from, to, { signal } = {}) => {
    this.#requireOpen();
    const cursor = new RecordCursor(this.opened.timeline);
    await cursor.seek(from, 'backward', signal);
    // The last record before the window may be a mark.
    await cursor.previous();
    const found: { from: Timestamp; to: Timestamp }[] = [];
    for (;;) {
      const mark = await cursor.next(MARKS_ONLY, signal);
      if (!mark || compareTimestamps(mark.stamp, to) > 0) return found;
      let next: RecordPlace | undefined = mark;
      while (next?.isMark === true) next = await cursor.next(undefined, signal);
      found.push({ from: mark.stamp, to: next?.stamp ?? to });
    }
  };

  async close(): Promise<void> {
    this.destroy(new PmError(PM_ERR.NOCONTEXT));
    return Promise.resolve();
  }

  destroy(reason: Error): void {
    if (this.#gone) return;
    this.#gone = reason;
    this.#release();
  }

  #requireOpen(): void {
    if (this.#gone) throw this.#gone;
  }

  get #metadata(): Archive['metadata'] {
    this.#requireOpen();
    return this.opened.metadata;
  }

  async #refresh(): Promise<void> {
    this.#requireOpen();
    await this.opened.refresh();
  }

  async #step(wanted: ReadonlySet<number> | undefined): Promise<RecordPlace> {
    const forward = this.#mode === 'forward';
    if (!this.#cursor) {
      await this.#refresh();
      const cursor = new RecordCursor(this.opened.timeline);
      await cursor.seek(this.#time, forward ? 'forward' : 'backward');
      this.#cursor = cursor;
    }
    const place = forward ? await this.#nextOf(this.#cursor, wanted) : await this.#cursor.previous(wanted);
    if (!place) throw new PmError(PM_ERR.EOL);
    if (place.damage) throw place.damage;
    this.#time = place.stamp;
    return place;
  }

  /** The cursor's next record, after a look for growth where there is none. Throws PM_ERR_LOGREC while the archive ends in damage. */
  async #nextOf(cursor: RecordCursor, wanted: ReadonlySet<number> | undefined): Promise<RecordPlace | undefined> {
    const place = await cursor.next(wanted);
    if (place) return place;
    const more = (await this.opened.refresh()) ? await cursor.next(wanted) : undefined;
    if (!more && cursor.tail) throw cursor.tail.error;
    return more;
  }

  async #wholeRecord(place: RecordPlace, into: FetchResult): Promise<RecordedSample> {
    const { segment, table, record, stamp, isMark } = place;
    into.timestamp = stamp;
    into.resize(0);
    const { owner } = segment;
    if (!isMark && owner instanceof Volume) {
      const { metadata } = this.opened;
      const [offset, length] = [table.offsets[record]!, table.lengths[record]!];
      const bytes = await owner.file.read(offset, length);
      const reader = new ByteReader(
        bytes.subarray(0, length - 4),
        `${owner.file.name} at offset ${offset}`,
        PM_ERR.LOGREC,
      );
      reader.seek(RECORD_HEADER_BYTES[owner.version], 'value sets');
      const sets = indexValueSets(reader, table.layouts[table.layoutOf[record]!]!.pmids.length, RECORD_LAYOUT);
      into.resize(sets.pmids.length);
      sets.offsets.forEach((at, i) => {
        const type = metadata.descriptor(sets.pmids[i]!)?.type;
        decodeValueSet(reader, at, type, into.sets[i]!, RECORD_LAYOUT);
      });
    }
    return { timestamp: stamp, isMark, result: into };
  }

  *#interpolate(
    interpolator: Interpolator,
    pmids: readonly number[],
    profile: InstanceProfile,
    at: Timestamp,
    into: FetchResult,
    options: ReadingOptions,
  ): Waits<void> {
    let end = yield* this.opened.end(options.signal);
    if (compareTimestamps(at, end) >= 0) {
      yield* waitFor(this.#refresh());
      end = yield* this.opened.end(options.signal);
    }
    const fetching = interpolator.fetch(pmids, profile, at, end, into, options);
    if (fetching instanceof Promise) yield* waitFor(fetching);
  }
}

const MARKS_ONLY: WantedPmids = new Set([MARK]);

function warnIn(into: FetchResult): ReadingOptions {
  into.warning = undefined;
  return {
    onDamage: (damage) => {
      into.warning ??= damage;
    },
  };
}

function wantedOf(prepared: PreparedFetch): WantedPmids | undefined {
  if ('wanted' in prepared) return (prepared as ArchiveFetch).wanted;
  return prepared.pmids.length > 0 ? new Set(prepared.pmids) : undefined;
}

/** The share of a value set that counts; 0 for metrics that are not requested. */
type ValuesOf = (pmid: number, count: number) => number;

/** Estimates what a range holds from its end segments and the bytes between. Wrong for metrics that begin or end within it. */
async function estimateRange(
  timeline: Timeline,
  from: Timestamp,
  to: Timestamp,
  valuesOf: ValuesOf,
  signal?: AbortSignal,
): Promise<RangeEstimate> {
  const first = await timeline.locate(from, false, signal);
  const last = await timeline.locate(to, true, signal);
  if (!first || !last) return { records: 0, values: 0 };
  const [begin, end] = [await density(first, valuesOf, signal), await density(last, valuesOf, signal)];
  const bytes = bytesBetween(timeline, first, last);
  const read = begin.bytes + end.bytes;
  if (bytes <= 0 || read === 0) return { records: 0, values: 0 };
  return {
    records: ((begin.records + end.records) / read) * bytes,
    values: ((begin.values + end.values) / read) * bytes,
  };
}

/** Values of the requested metrics in a segment, and its bytes. */
async function density(
  { segment }: Position,
  valuesOf: ValuesOf,
  signal: AbortSignal | undefined,
): Promise<RangeEstimate & { readonly bytes: number }> {
  const table = await segment.owner.load(segment, signal);
  const perLayout = table.layouts.map(({ pmids, counts }) => {
    let values = 0;
    for (let i = 0; i < pmids.length; i++) values += valuesOf(pmids[i]!, Math.max(counts[i]!, 1));
    return values;
  });
  let [records, values] = [0, 0];
  for (let record = 0; record < table.count; record++) {
    const held = perLayout[table.layoutOf[record]!]!;
    if (held > 0) records++;
    values += held;
  }
  return { records, values, bytes: table.consumed - segment.start };
}

function bytesBetween(timeline: Timeline, first: Position, last: Position): number {
  const [begin, end] = [offsetOf(first), offsetOf(last)];
  const { owner } = first.segment;
  if (owner === last.segment.owner) return end - begin;
  const sizes = [first, last].map(({ segment }) => (segment.owner instanceof Volume ? segment.owner.file.size : 0));
  // A volume that has not been opened yet is assumed to be as long as the others.
  const usual = Math.max(...sizes);
  let bytes = sizes[0]! - begin + end;
  for (const volume of timeline.volumesBetween(first.segment, last.segment)) bytes += volume?.file.size ?? usual;
  return bytes;
}

function offsetOf({ segment, index }: Position): number {
  const { owner } = segment;
  const table: RecordTable | undefined = owner.peek(segment);
  if (!(owner instanceof Volume) || !table) return segment.start;
  return index < table.count ? table.offsets[index]! : table.consumed;
}
