import { PROBES, type HttpObserver } from '../http/index.js';
import type { Log } from '../log/index.js';
import { GatewayError, PmError, SOURCE_ERROR_KINDS, type FetchResult } from '../pmapi/index.js';
import type { FetchObserver } from '../context/index.js';

/** Upper bounds of the latency buckets, in milliseconds; the last bucket has no bound. */
export const LATENCY_BOUNDS_MS: readonly number[] = [
  0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 5000,
].concat(Infinity);

export interface RouteCounters {
  count: number;
  timeMs: number;
}

/** Counters of the running gateway, served as metrics under pmgate.*. All durations are in milliseconds. */
export class GatewayCounters implements FetchObserver {
  requests = 0;
  /** Responses with status 500: internal errors. */
  defects = 0;
  /** Requests by route. The names come from the table of routes, never from a URL. */
  readonly routes = new Map<string, RouteCounters>();
  /** Responses by status class: index 2 counts 200..299. */
  readonly statusClasses = [0, 0, 0, 0, 0, 0];
  /** Requests by latency bucket, not cumulative; parallel to LATENCY_BOUNDS_MS. */
  readonly latencies = LATENCY_BOUNDS_MS.map(() => 0);
  fetches = 0;
  fetchTimeMs = 0;
  valuesFetched = 0;
  /** Failed fetches, parallel to SOURCE_ERROR_KINDS. */
  readonly sourceErrors = SOURCE_ERROR_KINDS.map(() => 0);

  answered(route: string, status: number, durationMs: number): void {
    this.requests++;
    if (status === 500) this.defects++;
    let entry = this.routes.get(route);
    if (!entry) this.routes.set(route, (entry = { count: 0, timeMs: 0 }));
    entry.count++;
    entry.timeMs += durationMs;
    const statusClass = Math.min(5, Math.floor(status / 100));
    this.statusClasses[statusClass] = (this.statusClasses[statusClass] ?? 0) + 1;
    const bucket = LATENCY_BOUNDS_MS.findIndex((bound) => durationMs <= bound);
    this.latencies[bucket] = (this.latencies[bucket] ?? 0) + 1;
  }

  fetched(durationMs: number, result: FetchResult): void {
    this.fetches++;
    this.fetchTimeMs += durationMs;
    for (const set of result.sets) if (set.status > 0) this.valuesFetched += set.status;
  }

  fetchFailed(error: unknown): void {
    this.fetches++;
    const kind = error instanceof GatewayError ? error.code : error instanceof PmError ? 'SOURCE_FAILED' : undefined;
    const index = SOURCE_ERROR_KINDS.findIndex((candidate) => candidate === kind);
    if (index >= 0) this.sourceErrors[index] = (this.sourceErrors[index] ?? 0) + 1;
  }
}

/** Counts requests, and logs errors and audit records. @param logRequests whether each request is logged, too, except for probes */
export function requestObserver(counters: GatewayCounters, log: Log, logRequests: boolean): HttpObserver {
  return {
    answered: ({ route, status, durationMs }, record) => {
      counters.answered(route, status, durationMs);
      if (logRequests && !PROBES.has(route)) log.info('request', { ...record() });
    },
    audited: (record) => log.info('audit', { ...record }),
    defect: ({ error, ...where }) => log.error('internal error while handling a request', { err: error, ...where }),
  };
}
