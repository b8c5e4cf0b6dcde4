import type { Timers } from '../kit/index.js';
import type { Clock, FetchResult } from '../pmapi/index.js';
import type { InstanceProfile, MetricSource, SourceSpec } from '../sources/index.js';
import type { DerivedMetrics } from './names/derived-metrics.js';
import type { Namespace } from './names/namespace.js';
import type { FetchPlan } from './plans/fetch-plan.js';
import type { LiveHistory } from './range/index.js';
import type { SharedSource } from './shared-source.js';

/** Observes every fetch, for the gateway's own metrics. */
export interface FetchObserver {
  fetched(durationMs: number, result: FetchResult): void;
  fetchFailed(error: unknown): void;
}

export interface ContextOptions {
  readonly id: number;
  readonly spec: SourceSpec;
  readonly source: MetricSource;
  readonly shared: SharedSource;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly pollTimeoutMs: number;
  /** Requests without a context use it. */
  readonly isShared: boolean;
  readonly profile?: InstanceProfile;
  /** The client; undefined for shared contexts and anonymous clients. */
  readonly owner?: string | undefined;
  readonly history?: LiveHistory | undefined;
  readonly observer?: FetchObserver | undefined;
  readonly results: {
    take(): FetchResult;
    give(result: FetchResult): void;
  };
  /** The context replaces one whose spec means another source now: its first fetch says so. */
  readonly isSuccessor?: boolean | undefined;
}

export interface ContextParts extends ContextOptions {
  readonly profile: InstanceProfile;
  readonly derived: DerivedMetrics;
  readonly names: Namespace;
  readonly plans: {
    /** Whether the metrics of a plan are unchanged. */
    isTrue(plan: FetchPlan): Promise<boolean>;
  };
}
