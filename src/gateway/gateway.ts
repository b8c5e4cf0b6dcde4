import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { duplexPair, type Duplex } from 'node:stream';
import { restartOnlyOptions, type Config } from '../config/index.js';
import { FEATURES, type FeatureParts } from '../features/index.js';
import { Connections, createHttpServer, handedAnswerer } from '../http/index.js';
import type { AppOptions, GatewayServer, Readiness, Routes } from '../http/index.js';
import { endsWithin, repeat, systemTimers, type Timers } from '../kit/index.js';
import type { Log } from '../log/index.js';
import { systemClock, type Clock } from '../pmapi/index.js';
import { joinAgents } from '../sources/index.js';
import type { LinuxCollector } from '../sources/linux/index.js';
import { PmcdPools } from '../sources/pmcd/index.js';
import { VERSION } from '../version.js';
import { makeCollector } from './collector.js';
import { DerivedRegistry } from './derived-registry.js';
import type { Fleet } from './fleet.js';
import type { GatewayState } from './gateway-metrics.js';
import { makeHttpOptions, makeParts, makeResolver, makeSampler, makeSurroundings, type GatewayParts } from './parts.js';
import * as options from './room-options.js';
import { loadSecurity, type Security } from './security.js';
import type { SourceResolver, SourceResolverOptions } from './targets/source-resolver.js';

/** How often contexts are swept for expired ones. */
const SWEEP_MS = 1000;
/** How often a closing server looks for connections that have become idle. */
const CLOSE_IDLE_MS = 20;
/** How long sources may take to close when the gateway ends. */
const CLOSE_SOURCES_MS = 3000;

/** A configuration that has been checked, the log, and the time: the system's by default. */
export interface GatewayOptions {
  readonly config: Config;
  readonly log: Log;
  readonly clock?: Clock;
  readonly timers?: Timers;
}

/** The whole gateway: made from a configuration, listening until it is closed. */
export class Gateway {
  readonly #parts: GatewayParts;
  readonly #routes: Routes;
  readonly #collector: LinuxCollector;
  readonly #opening: Pick<SourceResolverOptions, 'collector' | 'pools'>;
  readonly #features: readonly FeatureParts[];
  readonly #pools: PmcdPools;
  readonly #server: GatewayServer;
  readonly #connections: Connections;
  readonly #stopSweeping: () => void;
  readonly #started: Config;
  #sampler: ReturnType<typeof makeSampler> | undefined;
  #resolver: SourceResolver;
  #config: Config;
  #security: Security;
  #draining = false;

  /** Makes a gateway that does not listen yet. Throws ConfigError as {@link loadSecurity} does, and where the link cannot listen. */
  static async create(given: GatewayOptions): Promise<Gateway> {
    const { config, log } = given;
    const registry = await DerivedRegistry.open(options.derivedOptions(config, log));
    const { url, sentinels } = config.cluster;
    // Without `cluster` nothing of a fleet is loaded.
    const isAlone = url === null && sentinels.length === 0;
    const fleet = isAlone ? undefined : await (await import('./fleet.js')).Fleet.open({ config, log, registry });
    return new Gateway(given, registry, fleet);
  }

