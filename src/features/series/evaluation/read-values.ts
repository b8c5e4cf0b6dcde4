import {
  compareTimestamps,
  END_OF_TIME,
  FetchResult,
  GatewayError,
  INSTANCE_NULL,
  MetricType,
  onPmError,
  PM_ERR,
  PmError,
  limitExceeded,
  addSeconds,
  secondsBetween,
} from '../../../pmapi/index.js';
import type { Column, Timestamp, ValueSet } from '../../../pmapi/index.js';
import { addTo, eventLoopTurns, sortInSteps, throughInTurns, type InSteps } from '../../../kit/index.js';
import { InstanceProfile, recordsOf, timeOfRow } from '../../../sources/index.js';
import type { PreparedFetch, RecordedSource, StoreReader } from '../../../sources/index.js';
import type { ArchiveSeries, CataloguedMetric } from '../catalogue/archive-series.js';
import type { Catalogue } from '../catalogue/catalogue.js';
import { NO_INSTANCE, type SeriesSample, type SeriesValue } from './series-values.js';
import { bytesOfSample, type MemoryShare } from './value-memory.js';
import { BEGINNING_OF_TIME, isEmptyWindow, type Window, type Interval } from './window.js';

export interface HeldSeries {
  readonly archive: ArchiveSeries;
  readonly metric: CataloguedMetric;
}

/** Series by their identifiers, with where they are. */
export type Held = ReadonlyMap<string, readonly HeldSeries[]>;

export interface ReadingBounds {
  readonly values: number;
  readonly memory?: MemoryShare | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Receives archives that cannot be opened: they are left out. */
  readonly skipped?: SkippedArchive[] | undefined;
}

export interface SkippedArchive {
  readonly name: string;
  readonly error: PmError | GatewayError;
}

/** What is known of when the last records of archives were taken. */
export type ArchiveEnds = Pick<Catalogue, 'endOf' | 'learnEnd'>;

/** Whether it is known that an archive ends before a moment. */
export function endsBefore(ends: ArchiveEnds, name: string, moment: Timestamp): boolean {
  const end = ends.endOf(name);
  return end !== undefined && compareTimestamps(end, moment) < 0;
}

/**
 * Opens archives one after another, as they are taken, and closes each behind its use, when its end is known. Leaves out those that were
 * removed since they were catalogued, or became unreadable.
 */
export async function* openEach<Wanted>(
  ends: ArchiveEnds,
  archives: Iterable<readonly [ArchiveSeries, Wanted]>,
  { signal, skipped }: ReadingBounds,
  isPast: (archive: ArchiveSeries, wanted: Wanted) => boolean = () => false,
): AsyncGenerator<readonly [StoreReader, Wanted], void> {
  for (const [archive, wanted] of archives) {
    if (isPast(archive, wanted)) continue;
    let source: StoreReader;
    try {
      source = await archive.open(signal);
    } catch (error) {
      signal?.throwIfAborted();
      const isGone = error instanceof PmError || (error instanceof GatewayError && error.code === 'UNKNOWN_ARCHIVE');
      if (!isGone) throw error;
      skipped?.push({ name: archive.name, error });
      continue;
    }
    try {
      yield [source, wanted];
      // Of an archive without an intact record nothing is known.
      const end = ends.endOf(archive.name) ?? (await source.end().catch(onPmError(() => undefined)));
      if (end) ends.learnEnd(archive.name, end);
    } finally {
      await source.close();
    }
  }
}

/** Estimates of archives are about right: what exceeds a bound by more is refused before it is read. */
export const ESTIMATE_SLACK = 2;

/** pmproxy's value of event records. */
const EVENT_TEXT = '-21344';

/**
 * The samples of series in a window, read from archives one by one: records with a value of the metric, not interpolated, repeated or
 * converted. Archives are merged by time; at equal times the archive that starts later counts. Throws LIMIT_EXCEEDED.
 * @param held where each series is, by identifier
 */
