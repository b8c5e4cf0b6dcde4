import {
  addInterval,
  compareTimestamps,
  earlier,
  formatTimestamp,
  justAfter,
  justBefore,
  later,
  onPmError,
  PM_ERR,
  PmError,
} from '../../pmapi/index.js';
import type { FetchResult, InstanceDomain, LabelSet, LabelTarget, Timestamp } from '../../pmapi/index.js';
import type {
  DescriptorResult,
  EstimateRange,
  HelpLevel,
  HelpTarget,
  InterpolationOptions,
  NameResult,
  PmnsChildren,
  PreparedFetch,
  ReadingOptions,
  ReadMoment,
  ReadWindow,
  RecordedLabel,
  RecordedPosition,
  RecordedSource,
  SourceInfo,
} from '../metric-source.js';
import { InstanceProfile } from '../profile.js';
import { markAt, timeOfRow } from '../batch.js';
import type { Batch, RecordedSample, FindNeighbours, InstanceNeighbours } from '../batch.js';
import { doWaiting, waitFor, type Waits } from '../waits.js';
import { JoinedMetrics, profileOfPart, type JoinedMetric } from './joined-metrics.js';
import { MeasuredHoldings } from './measured-holdings.js';
import { shareOut, stretchesOf, type HeldSpan, type Holding, type Stretch, type Turn } from './merge-rule.js';
import { despiteTrouble, mergeParts, MomentReader, translateNeighbours } from './part-reading.js';
import type { PartBatches, PartMoments, PartReading } from './part-reading.js';
import type { ArchivePart, LivePart, PartValues, TimelinePart } from './timeline-part.js';

export interface TimelineOptions {
  /** In order of their start; at least one unless there is a live part. */
  readonly archives: readonly ArchivePart[];
  readonly live: LivePart | undefined;
  readonly hostName: string;
  readonly timezone: string | undefined;
  /** The first recorded moment, even in archives that are not among these. */
  readonly start: Timestamp;
  readonly now: () => Timestamp;
  /** The operands of a derived metric that is defined now; undefined for other names. Where they were recorded, it is computed. */
  readonly operandsOf?: ((name: string) => readonly string[] | undefined) | undefined;
  readonly skipped?: readonly SkippedArchive[];
}

export interface SkippedArchive {
  readonly name: string;
  readonly error: PmError;
}

/** Distance of a mark from the last sample, as in libpcp between archives. */
const MARK_DISTANCE: Timestamp = { sec: 0, nsec: 1_000_000 };

/** A time and the part that it belongs to, for some metrics together. */
export interface TimelineSegment {
  readonly part: TimelinePart;
  readonly from: Timestamp;
  readonly to: Timestamp;
  /** Infinity if unknown. */
  readonly spacingSec: number;
}

interface Joint {
  /** Undefined for a PMID that no part has. */
  readonly metrics: readonly (JoinedMetric | undefined)[];
  readonly stretches: readonly Stretch[];
}

/** Archives of one host and its remembered samples as one source, by the merge rule. Names identify metrics. A mark follows each seam. */
export class TimelineSource implements RecordedSource {
  readonly kind = 'archive';
  readonly origin = {};
  readonly #options: TimelineOptions;
  readonly #parts: readonly TimelinePart[];
  readonly #joined: JoinedMetrics;
  readonly #holdings: MeasuredHoldings;
  #gone: Error | undefined;

