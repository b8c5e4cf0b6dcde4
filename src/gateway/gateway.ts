import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { duplexPair } from 'node:stream';
import type { Duplex } from 'node:stream';
import { FEATURES } from '../features/index.js';
import type { FeatureParts, Surroundings } from '../features/index.js';
import { systemTimers } from '../kit/index.js';
import type { Timers } from '../kit/index.js';
import { Archives } from './targets/archives.js';
import { HostArchives } from './targets/host-archives.js';
import type { Config } from '../config/index.js';
import { BackgroundSampler, ContextManager } from '../context/index.js';
import { LiveMemory } from '../context/range/index.js';
import { StreamHub } from '../context/stream/index.js';
import { GatewayCounters, requestObserver } from './gateway-counters.js';
import { GATEWAY_AGENT, gatewayCluster } from './gateway-metrics.js';
import type { GatewayState } from './gateway-metrics.js';
import {
  ClientLimits,
  Connections,
  createApp,
  createHttpServer,
  handedAnswerer,
  OverloadGuard,
} from '../http/index.js';
import type { AppOptions, GatewayServer, Readiness, Routes } from '../http/index.js';
import { withRestartOnly } from './restart-only.js';
import type { Log } from '../log/index.js';
import {
  contextLimits,
  contextMemory,
  defaultStateDirectory,
  derivedOptions,
  localMeaning,
  memoryShares,
  overloadLimits,
  rangeLimits,
  recordedRoot,
  serverTimeouts,
  streamLimits,
} from './room-options.js';
import { systemClock } from '../pmapi/index.js';
import type { Clock } from '../pmapi/index.js';
import { DerivedRegistry } from './derived-registry.js';
import type { Fleet } from './fleet.js';
import { loadSecurity } from './security.js';
import type { Security } from './security.js';
import { SourceResolver } from './targets/source-resolver.js';
import { joinAgents } from '../sources/index.js';
import type { MetricAgent, SourceOpening } from '../sources/index.js';
import { LinuxCollector, pmcdCluster } from '../sources/linux/index.js';
import { PmcdPools } from '../sources/pmcd/index.js';
import { VERSION } from '../version.js';

/** How often contexts are swept for expired ones. */
const SWEEP_MS = 1000;
/** The release of PCP whose metrics the embedded collector follows: the value of pmcd.version. */
const PCP_VERSION = '7.2.1';
/** How often a closing server looks for connections that have become idle. */
const CLOSE_IDLE_MS = 20;
/** How long sources may take to close when the gateway ends. */
const CLOSE_SOURCES_MS = 3000;

/** What a gateway is made from: a configuration that has been checked, its log, and the time (the system's, if none is given). */
export interface GatewayOptions {
  readonly config: Config;
  readonly log: Log;
  readonly clock?: Clock;
  /** The system's, except in tests. */
  readonly timers?: Timers;
}

/** The whole gateway: made from a configuration, listening until it is closed. */
export class Gateway {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #counters = new GatewayCounters();
  readonly #contexts: ContextManager;
  readonly #streams: StreamHub;
  readonly #collector: LinuxCollector;
  /** The embedded collector, with the agents of features. */
  readonly #local: SourceOpening;
  readonly #features: readonly FeatureParts[];
  readonly #pools: PmcdPools;
  readonly #archives: Archives;
  readonly #hostArchives: HostArchives;
  #sampler: BackgroundSampler | undefined;
  readonly #derived: DerivedRegistry;
  readonly #fleet: Fleet | undefined;
  readonly #overload: OverloadGuard;
  readonly #clients: ClientLimits;
  readonly #server: GatewayServer;
  readonly #connections: Connections;
  readonly #timers: Timers;
  readonly #stopSweeping: () => void;
  /** What it was made with. */
  readonly #started: Config;
  #resolver: SourceResolver;
  #config: Config;
  #security: Security;
  #draining = false;

  /** Make a gateway, with its derived metrics loaded. It does not listen yet. Throws ConfigError as {@link loadSecurity} does, and where the link cannot listen. */
  static async create(options: GatewayOptions): Promise<Gateway> {
    const registry = await DerivedRegistry.open(derivedOptions(options));
    return new Gateway(options, registry, await openFleet(options, registry));
  }