export async function readValues(
  ends: ArchiveEnds,
  bounds: ReadingBounds,
  held: Held,
  window: Window,
): Promise<ReadonlyMap<string, readonly SeriesSample[]>> {
  let read = 0;
  /** By identifier, in the order in which they were read. */
  const collected = new Map<string, SeriesSample[]>();
  for (const series of held.keys()) collected.set(series, []);
  if (!isEmptyWindow(window)) {
    for await (const [source, metrics] of openEach(ends, byArchive(held, window), bounds, isPast)) {
      if (window.kind === 'newest') await readNewest(source, metrics, window.count);
      else await readBetween(source, metrics, window, window.interval ? Infinity : window.count);
    }
  }
  const arranged = new Map<string, readonly SeriesSample[]>();
  for (const [series, samples] of collected) {
    arranged.set(series, await throughInTurns(arrange(samples, window), bounds.signal));
  }
  return arranged;

  /** Whether an archive ends before all that is wanted of it, as far as is known without opening it. */
  function isPast({ name }: ArchiveSeries, metrics: readonly CataloguedMetric[]): boolean {
    if (window.kind === 'between') return endsBefore(ends, name, window.from);
    const end = ends.endOf(name);
    if (!end) return false;
    return metrics.every(({ series }) => {
      const samples = collected.get(series)!;
      return samples.length >= window.count && countAfter(samples, end) >= window.count;
    });
  }

  async function readBetween(
    source: StoreReader,
    metrics: readonly CataloguedMetric[],
    { from, to }: Period,
    most: number,
    starts?: readonly Timestamp[],
  ): Promise<void> {
    const { signal } = bounds;
    const pmids = pmidsOf(metrics);
    const takers = pmids.map((pmid) => takerOf(metrics, pmid));
    const prepared = source.prepare(pmids);
    if (most === Infinity) {
      const estimate = await source.estimate?.(prepared, new InstanceProfile(), from, to, { signal });
      if (estimate) requireRoom(estimate.values / ESTIMATE_SLACK);
    }
    const batches = source.batches(prepared, new InstanceProfile(), from, to, { signal });
    for await (const { isMark, timestamp, result } of recordsOf(batches)) {
      signal?.throwIfAborted();
      if (isMark) continue;
      let isWanting = false;
      for (const [i, taker] of takers.entries()) {
        if (taker.count >= most) continue;
        isWanting = true;
        const set = result.sets[i]!;
        if (set.status <= 0 || (starts && compareTimestamps(timestamp, starts[i]!) < 0)) continue;
        take(taker, timestamp, set);
      }
      if (!isWanting) return;
    }
  }

  /** The newest samples: of a short archive by looking where they begin, of a long one backwards from the end. */
  async function readNewest(source: StoreReader, metrics: readonly CataloguedMetric[], count: number): Promise<void> {
    const { signal } = bounds;
    const prepared = source.prepare(pmidsOf(metrics));
    const [from, to] = [BEGINNING_OF_TIME, END_OF_TIME];
    const estimate = await source.estimate?.(prepared, new InstanceProfile(), from, to, { signal });
    if (isBackwards(source) && (!estimate || estimate.records > LOOKED_THROUGH)) {
      return readBackwards(source, metrics, count);
    }
    const starts = await startsOfNewest(source, prepared, count, signal);
    const first = starts.reduce((a, b) => (compareTimestamps(a, b) < 0 ? a : b));
    return readBetween(source, metrics, { from: first, to }, Infinity, starts);
  }

  /** Backwards from the end, until every metric has enough samples. */
  async function readBackwards(
    source: BackwardsReader,
    metrics: readonly CataloguedMetric[],
    count: number,
  ): Promise<void> {
    const { signal } = bounds;
    let takers = pmidsOf(metrics).map((pmid) => takerOf(metrics, pmid));
    const profile = new InstanceProfile();
    const result = new FetchResult();
    source.setMode({ mode: 'backward', time: await source.end() });
    let prepared = source.prepare(takers.map(({ pmid }) => pmid));
    while (takers.length > 0) {
      signal?.throwIfAborted();
      const turn = eventLoopTurns.next();
      if (turn) await turn;
      try {
        await source.fetch(prepared, profile, result);
      } catch (error) {
        if (error instanceof PmError && error.pmErr === PM_ERR.EOL) return;
        // Damage is reported once; everything before it can be read.
        if (error instanceof PmError && error.pmErr === PM_ERR.LOGREC) continue;
        throw error;
      }
      for (const [i, taker] of takers.entries()) {
        const set = result.sets[i]!;
        if (set.status > 0) take(taker, result.timestamp, set);
      }
      const wanting = takers.filter((taker) => taker.count < count);
      if (wanting.length < takers.length) {
        takers = wanting;
        prepared = source.prepare(takers.map(({ pmid }) => pmid));
      }
    }
  }

  function take(taker: Taker, timestamp: Timestamp, set: ValueSet): void {
    const { metrics } = taker;
    const sample = sampleOf(metrics[0]!, timestamp, set, taker);
    if (!sample) return;
    taker.count++;
    bounds.memory?.take(bytesOfSample(sample));
    for (const { series } of metrics) {
      read += sample.values.length + textCost(sample.values);
      collected.get(series)!.push(sample);
    }
    requireRoom(0);
  }

  function requireRoom(more: number): void {
    const { values } = bounds;
    if (read + more <= values) return;
    const message = `more than ${values} values: ask for fewer series, or for less time`;
    throw limitExceeded(message, `at most ${values} values`);
  }
}

