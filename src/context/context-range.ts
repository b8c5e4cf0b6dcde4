import { GatewayError, makeTimeZone } from '../pmapi/index.js';
import type { Clock, InstanceDomain, TimeZone } from '../pmapi/index.js';
import type { InstanceProfile, SourceInfo } from '../sources/index.js';
import type { FetchPlan } from './fetch-plan.js';
import {
  checkRangeCost,
  countSeries,
  DEFAULT_RANGE_LIMITS,
  layOutTable,
  metricsOfPlan,
  parseRange,
  readRange,
} from './range/index.js';
import type {
  RangeLimits,
  RangeParameters,
  RangeRequest,
  RangeSamples,
  RangeSource,
  TableLayout,
} from './range/index.js';

/** How a range is read. */
export interface RangeSettings {
  readonly limits?: RangeLimits | undefined;
  /** Aborted when nobody wants the samples any more. */
  readonly signal?: AbortSignal | undefined;
  /** Take counters that go down for ones that wrapped. */
  readonly wrap?: boolean | undefined;
}

/** A range that can be read, once. */
export interface OpenRange {
  readonly request: RangeRequest;
  readonly samples: RangeSamples;
  /** The columns of a table of the samples: every metric with every instance that there ever was. */
  layOut(): Promise<TableLayout>;
  /** Every instance of a domain that there ever was. Throws PM_ERR_INDOM and PM_ERR_INDOM_LOG. */
  instancesEver(indom: number): Promise<InstanceDomain>;
}

/** What a range is opened on. */
export interface RangeOrigin {
  readonly source: RangeSource;
  readonly info: Pick<SourceInfo, 'start' | 'end' | 'timezone'>;
  readonly instancesEver: (indom: number) => Promise<InstanceDomain>;
  readonly profile: InstanceProfile;
  readonly clock: Clock;
}

/**
 * Work out a range and refuse what costs too much; nothing is read of it yet. Throws BAD_PARAMETER, CONVERSION and LIMIT_EXCEEDED
 * that name the parameter.
 */
export async function openRange(
  { source, info, instancesEver, profile, clock }: RangeOrigin,
  plan: FetchPlan,
  parameters: RangeParameters,
  { limits = DEFAULT_RANGE_LIMITS, signal, wrap }: RangeSettings,
): Promise<OpenRange> {
  const now = clock.now();
  const bounds = { start: info.start ?? now, end: info.end ?? now, now, zone: sourceZone(info.timezone) };
  const request = parseRange(parameters, bounds, limits);
  const metrics = metricsOfPlan(plan);
  // Metrics without an instance cost as much time as others.
  const series = Math.max(await countSeries(source, profile, metrics, request.finish), metrics.length, 1);
  checkRangeCost(request, series, limits);
  const samples = readRange({ source, profile, metrics, request, signal, wrap, limits });
  return { request, samples, instancesEver, layOut: () => layOutTable(samples.metrics, profile, instancesEver) };
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
