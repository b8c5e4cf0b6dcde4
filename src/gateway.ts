import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Config } from './config/index.js';
import { ContextManager } from './context/index.js';
import type { ContextLimits } from './context/index.js';
import { GatewayCounters } from './gateway-counters.js';
import { GATEWAY_AGENT, gatewayCluster } from './gateway-metrics.js';
import { createApp, createHttpServer } from './http/index.js';
import type { GatewayServer, HttpObserver, HttpOptions, Readiness } from './http/index.js';
import type { Log } from './log.js';
import { systemClock } from './pmapi/index.js';
import type { Clock } from './pmapi/index.js';
import { SourceOpener } from './source-opener.js';
import type { MetricSource, SourceFactory, SourceSpec } from './sources/index.js';
import { LinuxCollector } from './sources/linux/index.js';
import { VERSION } from './version.js';

/** How often contexts are swept for expired ones. */
const SWEEP_MS = 1000;
/** How often a closing server looks for connections that have become idle. */
const CLOSE_IDLE_MS = 20;

export interface GatewayOptions {
  readonly config: Config;
  readonly log: Log;
  readonly clock?: Clock;
}

/** The whole gateway: made from a configuration, listening until it is closed. */
export class Gateway {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #counters = new GatewayCounters();
  readonly #contexts: ContextManager;
  readonly #collector: LinuxCollector;
  readonly #server: GatewayServer;
  readonly #sweeper: NodeJS.Timeout;
  #config: Config;
  #connections = 0;
  #draining = false;

  constructor(options: GatewayOptions) {
    const { config, log, clock = systemClock } = options;
    this.#config = config;
    this.#log = log;
    this.#clock = clock;
    const opener = new LateSourceFactory();
    this.#contexts = new ContextManager({
      sources: opener,
      clock,
      limits: contextLimits(config),
      observer: this.#counters,
      onCloseError: (err, context) => log.warn('a source would not close', { err, context: context.id }),
    });
    this.#collector = this.#makeCollector();
    opener.factory = new SourceOpener(this.#collector);
    for (const sentence of this.#collector.missing()) log.warn(sentence);

    this.#server = createHttpServer(this.#httpOptions());
    this.#server.maxConnections = config.limits.connections;
    this.#server.on('connection', (socket) => {
      this.#connections++;
      socket.once('close', () => this.#connections--);
    });
    this.#sweeper = setInterval(() => this.#contexts.sweep(), SWEEP_MS).unref();
  }

  /** Begin to listen; answers the address, with the port that port 0 became. Throws what listen(2) says. */
  listen(): Promise<AddressInfo> {
    const { host, port } = this.#config.listen;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        this.#server.on('error', (err) => this.#log.error('server error', { err }));
        resolve(this.#server.address() as AddressInfo);
      });
    });
  }

  /**
   * Put another configuration in force, as far as a running gateway can. Answers the options that changed but wait for a
   * restart.
   */
  reload(config: Config): readonly string[] {
    const before = this.#config;
    this.#config = config;
    this.#log.level = config.log.level;
    this.#contexts.limits = contextLimits(config);
    this.#server.maxConnections = config.limits.connections;
    this.#server.replaceApp(createApp(this.#httpOptions()));
    return (['listen', 'local', 'state'] as const).filter(
      (section) => JSON.stringify(before[section]) !== JSON.stringify(config[section]),
    );
  }

  /** Take no new requests, finish those under way (for at most `limits.drainSec`), and let go of everything. */
  async close(): Promise<void> {
    this.#draining = true;
    clearInterval(this.#sweeper);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // A connection becomes idle once its answer is out; its client would keep it open for as long as it may.
    const idle = setInterval(() => this.#server.closeIdleConnections(), CLOSE_IDLE_MS);
    const deadline = setTimeout(() => this.#server.closeAllConnections(), this.#config.limits.drainSec * 1000);
    await closed;
    clearInterval(idle);
    clearTimeout(deadline);
    await this.#contexts.close();
    await this.#collector.close();
  }

  #makeCollector(): LinuxCollector {
    const { local, state } = this.#config;
    const [domain, agent] = GATEWAY_AGENT;
    return new LinuxCollector({
      clock: this.#clock,
      stateDir: state.directory ?? defaultStateDirectory(),
      snapshotMs: local.snapshotMs,
      log: (message, cause) => this.#log.warn(message, { err: cause }),
      ...(local.collector ? {} : { clusters: [] }),
      extra: [
        gatewayCluster({
          counters: this.#counters,
          contexts: this.#contexts,
          version: VERSION,
          connections: () => this.#connections,
        }),
      ],
      extraAgents: new Map([[domain, agent]]),
    });
  }

  #httpOptions(): HttpOptions {
    const { limits, cors, log } = this.#config;
    return {
      contexts: this.#contexts,
      limits: { urlBytes: limits.urlBytes, bodyBytes: limits.bodyBytes, names: limits.names },
      cors: { origins: cors.origins },
      version: VERSION,
      observer: this.#observer(log.requests),
      readiness: () => this.#readiness(),
    };
  }

  #observer(logRequests: boolean): HttpObserver {
    return {
      answered: (record) => {
        this.#counters.answered(record.route, record.status, record.durationMs);
        if (logRequests) this.#log.info('request', { ...record });
      },
      defect: ({ error, ...where }) =>
        this.#log.error('a request met a defect of the gateway', { err: error, ...where }),
    };
  }

  #readiness(): Readiness {
    return this.#draining ? { ready: false, reason: 'the gateway is shutting down' } : { ready: true };
  }
}

/** Lets the context manager and the collector, whose extra metrics are about contexts, know one another. */
class LateSourceFactory implements SourceFactory {
  factory: SourceFactory | undefined;

  open(spec: SourceSpec): Promise<MetricSource> {
    if (!this.factory) throw new Error('no source can be opened before the gateway is made');
    return this.factory.open(spec);
  }
}

function contextLimits(config: Config): ContextLimits {
  return {
    contexts: config.limits.contexts,
    pollTimeoutMs: config.contexts.pollTimeoutSec * 1000,
    maxPollTimeoutMs: config.contexts.maxPollTimeoutSec * 1000,
  };
}

/** Where state lives when the configuration does not say: @see file-hierarchy(7) and the XDG base directories. */
function defaultStateDirectory(): string {
  if (process.getuid?.() === 0) return '/var/lib/pmgate';
  return path.join(process.env.XDG_STATE_HOME ?? path.join(os.homedir(), '.local/state'), 'pmgate');
}