/** A time, both moments included. */
type Period = Pick<Window & { readonly kind: 'between' }, 'from' | 'to'>;

/** Archives of so many records are looked through for where the newest samples begin: columns that are in memory take less than fetches. */
const LOOKED_THROUGH = 10_000;

type BackwardsReader = StoreReader & Pick<RecordedSource, 'setMode' | 'fetch'>;

function isBackwards(source: StoreReader): source is BackwardsReader {
  return source.fetch !== undefined && source.setMode !== undefined;
}

function pmidsOf(metrics: readonly CataloguedMetric[]): readonly number[] {
  return [...new Set(metrics.map(({ descriptor }) => descriptor.pmid))];
}

/** The time of the oldest of the newest samples of each metric; the end of time for a metric without samples. */
async function startsOfNewest(
  source: StoreReader,
  prepared: PreparedFetch,
  count: number,
  signal: AbortSignal | undefined,
): Promise<readonly Timestamp[]> {
  const times = prepared.pmids.map((): Timestamp[] => []);
  for await (const batch of source.batches(prepared, new InstanceProfile(), BEGINNING_OF_TIME, END_OF_TIME, {
    signal,
  })) {
    signal?.throwIfAborted();
    const turn = eventLoopTurns.next();
    if (turn) await turn;
    for (let row = 0; row < batch.length && !batch.isMark; row++) {
      for (const [i, column] of batch.columns.entries()) {
        if (column.status(row) > 0) times[i]!.push(timeOfRow(batch, row));
      }
    }
  }
  return times.map((own) => own[Math.max(0, own.length - count)] ?? END_OF_TIME);
}

const TEXT_PER_VALUE = 64;

/** How many more values texts count as. */
function textCost(values: readonly SeriesValue[]): number {
  if (typeof values[0] !== 'string') return 0;
  return values.reduce<number>((sum, value) => sum + Math.floor(String(value).length / TEXT_PER_VALUE), 0);
}

/** The metrics of one PMID, and how many samples they have got from an archive. */
interface Taker {
  readonly pmid: number;
  readonly metrics: readonly CataloguedMetric[];
  count: number;
  /** The instances of the sample before: most samples have the same ones. */
  numbers: Int32Array;
  instances: readonly string[];
}

function takerOf(metrics: readonly CataloguedMetric[], pmid: number): Taker {
  const own = metrics.filter(({ descriptor }) => descriptor.pmid === pmid);
  return { pmid, metrics: own, count: 0, numbers: new Int32Array(0), instances: [] };
}

/** How many moments of samples lie behind another one. */
function countAfter(samples: readonly SeriesSample[], moment: Timestamp): number {
  const moments = new Set<string>();
  for (const { time } of samples) if (compareTimestamps(time, moment) > 0) moments.add(`${time.sec} ${time.nsec}`);
  return moments.size;
}

/** The archives that can hold samples of a window, with the metrics wanted from each: in order of their starts, for the newest samples backwards. */
function byArchive(held: Held, window: Window): ReadonlyMap<ArchiveSeries, readonly CataloguedMetric[]> {
  const archives = new Map<ArchiveSeries, CataloguedMetric[]>();
  for (const places of held.values()) {
    for (const { archive, metric } of places) {
      if (window.kind === 'between' && compareTimestamps(archive.start, window.to) > 0) continue;
      addTo(archives, archive, metric);
    }
  }
  const order = window.kind === 'newest' ? -1 : 1;
  return new Map([...archives].sort(([a], [b]) => order * compareTimestamps(a.start, b.start)));
}