  constructor(options: TimelineOptions) {
    this.#options = options;
    const { archives, live } = options;
    this.#parts = [
      ...archives.map((archive): TimelinePart => ({ ...archive, archive, live: undefined })),
      ...(live ? [{ name: 'memory', origin: 'memory', source: live.source, archive: undefined, live } as const] : []),
    ];
    this.#joined = new JoinedMetrics(this.#parts, options.operandsOf);
    this.#holdings = new MeasuredHoldings(this.#parts);
  }

  get archive(): RecordedSource {
    return this;
  }

  get skipped(): readonly SkippedArchive[] {
    return this.#options.skipped ?? [];
  }

  /** Generations only grow, and so does their sum. */
  get generation(): number {
    return this.#parts.reduce((sum, { source }) => sum + source.generation, 0);
  }

  get position(): RecordedPosition {
    return { mode: 'forward', time: this.#options.start, intervalSec: 0 };
  }

  info(): Promise<SourceInfo> {
    const { hostName, timezone, start, now } = this.#options;
    const zone = timezone === undefined ? {} : { timezone };
    return Promise.resolve({ kind: this.kind, hostName, ...zone, start, end: now() });
  }

  label(): RecordedLabel {
    const { hostName, timezone = 'UTC' } = this.#options;
    return { version: 3, hostName, timezone, zoneinfo: '' };
  }

  end(): Promise<Timestamp> {
    return Promise.resolve(this.#options.now());
  }

  setMode(): void {
    throw new PmError(PM_ERR.MODE);
  }

  standLike(): void {
    // There is no position to copy.
  }

  nextRecord(): Promise<RecordedSample> {
    return Promise.reject(new PmError(PM_ERR.MODE));
  }

  fetch(): Promise<void> {
    return Promise.reject(new PmError(PM_ERR.MODE));
  }

  async lookupNames(names: readonly string[]): Promise<readonly NameResult[]> {
    this.#requireOpen();
    return Promise.all(names.map((name) => this.#joined.lookup(name)));
  }

  async namesOf(pmid: number): Promise<readonly string[]> {
    const names = await this.#joined.namesOf(pmid);
    if (names.length === 0) throw new PmError(PM_ERR.PMID);
    return names;
  }

  async children(prefix: string): Promise<PmnsChildren> {
    const found: PmnsChildren[] = [];
    for (const { source } of this.#joined.preferred) {
      const children = await source.children(prefix).catch(onPmError(() => undefined));
      if (children) found.push(children);
    }
    if (found.length === 0) throw new PmError(PM_ERR.NAME);
    const nonleaf = new Set(found.flatMap((children) => children.nonleaf));
    const leaf = new Set(found.flatMap((children) => children.leaf));
    return { leaf: [...leaf].filter((name) => !nonleaf.has(name)), nonleaf: [...nonleaf] };
  }

  async traverse(prefix: string): Promise<readonly string[]> {
    const found = new Set<string>();
    for (const { source } of this.#joined.preferred) {
      for (const name of await source.traverse(prefix).catch(onPmError((): readonly string[] => []))) found.add(name);
    }
    if (found.size === 0) throw new PmError(PM_ERR.NAME);
    return [...found];
  }

  async describe(pmids: readonly number[]): Promise<readonly DescriptorResult[]> {
    const metrics = await Promise.all(pmids.map((pmid) => this.#joined.join(pmid)));
    return metrics.map((metric) => metric?.descriptor ?? PM_ERR.PMID_LOG);
  }

  /** Every instance that there ever was; at a moment, those that the archive of that moment has then. */
  async instances(indom: number, at?: Timestamp): Promise<InstanceDomain> {
    const part = at && this.#archiveAt(at);
    if (!part) return this.instancesEver(indom);
    const own = this.#joined.indomIn(part, indom) ?? { indom, instances: undefined };
    const { instances } = await part.source.instances(own.indom, at);
    return { indom, instances: instances.map(({ id, name }) => ({ id: own.instances?.get(id) ?? id, name })) };
  }

  instancesEver(indom: number): Promise<InstanceDomain> {
    const known = this.#joined.instancesOf(indom);
    return known ? Promise.resolve(known) : Promise.reject(new PmError(PM_ERR.INDOM_LOG));
  }

  /** The labels of a target: at a moment, those of its archive first; then of the live source; then of the latest archive with some. */
  async labels(target: LabelTarget, at?: Timestamp): Promise<readonly LabelSet[]> {
    const first = at && this.#archiveAt(at);
    for (const part of first ? [first, ...this.#joined.preferred] : this.#joined.preferred) {
      const own = await this.#targetIn(part, target);
      const found = own && (await part.source.labels(own, at).catch(onPmError((): readonly LabelSet[] => [])));
      if (!found || found.length === 0) continue;
      const numbers = target.kind === 'instances' ? this.#joined.indomIn(part, target.indom)?.instances : undefined;
      return found.map((set) => ({ ...set, instance: numbers?.get(set.instance) ?? set.instance }));
    }
    return [];
  }

  async helpText(target: HelpTarget, level: HelpLevel): Promise<string | undefined> {
    for (const part of this.#joined.preferred) {
      const { source } = part;
      const own = target.kind === 'metric' ? await this.#targetIn(part, { kind: 'item', pmid: target.pmid }) : target;
      if (!own) continue;
      const asked: HelpTarget = own.kind === 'item' ? { kind: 'metric', pmid: own.pmid } : target;
      const text = await source.helpText(asked, level).catch(onPmError(() => undefined));
      if (text !== undefined) return text;
    }
    return undefined;
  }

  prepare(pmids: readonly number[]): PreparedFetch {
    return { pmids };
  }

  /** Differences of descriptors between parts, and their effects on values. */
  async changesOf(pmids: readonly number[]): Promise<readonly Pick<PmError, 'pmErr' | 'message'>[]> {
    const changes: Pick<PmError, 'pmErr' | 'message'>[] = [];
    for (const pmid of pmids) {
      const metric = await this.#joined.join(pmid);
      const [name = ''] = metric ? await this.namesOf(pmid) : [];
      for (const { part, change } of metric?.changes ?? []) {
        changes.push({ pmErr: change.pmErr, message: `${name}: in ${part.name} it ${change.message}` });
      }
    }
    return changes;
  }

  /** Which part is read when for the given metrics (or all), in order of time. Segments for different metrics may overlap. */
  async segments(pmids: readonly number[] | undefined, signal?: AbortSignal): Promise<TimelineSegment[]> {
    const segments: TimelineSegment[] = [];
    const joined = await Promise.all(pmids?.map((pmid) => this.#joined.join(pmid)) ?? []);
    const metrics = pmids ? joined.filter((metric) => metric !== undefined) : [undefined];
    for (const holdings of await this.#holdings.of(metrics, true, signal)) {
      for (const turn of shareOut(holdings)) segments.push(...this.#segmentsOf(turn, holdings[turn.part]!));
    }
    return joinSegments(segments);
  }

  /** The spans of a part within its turn, without gaps. */
  #segmentsOf({ part, from, until }: Turn, { spans, spacingSec }: Holding): TimelineSegment[] {
    return spans
      .map((span) => ({ from: later(span.from, from), to: earlier(span.to, justBefore(until)) }))
      .filter((span) => compareTimestamps(span.from, span.to) <= 0)
      .map((span) => ({ ...span, part: this.#parts[part]!, spacingSec }));
  }

  async *batches(
    { pmids }: PreparedFetch,
    ...[profile, from, to, options = {}]: ReadWindow
  ): AsyncGenerator<Batch, void> {
    this.#requireOpen();
    const joint = await this.#join(pmids, options.signal);
    let last: Timestamp | undefined;
    let owesMark = false;
    let isBehindMark = false;
    for (const { stretch, window } of within(joint, from, to)) {
      owesMark ||= stretch.isSeam && !isBehindMark;
      const parts = await this.#batchesOf(joint, stretch, profile, window, options);
      for await (const batch of mergeParts(joint.metrics, pmids, parts)) {
        this.#requireOpen();
        if (owesMark && last && !batch.isMark) {
          yield markAt(earlier(addInterval(last, MARK_DISTANCE), timeOfRow(batch, 0)), 'joint');
        }
        owesMark = false;
        if (batch.isMark && !last) continue;
        isBehindMark = batch.isMark;
        last = timeOfRow(batch, batch.length - 1);
        yield batch;
      }
    }
  }

  range({ pmids }: PreparedFetch, profile: InstanceProfile, options: InterpolationOptions = {}): ReadMoment {
    const begin = async (): Promise<MomentReader> => {
      const joint = await this.#join(pmids, options.signal);
      const readers = await Promise.all(this.#parts.map((_, place) => this.#momentsOf(joint, place, profile, options)));
      return new MomentReader(pmids, joint.metrics, joint.stretches, readers);
    };
    let reader: MomentReader | undefined;
    const steps = function* (time: Timestamp, into: FetchResult): Waits<void> {
      reader ??= yield* waitFor(begin());
      yield* reader.read(time, into);
    };
    return (time, into) => {
      this.#requireOpen();
      return doWaiting(steps(time, into));
    };
  }

  /** The observations around a moment, from the parts that it belongs to; an observation of an archive names it as warnings do. */
  readonly neighbours: FindNeighbours = async (pmids, profile, at, signal) => {
    this.#requireOpen();
    const joint = await this.#join(pmids, signal);
    const found = pmids.map((): readonly InstanceNeighbours[] => []);
    const stretch = joint.stretches.find(({ until }) => compareTimestamps(until, at) > 0);
    if (!stretch || compareTimestamps(stretch.from, at) > 0) return found;
    for (const place of partsOf(stretch)) {
      const opened = await this.#openPart(joint, place, stretch.owners, profile);
      const { values, own, translated, positions, metrics } = opened;
      const around = (await values.neighbours?.(own, translated, at, signal)) ?? [];
      for (const [j, i] of positions.entries()) {
        found[i] = translateNeighbours(joint.metrics[i]!, metrics[j]!, this.#parts[place]!, around[j] ?? []);
      }
    }
    return found;
  };

  readonly estimate: EstimateRange = async ({ pmids }, profile, from, to, options = {}) => {
    const joint = await this.#join(pmids, options.signal);
    const total = { records: 0, values: 0 };
    for (const { stretch, window } of within(joint, from, to)) {
      for (const place of partsOf(stretch)) {
        const { values, own, translated } = await this.#openPart(joint, place, stretch.owners, profile);
        const estimate = await values.estimate?.(values.prepare(own), translated, window.from, window.to, options);
        total.records += estimate?.records ?? 0;
        total.values += estimate?.values ?? 0;
      }
    }
    return total;
  };

  async close(): Promise<void> {
    this.#gone ??= new PmError(PM_ERR.NOCONTEXT);
    await Promise.all(this.#options.archives.map(({ source }) => source.close()));
  }

  destroy(reason: Error): void {
    this.#gone ??= reason;
    for (const { source } of this.#options.archives) source.destroy(reason);
  }

  #requireOpen(): void {
    if (this.#gone) throw this.#gone;
  }

  /** The latest archive that holds a moment; undefined where there is none. */
  #archiveAt(at: Timestamp): TimelinePart | undefined {
    return this.#parts.findLast(
      ({ archive }) => archive && compareTimestamps(archive.start, at) <= 0 && compareTimestamps(archive.end, at) >= 0,
    );
  }

  /** A target of labels in the numbering of a part; undefined if the part lacks it. */
  async #targetIn(part: TimelinePart, target: LabelTarget): Promise<LabelTarget | undefined> {
    if (target.kind === 'indom' || target.kind === 'instances') {
      return { ...target, indom: this.#joined.indomIn(part, target.indom)?.indom ?? target.indom };
    }
    if (target.kind !== 'item' && target.kind !== 'cluster') return target;
    const names = await this.#joined.namesOf(target.pmid);
    const found = (await part.source.lookupNames(names)).find((pmid) => pmid >= 0);
    return found === undefined ? undefined : { ...target, pmid: found };
  }

  async #join(pmids: readonly number[], signal: AbortSignal | undefined): Promise<Joint> {
    const metrics = await Promise.all(pmids.map((pmid) => this.#joined.join(pmid)));
    const known = metrics.filter((metric) => metric !== undefined);
    const turns = (await this.#holdings.of(known, false, signal)).map(shareOut).values();
    return { metrics, stretches: stretchesOf(metrics.map((metric) => (metric ? turns.next().value! : []))) };
  }

  async #batchesOf(
    joint: Joint,
    stretch: Stretch,
    profile: InstanceProfile,
    { from, to }: HeldSpan,
    options: ReadingOptions,
  ): Promise<PartBatches[]> {
    const parts: PartBatches[] = [];
    for (const place of partsOf(stretch)) {
      const opened = await this.#openPart(joint, place, stretch.owners, profile);
      const batches = opened.values.batches(opened.values.prepare(opened.own), opened.translated, from, to, options);
      parts.push({ ...opened, batches: despiteTrouble(this.#parts[place]!, batches, from, options) });
    }
    return parts;
  }

  /** A reader of the moments of a part for all metrics read from it; undefined without any. */
  async #momentsOf(
    joint: Joint,
    place: number,
    profile: InstanceProfile,
    options: InterpolationOptions,
  ): Promise<PartMoments | undefined> {
    const owners = joint.metrics.map((_, m) => (joint.stretches.some((each) => each.owners[m] === place) ? place : -1));
    if (!owners.includes(place)) return undefined;
    const opened = await this.#openPart(joint, place, owners, profile);
    const prepared = opened.values.prepare(opened.own);
    const read = opened.values.range(prepared, opened.translated, options);
    return { ...opened, part: this.#parts[place]!, read, onDamage: options.onDamage };
  }

  async #openPart(
    joint: Joint,
    place: number,
    owners: readonly number[],
    profile: InstanceProfile,
  ): Promise<
    PartReading & { readonly values: PartValues; readonly own: readonly number[]; readonly translated: InstanceProfile }
  > {
    const { archive, live } = this.#parts[place]!;
    const positions = [...owners.keys()].filter((m) => owners[m] === place);
    const metrics = positions.map((m) => [joint.metrics[m]!.descriptor, joint.metrics[m]!.parts[place]!] as const);
    const instancesEver = (indom: number): Promise<InstanceDomain> =>
      archive ? archive.source.instancesEver(indom) : live!.instances(indom);
    const translated = await profileOfPart(metrics, profile, instancesEver);
    const values = archive?.source ?? live!.values(metrics.map(([, { descriptor }]) => descriptor));
    const owned = metrics.map(([, own]) => own);
    return { positions, metrics: owned, values, own: owned.map(({ pmid }) => pmid), translated };
  }
}

/** The stretches in a window, each with its part of it. */
function* within(
  { stretches }: Joint,
  from: Timestamp,
  to: Timestamp,
): Generator<{ stretch: Stretch; window: HeldSpan }> {
  for (const stretch of stretches) {
    if (compareTimestamps(stretch.until, from) <= 0 || compareTimestamps(stretch.from, to) > 0) continue;
    yield { stretch, window: { from: later(stretch.from, from), to: earlier(justBefore(stretch.until), to) } };
  }
}

function partsOf({ owners }: Stretch): readonly number[] {
  return [...new Set(owners)].filter((place) => place >= 0);
}

/** Segments in order of time; adjacent ones of the same part are joined. */
function joinSegments(segments: readonly TimelineSegment[]): TimelineSegment[] {
  const joined: TimelineSegment[] = [];
  const last = new Map<TimelinePart, number>();
  for (const segment of [...segments].sort((a, b) => compareTimestamps(a.from, b.from))) {
    const place = last.get(segment.part);
    const before = place === undefined ? undefined : joined[place]!;
    if (before && compareTimestamps(segment.from, justAfter(before.to)) <= 0) {
      const spacingSec = Math.min(before.spacingSec, segment.spacingSec);
      joined[place!] = { ...before, to: later(before.to, segment.to), spacingSec };
    } else {
      last.set(segment.part, joined.length);
      joined.push(segment);
    }
  }
  return joined;
}

/** Where the clock was set back, leaves out the times of earlier archives that were recorded again. Closes archives without any left. */
export async function withoutPassed(
  parts: readonly ArchivePart[],
): Promise<{ readonly parts: readonly ArchivePart[]; readonly passed: readonly SkippedArchive[] }> {
  const kept: ArchivePart[] = [];
  const passed: SkippedArchive[] = [];
  for (const part of parts) {
    const { name, source, start, end, setBacks = Infinity } = part;
    const later = parts.filter((other) => (other.setBacks ?? 0) > setBacks && compareTimestamps(other.start, end) <= 0);
    const [next] = later.map((other) => other.start).sort(compareTimestamps);
    if (!next) {
      kept.push(part);
      continue;
    }
    if (compareTimestamps(start, next) < 0) kept.push({ ...part, end: justBefore(next) });
    else await source.close();
    const message = `from ${formatTimestamp(next)} on, to which the clock was set back: read it with archive=${name}`;
    passed.push({ name, error: new PmError(PM_ERR.LOGOVERLAP, message) });
  }
  return { parts: kept, passed };
}
