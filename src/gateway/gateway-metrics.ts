import type { Connections } from '../http/index.js';
import type { Fleet } from './fleet.js';
import { LATENCY_BOUNDS_MS, type RouteCounters } from './gateway-counters.js';
import { FEATURE_METRICS, ROWS } from './gateway-metrics.generated.js';
import type { GatewayParts } from './parts.js';
import { MEMORY_KINDS, memoryShares, type MemoryKind } from './room-options.js';
import { INSTANCE_NULL, SOURCE_ERROR_KINDS } from '../pmapi/index.js';
import { Catalog } from '../sources/linux/index.js';
import type { CatalogIndom, LocalCluster, MetricBinding, QuickBinding } from '../sources/linux/index.js';

const MICRO_PER_MS = 1000;

export interface GatewayState extends Pick<GatewayParts, 'counters' | 'contexts' | 'streams' | 'overload' | 'clients'> {
  readonly memoryBytes: number;
  readonly version: string;
  /** Readings of features, by the names of their metrics. */
  readonly readings: Readonly<Record<string, () => number>>;
  readonly fleet: Pick<Fleet, 'isAlone' | 'status' | 'version' | 'statistics'> | undefined;
  /** Counters of clients; called later than the others. */
  connections(): Connections;
}

/** The domain of pmgate.* and the value of its label `agent`. */
export const GATEWAY_AGENT: readonly [domain: number, name: string] = [500, 'pmgate'];

/** gateway-metrics.txt and gateway-help.txt: what the metrics are. */
const CATALOG = new Catalog(ROWS);
const ROUTES = CATALOG.indom('500.0');
const STATUSES = CATALOG.indom('500.1');
const LATENCIES = CATALOG.indom('500.2');
const FAILURES = CATALOG.indom('500.3');
const KEPT = CATALOG.indom('500.4');

const STATUS_CLASSES = [1, 2, 3, 4, 5] as const;

/** pmgate.*: the gateway's own metrics, one more cluster of the embedded collector. Counters start at zero with the process. */
export function gatewayCluster(state: GatewayState): LocalCluster {
  const { routes } = state.counters;
  return {
    name: 'pmgate',
    metrics: CATALOG.bind(new Map(Object.entries({ ...ofFeatures(state.readings), ...readings(state) }))),
    indoms: [
      // A route keeps its place, which is its number.
      { catalog: ROUTES, samples: [], list: () => [...routes.keys()].map((name, id) => ({ id, name })) },
      { catalog: STATUSES, samples: [], list: () => STATUS_CLASSES.map((id) => ({ id, name: `${id}xx` })) },
      { catalog: LATENCIES, samples: [], list: () => LATENCY_BOUNDS_MS.map((ms, id) => ({ id, name: boundName(ms) })) },
      { catalog: KEPT, samples: [], list: () => MEMORY_KINDS.map((name, id) => ({ id, name })) },
      { catalog: FAILURES, samples: [], list: () => SOURCE_ERROR_KINDS.map((name, id) => ({ id, name })) },
    ],
  };
}

/** The metrics that only features have readings for; 0 while theirs is off. */
function ofFeatures(readings: GatewayState['readings']): Readonly<Record<string, MetricBinding>> {
  return Object.fromEntries(FEATURE_METRICS.map((name) => [name, number(readings[name] ?? (() => 0))]));
}