function sampleOf(
  { indom }: CataloguedMetric,
  { sec, nsec }: Timestamp,
  set: ValueSet,
  taker: Taker,
): SeriesSample | undefined {
  const count = set.status;
  const time = { sec, nsec: nsec - (nsec % 1000) };
  if (!indom) return { time, instances: SINGULAR, values: [valueAt(set.column, 0)] };
  if (!isSame(taker.numbers, set.instances, count)) {
    taker.numbers = set.instances.slice(0, count);
    // Of an instance without a name there is nothing to be said.
    taker.instances = [...taker.numbers].map((number) => indom.byNumber.get(number)?.instance ?? NO_INSTANCE);
  }
  const { instances } = taker;
  // Of the right length from the start: there are many of them.
  const values = new Array<SeriesValue>(count);
  for (let i = 0; i < count; i++) values[i] = valueAt(set.column, i);
  if (!instances.includes(NO_INSTANCE)) return { time, instances, values };
  const named = instances
    .map((instance, i) => [instance, values[i]!] as const)
    .filter(([name]) => name !== NO_INSTANCE);
  if (named.length === 0) return undefined;
  return { time, instances: named.map(([name]) => name), values: named.map(([, value]) => value) };
}

const SINGULAR: readonly string[] = [NO_INSTANCE];

function isSame(known: Int32Array, instances: Int32Array, count: number): boolean {
  if (known.length !== count) return false;
  for (let i = 0; i < count; i++) if (known[i] !== instances[i]) return false;
  return count > 0 && instances[0] !== INSTANCE_NULL;
}

export function valueAt(column: Column, i: number): SeriesValue {
  switch (column.type) {
    case MetricType.STRING:
      return column.texts[i]!;
    case MetricType.AGGREGATE:
    case MetricType.AGGREGATE_STATIC:
      return Buffer.from(column.bytes[i]!).toString('utf8');
    case MetricType.EVENT:
    case MetricType.HIGHRES_EVENT:
      return EVENT_TEXT;
    default:
      return column.wide ? column.integerAt(i) : column.numbers[i]!;
  }
}

/** Samples of several archives in the order of a window, at most as many as it needs. */
function* arrange(collected: SeriesSample[], window: Window): InSteps<readonly SeriesSample[]> {
  if (window.kind === 'newest') {
    collected.reverse();
    return (yield* merged(collected)).reverse().slice(0, window.count);
  }
  const ascending = yield* merged(collected);
  const chosen = window.interval ? yield* thinOut(ascending, window.interval) : ascending;
  return chosen.slice(0, window.count);
}

/** By time; of equal times the one that was read last. */
function* merged(collected: SeriesSample[]): InSteps<SeriesSample[]> {
  const byTime = (a: SeriesSample, b: SeriesSample): number => compareTimestamps(a.time, b.time);
  const isAscending = collected.every((sample, i) => i === 0 || byTime(collected[i - 1]!, sample) < 0);
  yield;
  if (isAscending) return collected;
  const sorted = yield* sortInSteps(collected, byTime);
  return sorted.filter((sample, k) => k + 1 === sorted.length || byTime(sample, sorted[k + 1]!) !== 0);
}

const LOOKED_AT_ONCE = 2048;

/** Thins samples out as pmproxy: the last before each goal, the first and the last. Goals are an interval apart, but move on after gaps. */
export function* thinOut(samples: readonly SeriesSample[], { sec, start }: Interval): InSteps<readonly SeriesSample[]> {
  const [first] = samples;
  if (!first) return samples;
  const gap = 2 * Math.floor(sec);
  let goal = start ?? first.time;
  const chosen: SeriesSample[] = [];
  for (let i = 0; i + 1 < samples.length; i++) {
    if (i % LOOKED_AT_ONCE === 0) yield;
    const next = samples[i + 1]!.time;
    if (compareTimestamps(next, goal) <= 0) continue;
    if (secondsBetween(next, goal) > gap) goal = next;
    chosen.push(samples[i]!);
    goal = addSeconds(goal, sec);
  }
  chosen.push(samples.at(-1)!);
  return chosen;
}
