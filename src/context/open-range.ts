import { GatewayError, INDOM_NULL, makeTimeZone } from '../pmapi/index.js';
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
  parseRange,
  readRange,
  type RangeBounds,
  type RangeMetric,
  type RangeOptions,
  type RangeParameters,
  type RangeRequest,
  type RangeSamples,
  type RangeSource,
  type TableLayout,
} from './range/index.js';
import { instanceNames, instancesOf } from './range/table-layout.js';
import { GreatestSeries, SeriesFilter, hasFilter, selectSamples } from './selection/index.js';
import type { RestKind, Selection, SeriesDirectory } from './selection/index.js';

export interface RangeSettings extends Pick<RangeOptions, 'limits' | 'signal' | 'wrap' | 'trace'> {
  /** A timeline to read in place of remembered samples, with the live source's numbering. */
  readonly recorded?: RecordedSource | undefined;
  /** The selected values. Rate and units are in the range's parameters. */
  readonly selection?: Selection | undefined;
  /** Samples are to be collected in columns, within a memory limit. */
  readonly columns?: boolean | undefined;
}

export interface OpenRange extends Pick<RangeOrigin, 'source' | 'profile' | 'isRecorded' | 'instancesEver'> {
  readonly request: RangeRequest;
  /** The samples; of a selection of the greatest, the greatest in each. */
  readonly samples: RangeSamples;
  /** The samples for a table, with all values; use in place of `samples`. */
  readonly tableSamples: RangeSamples;
  /** Series per metric in a table, by greatest mean; undefined: all. */
  readonly top: number | undefined;
  /** The table's combination of other series. */
  readonly rest: RestKind | undefined;
  /** The name of an instance, by the metric's place, if the selection asks for names. */
  readonly instanceName: ((metric: number, instance: number) => string | undefined) | undefined;
  /** Requested instance names that never existed. */
  readonly unmatched: readonly string[];
  readonly damage: DamageLog;
  /** The table's columns: every selected instance that ever was. May read the range once more to rank series. */
  layOut(): Promise<TableLayout>;
  readonly start: Timestamp | undefined;
}

export interface RangeOrigin {
  /** Recorded, or remembered. */
  readonly source: RangeSource;
  readonly info: Pick<SourceInfo, 'start' | 'end' | 'timezone'>;
  /** Every instance ever. Throws PM_ERR_INDOM and PM_ERR_INDOM_LOG. */
  readonly instancesEver: (indom: number) => Promise<InstanceDomain>;
  /** `instancesEver` is complete. */
  readonly isRecorded: boolean;
  /** Samples closer than this make no rate: live samples of any client's fetches. */
  readonly leastSec?: number | undefined;
  /** A copy, which the range may narrow. */
  readonly profile: InstanceProfile;
  readonly directory: SeriesDirectory;
  readonly clock: Clock;
}

/** Plans a range without reading it. Throws BAD_PARAMETER, CONVERSION and LIMIT_EXCEEDED that name the parameter. */
export async function openRange(
  { source, info, instancesEver, isRecorded, leastSec, profile, directory, clock }: RangeOrigin,
  plan: FetchPlan,
  parameters: RangeParameters,
  { limits = DEFAULT_RANGE_LIMITS, signal, wrap, selection, columns, trace }: RangeSettings,
): Promise<OpenRange> {
  const request = parseRange(parameters, boundsOf(info, clock), limits);
  const metrics = plan.entries;
  const filter = selection && hasFilter(selection) ? new SeriesFilter(selection, metrics, directory) : undefined;
  await filter?.prepareAll();
  const nameOf = selection?.inames === true ? await instanceNames(metrics.map(indomOf), instancesEver) : undefined;
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
  const instanceName = nameOf && ((m: number, instance: number) => nameOf(indomOf(metrics[m]!), instance));
  const unmatched = filter?.unmatched ?? [];
  const origin = { source, profile, isRecorded, start: info.start, instancesEver };
  return { request, samples, tableSamples, top, rest, instanceName, unmatched, damage, ...origin, layOut };
}

/** The references of a range's times. */
export function boundsOf({ start, end, timezone }: RangeOrigin['info'], clock: Clock): RangeBounds {
  const now = clock.now();
  return { start: start ?? now, end: end ?? now, now, zone: sourceZone(timezone) };
}

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

/** Excludes what no metric wants. Domains of operands stay whole: derived metrics do not depend on the selection. */
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
    const instances = await instancesOf(indom, instancesEver);
    const ids = instances.map(({ id }) => id).filter(isWanted);
    profile.delete(indom);
    if (ids.length > 0) profile.add(indom, ids);
  }
}

function indomOf({ descriptor }: { readonly descriptor: MetricDescriptor }): number {
  return descriptor.indom;
}

async function greatestSeries(samples: RangeSamples, count: number): Promise<ReturnType<GreatestSeries['top']>> {
  const series = new GreatestSeries(samples.metrics);
  for await (const batch of samples.batches()) series.add(batch);
  return series.top(count);
}

/** A source's time zone; UTC if missing or invalid. */
export function sourceZone(timezone: string | undefined): TimeZone {
  try {
    return makeTimeZone(timezone ?? 'UTC');
  } catch (error) {
    if (error instanceof GatewayError) return makeTimeZone('UTC');
    throw error;
  }
}

/** Damage is counted by place, up to so many: a file may have millions. */
const MOST_PLACES = 1000;

/** Damage of an archive, each place once: reports the first, and their number. */
export class DamageLog {
  readonly #places = new Set<string>();
  #first: PmError | undefined;

  readonly add = (damage: PmError): void => {
    this.#first ??= damage;
    if (this.#places.size < MOST_PLACES) this.#places.add(damage.message);
  };

  /** All damage as one text, with the first code; undefined without any. */
  get summary(): Pick<PmError, 'pmErr' | 'message'> | undefined {
    if (!this.#first) return undefined;
    const { pmErr, message } = this.#first;
    const more = this.#places.size - 1;
    if (more === 0) return { pmErr, message };
    const count = this.#places.size < MOST_PLACES ? String(more) : `at least ${more}`;
    return { pmErr, message: `${message}; and ${count} more damaged ${more === 1 ? 'place' : 'places'}` };
  }
}