function readings(state: GatewayState): Readonly<Record<string, MetricBinding>> {
  const { counters, contexts, streams, overload, clients } = state;
  const limits = memoryShares(state.memoryBytes);
  const ofRoutes = (read: (route: RouteCounters) => number): MetricBinding =>
    each(ROUTES, () => [...counters.routes.values()].map(read).entries());
  return {
    'pmgate.version': quick((set) => set.addText(INSTANCE_NULL, state.version)),
    'pmgate.uptime': number(() => process.uptime() * 1000),
    'pmgate.cpu.user': number(() => process.cpuUsage().user),
    'pmgate.cpu.sys': number(() => process.cpuUsage().system),
    'pmgate.mem.rss': number(() => process.memoryUsage.rss()),
    'pmgate.mem.heap_used': number(() => process.memoryUsage().heapUsed),
    'pmgate.mem.heap_total': number(() => process.memoryUsage().heapTotal),
    'pmgate.mem.external': number(() => process.memoryUsage().external),
    'pmgate.mem.kept': each(KEPT, () => ofKinds(keptBytes(state))),
    'pmgate.mem.kept_limit': each(KEPT, () => ofKinds(limits)),
    'pmgate.eventloop.active': number(() => performance.eventLoopUtilization().active * MICRO_PER_MS),
    'pmgate.eventloop.idle': number(() => performance.eventLoopUtilization().idle * MICRO_PER_MS),
    'pmgate.eventloop.delay': number(() => overload.loopDelayMs * MICRO_PER_MS),

    'pmgate.requests.total': number(() => counters.requests),
    'pmgate.requests.defects': number(() => counters.defects),
    'pmgate.requests.route.count': ofRoutes(({ count }) => count),
    'pmgate.requests.route.time': ofRoutes(({ timeMs }) => timeMs * MICRO_PER_MS),
    'pmgate.requests.status.count': each(STATUSES, () => STATUS_CLASSES.map((c) => [c, counters.statusClasses[c]!])),
    'pmgate.requests.latency': each(LATENCIES, () => sums(counters.latencies).entries()),
    'pmgate.requests.under_way': number(() => overload.underWay),
    'pmgate.requests.shed': number(() => {
      const { full, late, host, unsent } = overload.statistics;
      return full + late + host + unsent;
    }),
    'pmgate.requests.refused': number(() => clients.refused),

    'pmgate.contexts.open': number(() => contexts.size),
    'pmgate.contexts.limit': number(() => contexts.limits.contexts),
    'pmgate.contexts.made': number(() => contexts.statistics.made),
    'pmgate.contexts.expired': number(() => contexts.statistics.expired),
    'pmgate.contexts.destroyed': number(() => contexts.statistics.destroyed),
    'pmgate.connections': number(() => state.connections().open),
    'pmgate.connections_refused': number(() => state.connections().refused),

    'pmgate.fetches.total': number(() => counters.fetches),
    'pmgate.fetches.time': number(() => counters.fetchTimeMs * MICRO_PER_MS),
    'pmgate.fetches.values': number(() => counters.valuesFetched),
    'pmgate.sources.errors': each(FAILURES, () => counters.sourceErrors.entries()),

    'pmgate.streams.subscribers': number(() => streams.subscribers),
    'pmgate.streams.groups': number(() => streams.groups),
    'pmgate.streams.events': number(() => streams.statistics.events),
    'pmgate.streams.dropped': number(() => streams.statistics.dropped),
    'pmgate.fleet.state': number(() => (!state.fleet ? 0 : state.fleet.isAlone ? 1 : 2)),
    'pmgate.fleet.members': number(() => state.fleet?.status.members ?? 0),
    'pmgate.fleet.version': number(() => state.fleet?.version ?? 0),
    'pmgate.fleet.handed': number(() => state.fleet?.statistics.handed ?? 0),
    'pmgate.fleet.adopted': number(() => state.fleet?.statistics.adopted ?? 0),
    'pmgate.fleet.latency': number(() => (state.fleet?.statistics.latencyMs ?? 0) * MICRO_PER_MS),
  };
}

function quick(fill: QuickBinding['fill']): MetricBinding {
  return { kind: 'quick', samples: [], fill };
}

/** A singular number, rounded down. */
function number(read: () => number): MetricBinding {
  return quick((set) => set.addNumber(INSTANCE_NULL, Math.floor(read())));
}

/** A number for each instance that the profile includes, rounded down. */
function each(
  { indom }: CatalogIndom,
  read: () => Iterable<readonly [instance: number, value: number]>,
): MetricBinding {
  return quick((set, profile) => {
    for (const [id, value] of read()) if (profile.includes(indom, id)) set.addNumber(id, Math.floor(value));
  });
}

function keptBytes({ contexts, streams }: GatewayState): Readonly<Record<MemoryKind, number>> {
  const { kept, ...ofContexts } = contexts.keptBytes;
  return { ...ofContexts, plans: kept, streams: streams.heldBytes, global_definitions: contexts.definitions.bytes };
}

function ofKinds(bytes: Readonly<Record<MemoryKind, number>>): Iterable<readonly [id: number, value: number]> {
  return MEMORY_KINDS.map((kind) => bytes[kind]).entries();
}

function sums(numbers: readonly number[]): readonly number[] {
  let sum = 0;
  return numbers.map((number) => (sum += number));
}

function boundName(ms: number): string {
  return ms === Infinity ? 'any' : `${ms} millisec`;
}
