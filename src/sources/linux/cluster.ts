import type { Clock, Instance, Label, ValueSet } from '../../pmapi/index.js';
import type { InstanceProfile } from '../profile.js';
import type { CatalogIndom, CatalogMetric } from './catalog/catalog.js';
import { LINUX_CATALOG } from './catalog/linux-catalog.js';
import type { CollectorLog, InstanceCaches } from './instance-caches.js';
import type { InstanceTable, Sample } from './sample.js';
import type { ProcFiles } from './proc-files.js';
import type { UncertainCalls } from './uncertain-calls.js';

/** A metric that is read at once from samples: synchronous reads that take microseconds. */
export interface QuickBinding {
  readonly kind: 'quick';
  /** What must be fresh before {@link fill}; shared by all metrics that need it. */
  readonly samples: readonly Sample[];
  /** Appends values of the profile's instances to a set that was reset; nothing without values, `set.fail(PM_ERR…)` on errors. */
  fill(set: ValueSet, profile: InstanceProfile): void;
}

/** Only fetches of it wait, and no longer than the deadline. */
interface SlowBinding {
  readonly kind: 'slow';
  readonly source: SlowSource;
  readonly item: unknown;
}

/** How a metric is read: from the current sample, or from a source that may take long. */
export type MetricBinding = QuickBinding | SlowBinding;

export interface BoundMetric {
  readonly metric: CatalogMetric;
  readonly binding: MetricBinding;
}

/**
 * A source that may take long. It must never block the event loop for more than about 2 ms: it reads single large files through
 * fs.promises (the thread pool), many small ones in slices with a turn of the event loop between them, and what may never return
 * through {@link ClusterEnvironment.uncertain}.
 */
export interface SlowSource<Item = unknown> {
  /** Samples items for the profile's instances. After a rejection, or too late, they are PM_ERR_AGAIN. @param round of `Sample.ensure` */
  sample(items: readonly Item[], profile: InstanceProfile, round: number): SlowValues<Item> | Promise<SlowValues<Item>>;
}

/** The result of a slow source: it must not change while values are read from it. */
export interface SlowValues<Item = unknown> {
  fill(item: Item, set: ValueSet, profile: InstanceProfile): void;
}

export interface IndomBinding {
  readonly catalog: CatalogIndom;
  readonly samples: readonly Sample[];
  /** The active instances, in the order of their file. */
  list(): readonly Instance[] | Promise<readonly Instance[]>;
  labels?(instance: Instance): readonly Label[];
}

/** A family of metrics and the instance domains that go with it. */
export interface LocalCluster {
  readonly name: string;
  /** Its metrics: `LINUX_CATALOG.bind(…)` of a table of names and bindings. */
  readonly metrics: readonly BoundMetric[];
  /** The instance domains that this cluster enumerates: each indom belongs to exactly one cluster. */
  readonly indoms?: readonly IndomBinding[];
  /** Releases what the cluster itself holds; files of {@link ClusterEnvironment.files} are closed by the collector. */
  close?(): void;
}

export interface ClusterEnvironment {
  readonly files: ProcFiles;
  readonly caches: InstanceCaches;
  readonly clock: Clock;
  readonly log: CollectorLog;
  /** For calls that may never return; shared by all clusters, so that only a few can hang. */
  readonly uncertain: UncertainCalls;
  /** Clock ticks a second in /proc/stat and /proc/<pid>/stat (USER_HZ). */
  readonly hz: number;
  readonly pageSize: number;
  /** Whether single processes are served, or only totals. */
  readonly processes: boolean;
  /** Called when an instance domain's members have changed: increments the source's generation. */
  readonly instancesChanged: () => void;
}

/** How a cluster is made; clusters/index.ts lists them all. */
export type ClusterFactory = (environment: ClusterEnvironment) => LocalCluster;

/** A metric that is read at once from samples. */
export function quick(samples: readonly Sample[], fill: QuickBinding['fill']): MetricBinding {
  return { kind: 'quick', samples, fill };
}

export function slow<Item>(source: SlowSource<Item>, item: Item): MetricBinding {
  return { kind: 'slow', source, item };
}

/** A metric with values of the instances in a table: `emit` appends that of a row. */
export function perInstance(
  samples: readonly Sample[],
  table: InstanceTable,
  emit: (set: ValueSet, id: number, row: number) => void,
): MetricBinding {
  return quick(samples, (set, profile) => table.fill(set, profile, emit));
}

export function cluster(
  name: string,
  bindings: Iterable<readonly [metric: string, binding: MetricBinding]>,
  indoms: readonly IndomBinding[] = [],
): LocalCluster {
  return { name, metrics: LINUX_CATALOG.bind(new Map(bindings)), indoms };
}