  private constructor(given: GatewayOptions, derived: DerivedRegistry, fleet: Fleet | undefined) {
    const { config, log, clock = systemClock, timers = systemTimers } = given;
    this.#started = config;
    this.#config = config;
    this.#security = loadSecurityWith(config, log, clock);
    this.#pools = new PmcdPools({
      connections: config.hosts.connections,
      replyTimeoutMs: config.hosts.replyTimeoutSec * 1000,
      maxHosts: config.hosts.max,
    });
    this.#parts = makeParts(config, {
      log,
      clock,
      timers,
      derived,
      fleet,
      readiness: () => this.#readiness(),
      resolver: () => this.#resolver,
    });
    const surroundings = makeSurroundings(this.#parts, () => this.#config);
    const features = FEATURES.map((feature) => feature.make(surroundings));
    this.#routes = Object.assign({}, ...features.map(({ routes }) => routes)) as Routes;
    // What starts last closes first: the other gateways take over its contexts then.
    this.#features = fleet ? [...features, fleet] : features;
    const state = {
      ...this.#parts,
      memoryBytes: config.limits.memoryBytes,
      version: VERSION,
      readings: Object.assign({}, ...features.map(({ metrics }) => metrics)) as GatewayState['readings'],
      connections: () => this.#connections,
    };
    const agents = features.flatMap(({ agents = [] }) => agents);
    this.#collector = makeCollector(config, { clock, log }, state, agents);
    this.#opening = { collector: joinAgents(this.#collector, agents, clock), pools: this.#pools };
    this.#resolver = makeResolver(this.#config, this.#parts, this.#opening);
    this.#parts.contexts.sources = this.#resolver;
    this.#server = createHttpServer(this.#httpOptions(), this.#security.tls);
    this.#server.maxConnections = config.limits.connections;
    this.#connections = new Connections(this.#server, this.#parts.clients);
    this.#stopSweeping = repeat(SWEEP_MS, timers, () => this.#sweep());
  }

  /** Begins to listen, and to record; the address has the port that port 0 became. Throws what listen(2) says. */
  async listen(): Promise<AddressInfo> {
    const { host, port } = this.#config.listen;
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    this.#server.on('error', (err) => this.#parts.log.error('server error', { err }));
    this.#sampler = makeSampler(this.#config, this.#parts);
    for (const feature of this.#features) feature.start?.();
    return this.#server.address() as AddressInfo;
  }

  /** Connects to the gateway from within this process, whether it listens or not: the client's end. */
  connect(): Duplex {
    const [client, server] = duplexPair();
    // To the server this is the socket of a client on this machine, which takes as long as it likes.
    this.#server.emit('connection', Object.assign(server, { remoteAddress: '127.0.0.1', setTimeout: () => server }));
    return client;
  }

  /**
   * Puts another configuration in force, as far as a running gateway can; returns the options that wait for a restart, such as
   * `listen.port`. Throws ConfigError as {@link loadSecurity} does; nothing has changed then.
   */
  reload(wanted: Config): readonly string[] {
    const { contexts, derived, streams, archives, overload, clients, log, clock } = this.#parts;
    const { config, waiting } = withRestartOnly(this.#started, wanted);
    // All that can fail comes first.
    const security = loadSecurityWith(config, log, clock);
    clients.bounds = config.clients;
    const isOtherAccess = security.accessKey !== this.#security.accessKey;
    this.#security = security;
    if (security.tls) this.#server.setTls(security.tls);
    this.#config = config;
    log.level = config.log.level;
    contexts.limits = options.contextLimits(config);
    overload.limits = options.overloadLimits(config);
    streams.limits = options.streamLimits(config);
    this.#server.maxConnections = config.limits.connections;
    archives.reload(config.archives);
    this.#resolver = makeResolver(this.#config, this.#parts, this.#opening);
    contexts.sources = this.#resolver;
    const reloading = derived.reload(options.derivedOptions(config, log));
    reloading.catch((err: unknown) => log.error('cannot reload derived metrics', { err }));
    for (const feature of this.#features) feature.reload?.();
    if (this.#sampler) {
      this.#sampler.close();
      this.#sampler = makeSampler(this.#config, this.#parts);
    }
    const closed = contexts.withdraw();
    if (closed > 0) log.info('closed contexts whose host is no longer configured', { contexts: closed });
    this.#server.reload(this.#httpOptions());
    // Each request is authorized separately; streams would continue for clients that are no longer permitted.
    if (isOtherAccess) streams.interrupt();
    return waiting;
  }

  /**
   * Takes no new requests, finishes those in progress (for at most `limits.drainSec`), and closes everything. A source that does not
   * close (its disk does not answer) is left as it is.
   */
  async close(): Promise<void> {
    this.#draining = true;
    const { fleet, streams, timers, log } = this.#parts;
    fleet?.leave();
    this.#stopSweeping();
    this.#sampler?.close();
    // Streams would never be done by themselves.
    streams.close();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // A connection becomes idle once its answer is out; its client would keep it open for as long as it may.
    const stopClosing = repeat(CLOSE_IDLE_MS, timers, () => this.#server.closeIdleConnections());
    const stopDeadline = timers.after(this.#config.limits.drainSec * 1000, () => this.#connections.closeAll());
    await closed;
    stopClosing();
    stopDeadline();
    if (!(await endsWithin(CLOSE_SOURCES_MS, timers, this.#closeSources()))) {
      log.warn('a source did not close in time', { closeMs: CLOSE_SOURCES_MS });
    }
  }

  async #closeSources(): Promise<void> {
    const { contexts, archives } = this.#parts;
    for (const feature of this.#features.toReversed()) await feature.close?.();
    await contexts.close();
    await Promise.all([this.#collector.close(), this.#pools.close(), archives.close()]);
  }

  #sweep(): void {
    const { contexts, archives, log } = this.#parts;
    contexts.sweep();
    archives.sweep().catch((err: unknown) => log.warn('cannot close an archive', { err }));
  }

  /** What HTTP works with now; calls of other gateways, too. */
  #httpOptions(): AppOptions {
    const made = makeHttpOptions(this.#config, this.#security, this.#parts, this.#routes);
    this.#parts.fleet?.answerWith(handedAnswerer(made));
    return made;
  }

  async #readiness(): Promise<Readiness> {
    const { fleet } = this.#parts;
    if (this.#draining) return { ready: false, reason: 'the gateway is shutting down' };
    if (fleet?.isAlone && this.#config.cluster.whenAlone === 'refuse') {
      return { ready: false, reason: 'the gateway cannot reach the others of its fleet' };
    }
    try {
      const local = await this.#resolver.localSource();
      const ofFeatures = this.#features.flatMap((feature) => feature.problems?.() ?? []);
      return { ready: true, local, cluster: fleet?.status, problems: [...this.#resolver.problems, ...ofFeatures] };
    } catch (error) {
      return { ready: false, reason: `cannot reach the pmcd of this machine: ${(error as Error).message}` };
    }
  }
}

function loadSecurityWith(config: Config, log: Log, clock: Clock): Security {
  const security = loadSecurity(config, clock, (client) => log.warn('repeated failed logins', { client }));
  for (const sentence of security.warnings) log.warn(sentence);
  return security;
}

/** A new certificate is used at once, but a running gateway cannot change from HTTP to HTTPS or back. */
const CERTIFICATE: readonly string[] = ['listen.certificateFile', 'listen.keyFile'];

/** The effect of a new configuration on a running gateway. */
interface Reloaded {
  /** The configuration in force: the new one, with the old values of options that require a restart. */
  readonly config: Config;
  /** The changed options that require a restart, such as `listen.port`. */
  readonly waiting: readonly string[];
}

/** Keeps the options that a running gateway cannot change: those with `x-restart` in config/pmgate.schema.json. */
export function withRestartOnly(started: Config, wanted: Config): Reloaded {
  const isOfAnotherKind = (started.listen.certificateFile === null) !== (wanted.listen.certificateFile === null);
  const config: Record<string, Record<string, unknown>> = { ...wanted };
  const waiting: string[] = [];
  for (const option of [...restartOnlyOptions(), ...(isOfAnotherKind ? CERTIFICATE : [])]) {
    const [section, name] = option.split('.') as [keyof Config, string];
    const kept = (started[section] as Readonly<Record<string, unknown>>)[name];
    if (JSON.stringify(config[section]![name]) === JSON.stringify(kept)) continue;
    config[section] = { ...config[section], [name]: kept };
    waiting.push(option);
  }
  return { config: config as unknown as Config, waiting };
}
