import { GatewayError, INDOM_NULL, makeTimeZone, onPmError } from '../pmapi/index.js';
import type { Clock, InstanceDomain, MetricDescriptor, PmError, TimeZone, Timestamp } from '../pmapi/index.js';
import type { InstanceProfile, RecordedSource, SourceInfo } from '../sources/index.js';
import type { FetchPlan } from './plans/fetch-plan.js';
import {
  DEFAULT_RANGE_LIMITS,
  basePmids,
  checkRangeCost,
  checkRangeEstimate,
  countMoments,
  countSeries,
  layOutTable,
  metricsOfPlan,
  parseRange,
  readRange,
} from './range/index.js';
import type {
  RangeBounds,
  RangeLimits,
  RangeMetric,
  RangeParameters,
  RangeRequest,
  RangeSamples,
  RangeSource,
  TableLayout,
} from './range/index.js';
import type { RangeTrace } from './range/range-trace.js';
import { GreatestSeries, SeriesFilter, hasFilter, selectSamples } from './selection/index.js';
import type { RestKind, Selection, SeriesDirectory } from './selection/index.js';

/** How a range is read. */
export interface RangeSettings {
  readonly limits?: RangeLimits | undefined;
  /** What is read in place of the remembered samples of the live source: a timeline that has the numbers of metrics and instances of it. */
  readonly recorded?: RecordedSource | undefined;
  /** Aborted when the samples are no longer needed. */
  readonly signal?: AbortSignal | undefined;
  /** Take counters that go down for ones that wrapped. */
  readonly wrap?: boolean | undefined;
  /** Which values are selected. Their conversion (rate, units) is in the parameters of the range. */
  readonly selection?: Selection | undefined;
  /** Whether the samples are to be collected in columns, which have to fit into memory. */
  readonly columns?: boolean | undefined;
  /** What the last sample went through is taken down. */
  readonly trace?: RangeTrace | undefined;
}

/** A range that can be read, once. */
export interface OpenRange {
  readonly request: RangeRequest;
  /** The samples; of a selection of the greatest values, those that are the greatest in each. */
  readonly samples: RangeSamples;
  /** The samples for a table: with all values, where `samples` has the greatest only. In place of `samples`. */
  readonly tableSamples: RangeSamples;
  /** How many of each metric's series a table is to have, those with the greatest mean; undefined: all. */
  readonly top: number | undefined;
  /** What a table has of the other series. */
  readonly rest: RestKind | undefined;
  /** The name of an instance of a metric, by the metric's place, where the selection is to answer names. */
  readonly instanceName: ((metric: number, instance: number) => string | undefined) | undefined;
  /** The names of instances that were asked for and that no instance ever had. */
  readonly unmatched: readonly string[];
  /** What was found damaged in what has been read so far. */
  readonly damage: DamageLog;
  /**
   * The columns of a table of the samples: every metric with every instance that there ever was and that is selected. Reads the
   * range once more to find the greatest series. Throws what reading throws.
   */
  layOut(): Promise<TableLayout>;
  /** What the range is read from, and the instances that count. */
  readonly source: RangeSource;
  readonly profile: InstanceProfile;
  /** Whether the source is recorded, and not merely remembered. */
  readonly isRecorded: boolean;
  /** The first moment of the source. */
  readonly start: Timestamp | undefined;
  /** Every instance of a domain that there ever was. Throws PM_ERR_INDOM and PM_ERR_INDOM_LOG. */
  instancesEver(indom: number): Promise<InstanceDomain>;
}

/** What a range is opened on. */
export interface RangeOrigin {
  readonly source: RangeSource;
  readonly info: Pick<SourceInfo, 'start' | 'end' | 'timezone'>;
  readonly instancesEver: (indom: number) => Promise<InstanceDomain>;
  /** Whether `instancesEver` knows every instance that the source may give. */
  readonly isRecorded: boolean;
  /** Samples that are less than this apart make no rate: those of live hosts, which anybody's fetch may add to. */
  readonly leastSec?: number | undefined;
  /** A copy, which the range may narrow. */
  readonly profile: InstanceProfile;
  readonly directory: SeriesDirectory;
  readonly clock: Clock;
}

/**
 * Work out a range and refuse what costs too much; nothing is read of it yet. Throws BAD_PARAMETER, CONVERSION and LIMIT_EXCEEDED
 * that name the parameter.
 */
export async function openRange(
  { source, info, instancesEver, isRecorded, leastSec, profile, directory, clock }: RangeOrigin,
  plan: FetchPlan,
  parameters: RangeParameters,
  { limits = DEFAULT_RANGE_LIMITS, signal, wrap, selection, columns, trace }: RangeSettings,
): Promise<OpenRange> {
  const request = parseRange(parameters, boundsOf(info, clock), limits);
  const metrics = metricsOfPlan(plan);
  const filter = selection && hasFilter(selection) ? new SeriesFilter(selection, metrics, directory) : undefined;
  await filter?.prepareAll();
  const instanceName = selection?.inames === true ? await namesOf(metrics, instancesEver) : undefined;
  if (filter && isRecorded) await narrow(profile, filter, plan, instancesEver);
  // Metrics without an instance cost as much time as others.
  const series = Math.max(await countSeries(source, profile, metrics, request.finish), metrics.length, 1);
  checkRangeCost(request, series, limits);
  const isCollected = (columns ?? false) && !request.decimation;
  const holes = columns === true || request.decimation !== undefined;
  checkRangeEstimate(await estimateValues(source, profile, metrics, request, series, signal), isCollected, limits);
  const { top, rest } = selection ?? {};
  const damage = new DamageLog();
  const onDamage = damage.add;
  const read = (): RangeSamples => {
    const given = { source, profile, metrics, request, signal, onDamage, wrap, leastSec, holes, trace, limits };
    const samples = readRange(given);
    return filter ? selectSamples(samples, filter, undefined) : samples;
  };
  const tableSamples = read();
  const samples = top === undefined ? tableSamples : selectSamples(tableSamples, undefined, top, rest);
  const layOut = async (): Promise<TableLayout> => {
    const ranked = top === undefined ? undefined : await greatestSeries(read(), top);
    const includes = filter && ((metric: number, instance: number) => filter.includes(metric, instance));
    return layOutTable(samples.metrics, profile, instancesEver, { includes, ranked });
  };
  const unmatched = filter?.unmatched ?? [];
  const origin = { source, profile, isRecorded, start: info.start, instancesEver };
  return { request, samples, tableSamples, top, rest, instanceName, unmatched, damage, ...origin, layOut };
}

