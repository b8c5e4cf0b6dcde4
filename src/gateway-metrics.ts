import type { ContextManager } from './context/index.js';
import type { ClientLimits, Connections, OverloadGuard } from './http/index.js';
import type { StreamHub } from './context/stream/index.js';
import { LATENCY_BOUNDS_MS, SOURCE_ERROR_KINDS } from './gateway-counters.js';
import type { GatewayCounters } from './gateway-counters.js';
import { MEMORY_KINDS, memoryShares } from './memory-shares.js';
import type { MemoryKind } from './memory-shares.js';
import { INSTANCE_NULL } from './pmapi/index.js';
import type { Instance, ValueSet } from './pmapi/index.js';
import { bindFrom, indom, metric } from './sources/linux/index.js';
import type { CatalogMetric, IndomBinding, LocalCluster, MetricBinding } from './sources/linux/index.js';

/** What the gateway's own metrics are read from. */
export interface GatewayState {
  readonly counters: GatewayCounters;
  readonly contexts: ContextManager;
  readonly streams: StreamHub;
  readonly overload: OverloadGuard;
  readonly clients: ClientLimits;
  /** `limits.memoryBytes`. */
  readonly memoryBytes: number;
  readonly version: string;
  /** Those of clients; asked for later than the rest is. */
  connections(): Connections;
}

/** The route instances by number: a route keeps the number that it got when it was first asked for. */
class RouteInstances {
  readonly #counters: GatewayCounters;
  readonly #ids = new Map<string, number>();

  constructor(counters: GatewayCounters) {
    this.#counters = counters;
  }

