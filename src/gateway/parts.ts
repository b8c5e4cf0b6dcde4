import { hostname } from 'node:os';
import { ContextManager, startBackgroundSampler } from '../context/index.js';
import { DEFAULT_RANGE_LIMITS, LiveMemory } from '../context/range/index.js';
import { StreamHub } from '../context/stream/index.js';
import type { Config } from '../config/index.js';
import { FEATURES, type Surroundings } from '../features/index.js';
import { ClientLimits, OverloadGuard, type AppOptions, type Routes } from '../http/index.js';
import type { Timers } from '../kit/index.js';
import type { Log } from '../log/index.js';
import type { Clock } from '../pmapi/index.js';
import { VERSION } from '../version.js';
import type { DerivedRegistry } from './derived-registry.js';
import type { Fleet } from './fleet.js';
import { GatewayCounters, requestObserver } from './gateway-counters.js';
import * as options from './room-options.js';
import type { Security } from './security.js';
import { Archives } from './targets/archives.js';
import { HostArchives } from './targets/host-archives.js';
import { SourceResolver, type SourceResolverOptions } from './targets/source-resolver.js';

export interface Given {
  readonly log: Log;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly derived: DerivedRegistry;
  readonly fleet: Fleet | undefined;
  readonly readiness: AppOptions['readiness'];
  /** Another one after each reload. */
  readonly resolver: () => SourceResolver;
}

/** The parts of the gateway that stay when the configuration changes. */
export interface GatewayParts extends Given {
  readonly contexts: ContextManager;
  readonly streams: StreamHub;
  readonly archives: Archives;
  readonly hostArchives: HostArchives;
  readonly overload: OverloadGuard;
  readonly clients: ClientLimits;
  readonly counters: GatewayCounters;
}

export function makeParts(config: Config, given: Given): GatewayParts {
  const { clock, log, derived, fleet, resolver } = given;
  const overload = new OverloadGuard(options.overloadLimits(config));
  const counters = new GatewayCounters();
  const keepsArchives = FEATURES.some((feature) => feature.keepsArchives?.(config));
  const archives = new Archives(clock, config.archives, keepsArchives ? options.recordedRoot(config) : undefined);
  const { historyBytes, historySec } = config.contexts;
  const contexts = new ContextManager({
    clock,
    definitions: derived.store,
    limits: options.contextLimits(config),
    memoryLimits: options.contextMemory(config),
    directory: fleet?.contexts,
    observer: counters,
    memory: historyBytes > 0 ? new LiveMemory(clock, { bytes: historyBytes, maxAgeMs: historySec * 1000 }) : undefined,
    onCloseError: (err, context) => log.warn('cannot close a source', { err, context: context.id }),
  });
  fleet?.shareContexts(contexts);
  const streams = new StreamHub({
    clock,
    limits: options.streamLimits(config),
    load: overload,
    // A context of a client belongs to its home, which this is.
    placement: fleet && (({ isShared, spec }) => fleet.placementOf(isShared ? contexts.placeOf(spec) : undefined)),
    memoryBytes: options.memoryShares(config.limits.memoryBytes).streams,
  });
  const clients = new ClientLimits(config.clients, clock);
  const hostArchives = new HostArchives(archives, resolver);
  return { ...given, contexts, streams, archives, hostArchives, overload, clients, counters };
}

/** Samples nothing if nothing is remembered of live hosts. */
export function makeSampler(
  config: Config,
  { contexts, fleet, overload, resolver, ...rest }: GatewayParts,
): ReturnType<typeof startBackgroundSampler> {
  const { clock, timers, log } = rest;
  const { remember, rememberHosts, historyBytes } = config.contexts;
  const isRefused = options.localMeaning(config)?.localhost === 'refuse';
  return startBackgroundSampler({
    contexts,
    hosts: rememberHosts.filter((host) => !isRefused || host !== 'localhost'),
    isElsewhere: (hostspec) => fleet?.owner(resolver().placeOf({ kind: 'host', hostspec })) !== undefined,
    metrics: historyBytes > 0 ? remember : [],
    clock,
    timers,
    isStrained: () => overload.isStrained,
    warn: (message, fields) => log.warn(message, fields),
  });
}

/** What features work with. @param config the one in force */
export function makeSurroundings(parts: GatewayParts, config: () => Config): Surroundings {
  const { log, clock, timers, contexts, archives } = parts;
  return {
    get config() {
      return config();
    },
    log,
    clock,
    timers,
    contexts,
    archives,
    stateDirectory: options.stateDirectory(config()),
    recordedRoot: options.recordedRoot(config()),
    // The name of this machine means it in any fleet.
    ownHost: options.localMeaning(config()) === undefined ? 'localhost' : hostname(),
  };
}

export function makeResolver(
  config: Config,
  { archives, log }: GatewayParts,
  opening: Pick<SourceResolverOptions, 'collector' | 'pools'>,
): SourceResolver {
  return new SourceResolver({
    ...opening,
    local: config.local,
    hosts: config.hosts,
    fleet: options.localMeaning(config),
    archives,
    // Clients bring this about: a reason is enough, a stack would only fill the log.
    onUnreachable: (hostspec, error) =>
      log.warn('cannot reach a target', { hostspec, reason: (error as Error).message }),
  });
}

/** What HTTP works with under a configuration. */
export function makeHttpOptions(
  { limits, archives: { rangeValues, rangePoints }, listen, ...config }: Config,
  security: Security,
  parts: GatewayParts,
  routes: Routes,
): AppOptions {
  const { archives, hostArchives, overload, clients, counters, log } = parts;
  return {
    ...parts,
    routes,
    directories: { archives, hostArchives, namedHosts: () => Object.keys(config.hosts.named) },
    guards: {
      access: security.access,
      hostNames: security.hostNames,
      overload,
      clients,
      corsOrigins: config.cors.origins,
      strictTransportSec: security.tls ? listen.strictTransportSec : 0,
      store: config.store,
    },
    limits: {
      ...limits,
      ranges: { ...DEFAULT_RANGE_LIMITS, values: rangeValues, points: rangePoints },
      timeouts: options.serverTimeouts(limits),
    },
    basePath: listen.basePath,
    version: VERSION,
    observer: requestObserver(counters, log, config.log.requests),
  };
}