  private constructor(options: GatewayOptions, derived: DerivedRegistry, fleet: Fleet | undefined) {
    const { config, log, clock = systemClock, timers = systemTimers } = options;
    this.#derived = derived;
    this.#fleet = fleet;
    this.#started = config;
    this.#config = config;
    this.#log = log;
    this.#clock = clock;
    this.#timers = timers;
    this.#security = this.#loadSecurity(config);
    this.#overload = new OverloadGuard(overloadLimits(config));
    this.#clients = new ClientLimits(config.clients, clock);
    this.#pools = new PmcdPools({
      connections: config.hosts.connections,
      replyTimeoutMs: config.hosts.replyTimeoutSec * 1000,
      maxHosts: config.hosts.max,
    });
    const keepsArchives = FEATURES.some((feature) => feature.keepsArchives?.(config));
    this.#archives = new Archives(clock, config.archives, keepsArchives ? recordedRoot(config) : undefined);
    this.#hostArchives = new HostArchives(this.#archives, () => this.#resolver);
    this.#contexts = new ContextManager({
      clock,
      definitions: derived.store,
      limits: contextLimits(config),
      memoryLimits: contextMemory(config),
      directory: fleet?.contexts,
      observer: this.#counters,
      ...(config.contexts.historyBytes > 0 ? { memory: this.#makeMemory() } : {}),
      onCloseError: (err, context) => log.warn('cannot close a source', { err, context: context.id }),
    });
    fleet?.shareContexts(this.#contexts);
    this.#streams = new StreamHub({
      clock,
      limits: streamLimits(config),
      load: this.#overload,
      // A context of a client belongs to its home, which this is.
      placement:
        fleet && (({ isShared, spec }) => fleet.placementOf(isShared ? this.#contexts.placeOf(spec) : undefined)),
      memoryBytes: memoryShares(config.limits.memoryBytes).streams,
    });
    const surroundings = this.#surroundings();
    this.#features = FEATURES.map((feature) => feature.make(surroundings));
    const agents = this.#features.flatMap(({ agents = [] }) => agents);
    this.#collector = this.#makeCollector(agents);
    this.#local = joinAgents(this.#collector, agents, clock);
    this.#resolver = this.#makeResolver();
    this.#contexts.sources = this.#resolver;
    for (const sentence of this.#collector.missing()) log.warn(sentence);
    this.#warnOfSecurity();

    const httpOptions = this.#httpOptions();
    fleet?.answerWith(handedAnswerer(httpOptions));
    this.#server = createHttpServer(httpOptions, this.#security.tls);
    this.#server.maxConnections = config.limits.connections;
    this.#connections = new Connections(this.#server, this.#clients);
    this.#stopSweeping = repeat(timers, SWEEP_MS, () => this.#sweep());
  }

  /** Begin to listen, and to record; answers the address, with the port that port 0 became. Throws what listen(2) says. */
  async listen(): Promise<AddressInfo> {
    const { host, port } = this.#config.listen;
    const address = await new Promise<AddressInfo>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        this.#server.on('error', (err) => this.#log.error('server error', { err }));
        resolve(this.#server.address() as AddressInfo);
      });
    });
    this.#sampler = this.#makeSampler();
    for (const feature of this.#features) feature.start?.();
    return address;
  }

  /** Connect to the gateway from within this process, whether it listens or not: answers the client's end. */
  connect(): Duplex {
    const [client, server] = duplexPair();
    // To the server this is the socket of a client on this machine, which takes as long as it likes.
    this.#server.emit('connection', Object.assign(server, { remoteAddress: '127.0.0.1', setTimeout: () => server }));
    return client;
  }

  /**
   * Put another configuration in force, as far as a running gateway can. Answers the options that wait for a restart, such as
   * `listen.port`. Throws ConfigError as {@link loadSecurity} does; nothing has changed then.
   */
  reload(wanted: Config): readonly string[] {
    const { config, waiting } = withRestartOnly(this.#started, wanted);
    // All that can fail comes first.
    const security = this.#loadSecurity(config);
    this.#clients.bounds = config.clients;
    const isOtherAccess = security.accessKey !== this.#security.accessKey;
    this.#security = security;
    this.#warnOfSecurity();
    if (this.#security.tls) this.#server.setTls(this.#security.tls);
    this.#config = config;
    this.#log.level = config.log.level;
    this.#contexts.limits = contextLimits(config);
    this.#overload.limits = overloadLimits(config);
    this.#streams.limits = streamLimits(config);
    this.#server.maxConnections = config.limits.connections;
    this.#server.setTimeouts(serverTimeouts(config));
    this.#server.setUrlBytes(config.limits.urlBytes);
    this.#archives.reload(config.archives);
    this.#resolver = this.#makeResolver();
    this.#contexts.sources = this.#resolver;
    for (const feature of this.#features) feature.reload?.();
    if (this.#sampler) {
      this.#sampler.close();
      this.#sampler = this.#makeSampler();
    }
    const contexts = this.#contexts.withdraw();
    if (contexts > 0) this.#log.info('closed contexts whose host is no longer configured', { contexts });
    const reloading = this.#derived.reload(derivedOptions({ config, log: this.#log }));
    reloading.then(
      () => this.#fleet?.reloaded(),
      (err: unknown) => this.#log.error('cannot reload derived metrics', { err }),
    );
    const options = this.#httpOptions();
    this.#server.replaceApp(createApp(options));
    this.#fleet?.answerWith(handedAnswerer(options));
    this.#server.setObserver(options.observer);
    // Each request is authorized separately; streams would continue for clients that are no longer permitted.
    if (isOtherAccess) this.#streams.interrupt();
    return waiting;
  }

  /**
   * Take no new requests, finish those in progress (for at most `limits.drainSec`), and close everything. A source that does not close
   * (its disk does not answer) is left as it is.
   */
  async close(): Promise<void> {
    this.#draining = true;
    this.#fleet?.leave();
    this.#stopSweeping();
    this.#sampler?.close();
    // Streams would never be done by themselves.
    this.#streams.close();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // A connection becomes idle once its answer is out; its client would keep it open for as long as it may.
    const stopClosing = repeat(this.#timers, CLOSE_IDLE_MS, () => this.#server.closeIdleConnections());
    const stopDeadline = this.#timers.after(this.#config.limits.drainSec * 1000, () => this.#connections.closeAll());
    await closed;
    stopClosing();
    stopDeadline();
    if (!(await endsWithin(CLOSE_SOURCES_MS, this.#closeSources(), this.#timers))) {
      this.#log.warn('a source did not close in time', { closeMs: CLOSE_SOURCES_MS });
    }
  }

  async #closeSources(): Promise<void> {
    await this.#fleet?.close();
    for (const feature of [...this.#features].reverse()) await feature.close?.();
    await this.#contexts.close();
    await Promise.all([this.#collector.close(), this.#pools.close(), this.#archives.close()]);
  }

  #loadSecurity(config: Config): Security {
    return loadSecurity(config, this.#clock, (client) => this.#log.warn('repeated failed logins', { client }));
  }

  #warnOfSecurity(): void {
    for (const sentence of this.#security.warnings) this.#log.warn(sentence);
  }

  #sweep(): void {
    this.#contexts.sweep();
    this.#archives.sweep().catch((err: unknown) => this.#log.warn('cannot close an archive', { err }));
  }

  #surroundings(): Surroundings {
    const config = (): Config => this.#config;
    const stateDirectory = this.#config.state.directory ?? defaultStateDirectory();
    return {
      get config() {
        return config();
      },
      log: this.#log,
      clock: this.#clock,
      timers: this.#timers,
      contexts: this.#contexts,
      archives: this.#archives,
      stateDirectory,
      recordedRoot: recordedRoot(this.#config),
      // The name of this machine means it in any fleet.
      ownHost: localMeaning(this.#config) === undefined ? 'localhost' : hostname(),
    };
  }

  /** Samples nothing if nothing is remembered of live hosts. */
  #makeSampler(): BackgroundSampler {
    const { remember, rememberHosts, historyBytes } = this.#config.contexts;
    const isRefused = localMeaning(this.#config)?.localhost === 'refuse';
    return new BackgroundSampler({
      contexts: this.#contexts,
      hosts: rememberHosts.filter((host) => !isRefused || host !== 'localhost'),
      isElsewhere: (hostspec) => this.#isElsewhere(hostspec),
      metrics: historyBytes > 0 ? remember : [],
      clock: this.#clock,
      timers: this.#timers,
      isStrained: () => this.#overload.isStrained,
      warn: (message, fields) => this.#log.warn(message, fields),
    });
  }

  /** Whether a host belongs to another gateway of the fleet. */
  #isElsewhere(hostspec: string): boolean {
    return this.#fleet?.owner(this.#resolver.placeOf({ kind: 'host', hostspec })) !== undefined;
  }

  #makeMemory(): LiveMemory {
    const { historyBytes, historySec } = this.#config.contexts;
    return new LiveMemory(this.#clock, { bytes: historyBytes, maxAgeMs: historySec * 1000 });
  }

  #makeResolver(): SourceResolver {
    const { local, hosts } = this.#config;
    return new SourceResolver({
      local,
      hosts,
      fleet: localMeaning(this.#config),
      collector: this.#local,
      pools: this.#pools,
      archives: this.#archives,
      // Clients bring this about: a reason is enough, a stack would only fill the log.
      onUnreachable: (hostspec, error) =>
        this.#log.warn('cannot reach a target', { hostspec, reason: (error as Error).message }),
    });
  }

  #makeCollector(joined: readonly MetricAgent[]): LinuxCollector {
    const { local, state } = this.#config;
    const [domain, agent] = GATEWAY_AGENT;
    return new LinuxCollector({
      clock: this.#clock,
      stateDir: state.directory ?? defaultStateDirectory(),
      root: local.root,
      snapshotMs: local.snapshotMs,
      processes: local.processes,
      log: (message, cause) => this.#log.warn(message, { err: cause }),
      ...(local.collector ? {} : { clusters: [] }),
      extra: [
        gatewayCluster({
          counters: this.#counters,
          contexts: this.#contexts,
          streams: this.#streams,
          overload: this.#overload,
          clients: this.#clients,
          memoryBytes: this.#config.limits.memoryBytes,
          version: VERSION,
          readings: Object.assign({}, ...this.#features.map(({ metrics }) => metrics)) as GatewayState['readings'],
          fleet: this.#fleet,
          connections: () => this.#connections,
        }),
        pmcdCluster({
          hostName: () => this.#collector.identity.hostName,
          timeZone: () => this.#collector.identity.timeZone,
          zoneInfo: () => this.#collector.identity.zoneInfo,
          version: PCP_VERSION,
          agents: new Map([
            [2, 'pmcd'],
            [3, 'proc'],
            [60, 'linux'],
            ...joined.map(({ domain, name }) => [domain, name] as const),
            GATEWAY_AGENT,
          ]),
          clients: () => this.#contexts.size,
          requests: () => this.#counters.fetches,
          answers: () => this.#counters.fetches,
        }),
      ],
      extraAgents: new Map([[domain, agent]]),
    });
  }

  #httpOptions(): AppOptions {
    const { limits, cors, log, store, hosts, listen } = this.#config;
    const { urlBytes, bodyBytes, names, values } = limits;
    return {
      contexts: this.#contexts,
      derived: this.#derived,
      streams: this.#streams,
      routes: Object.assign({}, ...this.#features.map(({ routes }) => routes)) as Routes,
      directories: {
        archives: this.#archives,
        hostArchives: this.#hostArchives,
        namedHosts: () => Object.keys(hosts.named),
      },
      guards: {
        access: this.#security.access,
        hostNames: this.#security.hostNames,
        overload: this.#overload,
        clients: this.#clients,
        corsOrigins: cors.origins,
        strictTransportSec: this.#security.tls ? listen.strictTransportSec : 0,
        store,
      },
      limits: {
        urlBytes,
        bodyBytes,
        names,
        values,
        ranges: rangeLimits(this.#config),
        batches: { entries: limits.batch, answerBytes: limits.batchBytes },
        timeouts: serverTimeouts(this.#config),
      },
      basePath: listen.basePath,
      version: VERSION,
      observer: requestObserver(this.#counters, this.#log, log.requests),
      readiness: () => this.#readiness(),
      fleet: this.#fleet,
      timers: this.#timers,
    };
  }

  async #readiness(): Promise<Readiness> {
    if (this.#draining) return { ready: false, reason: 'the gateway is shutting down' };
    const cluster = this.#fleet?.status;
    if (this.#fleet?.isAlone && this.#config.cluster.whenAlone === 'refuse') {
      return { ready: false, reason: 'the gateway cannot reach the others of its fleet' };
    }
    try {
      const local = await this.#resolver.localSource();
      const ofFeatures = this.#features.flatMap(({ problems }) => problems?.() ?? []);
      const problems = [...(this.#fleet?.problems ?? []), ...this.#resolver.problems, ...ofFeatures];
      return { ready: true, local, cluster, problems };
    } catch (error) {
      return { ready: false, reason: `cannot reach the pmcd of this machine: ${(error as Error).message}` };
    }
  }
}

/** What a gateway shares with others; without `cluster` nothing of it is loaded. */
async function openFleet({ config, log }: GatewayOptions, registry: DerivedRegistry): Promise<Fleet | undefined> {
  const { url, sentinels } = config.cluster;
  if (url === null && sentinels.length === 0) return undefined;
  const fleet = await import('./fleet.js');
  return fleet.Fleet.open({ config, log, registry });
}

/** Do something at intervals, until what is returned is called. */
function repeat(timers: Timers, intervalMs: number, work: () => void): () => void {
  let stop = (): void => undefined;
  const next = (): void => {
    stop = timers.after(intervalMs, () => {
      work();
      next();
    });
  };
  next();
  return () => stop();
}

/** Whether some work ends in time. Throws what it throws until then. */
async function endsWithin(limitMs: number, work: Promise<void>, timers: Timers): Promise<boolean> {
  let stopTimer = (): void => undefined;
  const late = new Promise<boolean>((resolve) => {
    stopTimer = timers.after(limitMs, () => resolve(false));
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    stopTimer();
  }
}