/** The names of all instances that metrics ever had. */
async function namesOf(
  metrics: readonly RangeMetric[],
  instancesEver: RangeOrigin['instancesEver'],
): Promise<OpenRange['instanceName']> {
  const names = new Map<number, ReadonlyMap<number, string>>();
  for (const indom of new Set(metrics.map(indomOf))) {
    if (indom === INDOM_NULL) continue;
    const { instances } = await instancesEver(indom).catch(onPmError(() => ({ instances: [] })));
    names.set(indom, new Map(instances.map(({ id, name }) => [id, name])));
  }
  return (metric, instance) => names.get(indomOf(metrics[metric]!))?.get(instance);
}

/** What the times of a range relate to, on what an archive or the memory says of itself. */
export function boundsOf({ start, end, timezone }: RangeOrigin['info'], clock: Clock): RangeBounds {
  const now = clock.now();
  return { start: start ?? now, end: end ?? now, now, zone: sourceZone(timezone) };
}

/** About how many values a range has, estimated without reading it. */
async function estimateValues(
  source: RangeSource,
  profile: InstanceProfile,
  metrics: readonly RangeMetric[],
  request: RangeRequest,
  series: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const moments = countMoments(request);
  if (moments !== undefined) return moments * series;
  const prepared = source.prepare(basePmids(metrics));
  const estimate = await source.estimate?.(prepared, profile, request.origin, request.finish, { signal });
  if (!estimate || estimate.records === 0) return 0;
  return (estimate.values * Math.min(estimate.records, request.samples)) / estimate.records;
}

/** Keep from being read what no metric wants. Domains of operands stay whole: what a derived metric is does not depend on the selection. */
async function narrow(
  profile: InstanceProfile,
  filter: SeriesFilter,
  plan: FetchPlan,
  instancesEver: RangeOrigin['instancesEver'],
): Promise<void> {
  const operands = new Set(plan.computation?.metrics.flatMap((metric) => metric.operands));
  const whole = new Set(plan.base.filter(({ descriptor }) => operands.has(descriptor.pmid)).map(indomOf));
  const indoms = new Set(plan.entries.map(indomOf));
  for (const indom of indoms) {
    if (indom === INDOM_NULL || whole.has(indom)) continue;
    const isWanted = (id: number): boolean =>
      profile.includes(indom, id) &&
      plan.entries.some((entry, m) => indomOf(entry) === indom && filter.includes(m, id));
    const ids = (await instancesOf(indom, instancesEver)).filter(isWanted);
    profile.delete(indom);
    if (ids.length > 0) profile.add(indom, ids);
  }
}

function indomOf({ descriptor }: { readonly descriptor: MetricDescriptor }): number {
  return descriptor.indom;
}

async function instancesOf(indom: number, list: RangeOrigin['instancesEver']): Promise<readonly number[]> {
  const { instances } = await list(indom).catch(onPmError(() => ({ instances: [] })));
  return instances.map(({ id }) => id);
}

async function greatestSeries(samples: RangeSamples, count: number): Promise<ReturnType<GreatestSeries['top']>> {
  const series = new GreatestSeries(samples.metrics);
  for await (const batch of samples.batches()) series.add(batch);
  return series.top(count);
}

/** A source's own time zone; UTC when it has none or one that makes no sense. */
export function sourceZone(timezone: string | undefined): TimeZone {
  try {
    return makeTimeZone(timezone ?? 'UTC');
  } catch (error) {
    if (error instanceof GatewayError) return makeTimeZone('UTC');
    throw error;
  }
}

/** Locations that are distinguished: a file may have millions. */
const MOST_PLACES = 1000;

/** The damage found in an archive, each location once: the first is reported, and the number of them. */
export class DamageLog {
  readonly #places = new Set<string>();
  #first: PmError | undefined;

  /** Records damage; the message says where it is. */
  readonly add = (damage: PmError): void => {
    this.#first ??= damage;
    if (this.#places.size < MOST_PLACES) this.#places.add(damage.message);
  };

  /** One text for all of it, with the code of the first; undefined without damage. */
  get summary(): Pick<PmError, 'pmErr' | 'message'> | undefined {
    if (!this.#first) return undefined;
    const { pmErr, message } = this.#first;
    const more = this.#places.size - 1;
    if (more === 0) return { pmErr, message };
    const count = this.#places.size < MOST_PLACES ? String(more) : `at least ${more}`;
    return { pmErr, message: `${message}; and ${count} more damaged ${more === 1 ? 'place' : 'places'}` };
  }
}