  list(): readonly Instance[] {
    return [...this.#counters.routes.keys()].map((name) => ({ id: this.idOf(name), name }));
  }

  idOf(route: string): number {
    const known = this.#ids.get(route);
    if (known !== undefined) return known;
    const id = this.#ids.size;
    this.#ids.set(route, id);
    return id;
  }
}

const ROUTES = indom(
  '500.0',
  'cached',
  'Routes of the HTTP API, by operation',
  [],
  'Every operation of the OpenAPI document that was asked for since the start.',
);
const STATUSES = indom(
  '500.1',
  'fixed',
  'Classes of HTTP status',
  [],
  'The first digit of the status: 2xx for success, 4xx for errors of the client, 5xx for errors of the gateway or a source.',
);
const LATENCIES = indom(
  '500.2',
  'fixed',
  'Buckets of request latency',
  [],
  'Upper bounds in milliseconds; each bucket holds the requests of the smaller ones too, and the last one holds all.',
);
const FAILURES = indom('500.3', 'fixed', 'Kinds of source failure', [], 'The error code that clients were answered.');
const KEPT = indom(
  '500.4',
  'fixed',
  'What the gateway keeps for its clients',
  [],
  'The kinds of what limits.memoryBytes is divided among; plans stands for views and histories of fetches, too.',
);

/** The domain of pmgate.* and the value of its label `agent`. */
export const GATEWAY_AGENT: readonly [domain: number, name: string] = [500, 'pmgate'];

type Reader = (set: ValueSet) => void;

/**
 * pmgate.*: the gateway's own metrics, under domain 500, as one more cluster of the local source. Counters start at zero with
 * the process.
 */
export function gatewayCluster(state: GatewayState): LocalCluster {
  const { counters, contexts, streams, overload, clients } = state;
  const routes = new RouteInstances(counters);
  const readers = new Map<string, Reader>();
  const metrics: CatalogMetric[] = [];
  const add = (read: Reader, ...row: Parameters<typeof metric>): void => {
    metrics.push(metric(...row));
    readers.set(row[0], read);
  };
  const number =
    (read: () => number): Reader =>
    (set) =>
      set.addNumber(INSTANCE_NULL, Math.floor(read()));
  const micro = (ms: number): number => Math.floor(ms * 1000);

  add(
    (set) => set.addText(INSTANCE_NULL, state.version),
    'pmgate.version',
    '500.0.0',
    'string',
    null,
    'discrete',
    'none',
    'Version of the gateway',
  );
  add(
    number(() => process.uptime() * 1000),
    'pmgate.uptime',
    '500.0.1',
    'u64',
    null,
    'instant',
    'millisec',
    'Time since the gateway started',
  );
  add(
    number(() => process.cpuUsage().user),
    'pmgate.cpu.user',
    '500.0.2',
    'u64',
    null,
    'counter',
    'microsec',
    'CPU time that the gateway spent in its own code',
  );
  add(
    number(() => process.cpuUsage().system),
    'pmgate.cpu.sys',
    '500.0.3',
    'u64',
    null,
    'counter',
    'microsec',
    'CPU time that the kernel spent for the gateway',
  );
  add(
    number(() => process.memoryUsage.rss()),
    'pmgate.mem.rss',
    '500.0.4',
    'u64',
    null,
    'instant',
    'byte',
    'Memory of the gateway that is resident',
  );
  add(
    number(() => process.memoryUsage().heapUsed),
    'pmgate.mem.heap_used',
    '500.0.5',
    'u64',
    null,
    'instant',
    'byte',
    'JavaScript heap in use',
    'Includes garbage that was not collected yet, so it rises and falls like a saw.',
  );
  add(
    number(() => process.memoryUsage().heapTotal),
    'pmgate.mem.heap_total',
    '500.0.6',
    'u64',
    null,
    'instant',
    'byte',
    'JavaScript heap allocated',
  );
  add(
    number(() => process.memoryUsage().external),
    'pmgate.mem.external',
    '500.0.7',
    'u64',
    null,
    'instant',
    'byte',
    'Memory of buffers outside the JavaScript heap',
  );
  const limits = memoryShares(state.memoryBytes);
  const ofEachKind =
    (bytes: () => Readonly<Record<MemoryKind, number>>): Reader =>
    (set) => {
      const all = bytes();
      for (const [id, kind] of MEMORY_KINDS.entries()) set.addNumber(id, Math.floor(all[kind]));
    };
  add(
    ofEachKind(() => keptBytes(state)),
    'pmgate.mem.kept',
    '500.0.11',
    'u64',
    '500.4',
    'instant',
    'byte',
    'Memory of what is kept for clients, about',
    'An estimate by which limits.memoryBytes holds; garbage and what requests under way work on are not in it.',
  );
  add(
    ofEachKind(() => limits),
    'pmgate.mem.kept_limit',
    '500.0.12',
    'u64',
    '500.4',
    'discrete',
    'byte',
    'Memory that what is kept for clients may take',
    'Beyond it what was not used for longest is dropped; definitions, profiles and streams are refused.',
  );
  add(
    number(() => micro(performance.eventLoopUtilization().active)),
    'pmgate.eventloop.active',
    '500.0.8',
    'u64',
    null,
    'counter',
    'microsec',
    'Time that the event loop was busy',
    'As a rate this is the share of one CPU that the gateway can still give: near 1 it is saturated.',
  );
  add(
    number(() => micro(performance.eventLoopUtilization().idle)),
    'pmgate.eventloop.idle',
    '500.0.9',
    'u64',
    null,
    'counter',
    'microsec',
    'Time that the event loop waited for something to do',
  );

  add(
    number(() => counters.requests),
    'pmgate.requests.total',
    '500.1.0',
    'u64',
    null,
    'counter',
    'count',
    'HTTP requests answered',
  );
  add(
    number(() => counters.defects),
    'pmgate.requests.defects',
    '500.1.1',
    'u64',
    null,
    'counter',
    'count',
    'HTTP requests answered 500',
    'Each of these is a defect of the gateway: the log has its stack.',
  );
  add(
    (set) => {
      for (const [route, { count }] of counters.routes) set.addNumber(routes.idOf(route), count);
    },
    'pmgate.requests.route.count',
    '500.1.2',
    'u64',
    '500.0',
    'counter',
    'count',
    'HTTP requests answered, by route',
  );
  add(
    (set) => {
      for (const [route, { timeMs }] of counters.routes) set.addNumber(routes.idOf(route), micro(timeMs));
    },
    'pmgate.requests.route.time',
    '500.1.3',
    'u64',
    '500.0',
    'counter',
    'microsec',
    'Time taken to answer HTTP requests, by route',
    'Divide its rate by that of pmgate.requests.route.count for the mean latency of a route.',
  );
  add(
    (set) => {
      for (let c = 1; c <= 5; c++) set.addNumber(c, counters.statusClasses[c] ?? 0);
    },
    'pmgate.requests.status.count',
    '500.1.4',
    'u64',
    '500.1',
    'counter',
    'count',
    'HTTP requests answered, by class of status',
  );
  add(
    (set) => {
      let sum = 0;
      for (const [i, count] of counters.latencies.entries()) set.addNumber(i, (sum += count));
    },
    'pmgate.requests.latency',
    '500.1.5',
    'u64',
    '500.2',
    'counter',
    'count',
    'HTTP requests answered within a time',
    'A cumulative histogram: each bucket counts the requests that took at most so many milliseconds.',
  );

  add(
    number(() => overload.underWay),
    'pmgate.requests.under_way',
    '500.1.6',
    'u32',
    null,
    'instant',
    'none',
    'HTTP requests under way, streams aside',
  );
  add(
    number(() => {
      const { full, late, host, unsent } = overload.statistics;
      return full + late + host + unsent;
    }),
    'pmgate.requests.shed',
    '500.1.7',
    'u64',
    null,
    'counter',
    'count',
    'HTTP requests turned away because there was too much to do',
    'Those were answered 503 OVERLOADED. limits.requests, limits.ranges, limits.loopDelayMs, limits.unsentBytes and hosts.requests say how much is too much.',
  );
  add(
    number(() => clients.refused),
    'pmgate.requests.refused',
    '500.1.8',
    'u64',
    null,
    'counter',
    'count',
    'HTTP requests turned away because one client asked for too much',
    'Those were answered 429; the section clients of the configuration says how much is too much.',
  );
  add(
    number(() => micro(overload.loopDelayMs)),
    'pmgate.eventloop.delay',
    '500.0.10',
    'u64',
    null,
    'instant',
    'microsec',
    'How long requests waited for the event loop when that was last measured',
    'Measured while requests come; past limits.loopDelayMs the gateway turns requests away.',
  );

  add(
    number(() => contexts.size),
    'pmgate.contexts.open',
    '500.2.0',
    'u32',
    null,
    'instant',
    'none',
    'Contexts open now',
  );
  add(
    number(() => contexts.limits.contexts),
    'pmgate.contexts.limit',
    '500.2.1',
    'u32',
    null,
    'discrete',
    'none',
    'Contexts that may be open at once',
  );
  add(
    number(() => contexts.statistics.made),
    'pmgate.contexts.made',
    '500.2.2',
    'u64',
    null,
    'counter',
    'count',
    'Contexts made since the start',
  );
  add(
    number(() => contexts.statistics.expired),
    'pmgate.contexts.expired',
    '500.2.3',
    'u64',
    null,
    'counter',
    'count',
    'Contexts that expired after disuse',
  );
  add(
    number(() => contexts.statistics.destroyed),
    'pmgate.contexts.destroyed',
    '500.2.4',
    'u64',
    null,
    'counter',
    'count',
    'Contexts that clients destroyed',
  );
  add(
    number(() => state.connections().open),
    'pmgate.connections',
    '500.2.5',
    'u32',
    null,
    'instant',
    'none',
    'Client connections open now',
  );
  add(
    number(() => state.connections().refused),
    'pmgate.connections_refused',
    '500.2.6',
    'u64',
    null,
    'counter',
    'count',
    'Client connections closed because there were too many',
    'limits.connections says how many there may be, and clients.connections how many of one address.',
  );

  add(
    number(() => counters.fetches),
    'pmgate.fetches.total',
    '500.3.0',
    'u64',
    null,
    'counter',
    'count',
    'Fetches made of sources',
    'More than one request may be answered from one fetch, and one request may need several.',
  );
  add(
    number(() => micro(counters.fetchTimeMs)),
    'pmgate.fetches.time',
    '500.3.1',
    'u64',
    null,
    'counter',
    'microsec',
    'Time that sources took for fetches',
  );
  add(
    number(() => counters.valuesFetched),
    'pmgate.fetches.values',
    '500.3.2',
    'u64',
    null,
    'counter',
    'count',
    'Values that fetches gave',
  );
  add(
    (set) => {
      for (const [i, count] of counters.sourceErrors.entries()) set.addNumber(i, count);
    },
    'pmgate.sources.errors',
    '500.4.0',
    'u64',
    '500.3',
    'counter',
    'count',
    'Fetches that failed as a whole, by kind of failure',
  );

  add(
    number(() => streams.subscribers),
    'pmgate.streams.subscribers',
    '500.5.0',
    'u32',
    null,
    'instant',
    'none',
    'Clients that listen to streams now',
  );
  add(
    number(() => streams.groups),
    'pmgate.streams.groups',
    '500.5.1',
    'u32',
    null,
    'instant',
    'none',
    'Streams sampled now',
    'Clients that want the same samples share a stream; one that nobody listens to any more is sampled a while longer.',
  );
  add(
    number(() => streams.statistics.events),
    'pmgate.streams.events',
    '500.5.2',
    'u64',
    null,
    'counter',
    'count',
    'Events sent to clients of streams',
  );
  add(
    number(() => streams.statistics.dropped),
    'pmgate.streams.dropped',
    '500.5.3',
    'u64',
    null,
    'counter',
    'count',
    'Clients of streams cut off for taking too little',
    'Such a client can come back and go on after the last event that it got.',
  );

  const table = bindings(metrics, readers);
  return {
    name: 'pmgate',
    metrics,
    indoms: [
      fixedIndom(ROUTES, () => routes.list()),
      fixedIndom(STATUSES, () => [1, 2, 3, 4, 5].map((id) => ({ id, name: `${id}xx` }))),
      fixedIndom(LATENCIES, () =>
        LATENCY_BOUNDS_MS.map((bound, id) => ({ id, name: bound === Infinity ? 'any' : `${bound} millisec` })),
      ),
      fixedIndom(KEPT, () => MEMORY_KINDS.map((name, id) => ({ id, name }))),
      fixedIndom(FAILURES, () => SOURCE_ERROR_KINDS.map((name, id) => ({ id, name }))),
    ],
    bind: (row) => bindFrom(table, row),
  };
}

/** Bytes that are kept, by what they are for. */
function keptBytes({ contexts, streams }: GatewayState): Readonly<Record<MemoryKind, number>> {
  const { kept, ...ofContexts } = contexts.keptBytes;
  return { ...ofContexts, plans: kept, streams: streams.heldBytes, global_definitions: contexts.definitions.bytes };
}

function fixedIndom(catalog: IndomBinding['catalog'], list: () => readonly Instance[]): IndomBinding {
  return { catalog, samples: [], list };
}

/** The table of bindings: each metric is filled by its reader, then narrowed to the profile. */
function bindings(metrics: readonly CatalogMetric[], readers: ReadonlyMap<string, Reader>): Map<string, MetricBinding> {
  return new Map(
    metrics.map(({ name, descriptor }) => [
      name,
      {
        kind: 'quick',
        samples: [],
        fill(set, profile) {
          readers.get(name)?.(set);
          if (!profile.includesAll(descriptor.indom)) keepIncluded(set, (id) => profile.includes(descriptor.indom, id));
        },
      },
    ]),
  );
}

/** Drop the values of instances that are not wanted. */
function keepIncluded(set: ValueSet, wanted: (instance: number) => boolean): void {
  const kept: (readonly [number, number])[] = [];
  for (let i = 0; i < set.status; i++) {
    const id = set.instances[i]!;
    if (wanted(id)) kept.push([id, set.column.numbers[i]!]);
  }
  set.reset(set.pmid, set.type);
  for (const [id, value] of kept) set.addNumber(id, value);
}
