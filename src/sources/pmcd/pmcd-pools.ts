import { createHash } from 'node:crypto';
import { GatewayError } from '../../pmapi/index.js';
import { namedError } from './connection-errors.js';
import { ConnectionPool, POOL_DEFAULTS, type PoolOptions } from './connection-pool.js';
import type { ResolveHost } from './dial.js';
import { FetchBatcher } from './fetch-batcher.js';
import type { Identity } from './handshake.js';
import { parseHostspec, type Hostspec } from './hostspec.js';
import { PmcdSource } from './pmcd-source.js';

export interface PmcdPoolsOptions extends PoolOptions {
  /** How long connections stay after the last context on them is closed. */
  readonly lingerMs: number;
  /** Hosts known at once; for another one the least recently used is evicted, or it is rejected (UNAVAILABLE). */
  readonly maxHosts: number;
}

export const PMCD_POOLS_DEFAULTS: PmcdPoolsOptions = { ...POOL_DEFAULTS, lingerMs: 30_000, maxHosts: 1000 };

interface Host {
  readonly pool: ConnectionPool;
  readonly batcher: FetchBatcher;
  users: number;
  unusedSinceMs: number;
}

/** Sources on one hostspec with one identity share connections; an unreachable host is remembered during its back-off. */
export class PmcdPools {
  readonly #options: PmcdPoolsOptions;
  readonly #hosts = new Map<string, Host>();
  #stopSweep: (() => void) | undefined;
  #closed = false;

  constructor(options: Partial<PmcdPoolsOptions> = {}) {
    this.#options = { ...PMCD_POOLS_DEFAULTS, ...options };
  }

  /**
   * A source for one context. Throws a SourceTextError (BAD_PARAMETER) for an invalid hostspec, and a GatewayError if pmcd is
   * unavailable: SOURCE_UNREACHABLE, SOURCE_TIMEOUT, SOURCE_FAILED, AUTHENTICATION_REQUIRED.
   * @param identity credentials for pmcd; those in the hostspec are the default
   * @param resolve the allowed addresses; a host keeps the resolver that it was first opened with
   * @param name the client's name of the host: errors contain it, and no address
   */
  async open(
    hostspec: string | Hostspec,
    identity?: Identity,
    resolve: ResolveHost = this.#options.resolve,
    name?: string,
  ): Promise<PmcdSource> {
    if (this.#closed) throw new GatewayError('UNAVAILABLE', 'the gateway is closing its connections to pmcd');
    const spec = typeof hostspec === 'string' ? parseHostspec(hostspec) : hostspec;
    const key = poolKey(spec, identity);
    let host = this.#hosts.get(key);
    if (!host) {
      const { maxHosts } = this.#options;
      if (this.#hosts.size >= maxHosts && !this.#dropUnused()) {
        throw new GatewayError('UNAVAILABLE', `too many live hosts in use (hosts.max is ${maxHosts})`);
      }
      const pool = new ConnectionPool(spec, identity, { ...this.#options, resolve });
      host = { pool, batcher: new FetchBatcher(pool), users: 0, unusedSinceMs: 0 };
      this.#hosts.set(key, host);
    }
    const { pool, batcher } = host;
    host.users++;
    try {
      await pool.fetching(() => Promise.resolve());
    } catch (error) {
      this.#release(key, host);
      if (error instanceof GatewayError && error.code === 'AUTHENTICATION_REQUIRED') this.#drop(key, host);
      throw name === undefined ? error : namedError(error, name);
    }
    const held = host;
    return new PmcdSource({ pool, batcher, name, release: () => this.#release(key, held) });
  }

  /** Those without connections included. */
  get hosts(): number {
    return this.#hosts.size;
  }

  get openConnections(): number {
    let count = 0;
    for (const { pool } of this.#hosts.values()) count += pool.openConnections;
    return count;
  }

  async close(): Promise<void> {
    const hosts = this.#takeAll();
    await Promise.all(hosts.map(({ pool }) => pool.close()));
  }

  /** Closes every connection at once; what is in progress fails with `reason`. */
  destroy(reason: Error): void {
    for (const { pool } of this.#takeAll()) pool.destroy(reason);
  }

  #takeAll(): Host[] {
    this.#closed = true;
    this.#stopSweep?.();
    const hosts = [...this.#hosts.values()];
    this.#hosts.clear();
    return hosts;
  }

  #release(key: string, host: Host): void {
    host.users--;
    host.unusedSinceMs = this.#options.timers.nowMs();
    if (host.users === 0 && this.#hosts.get(key) === host) this.#scheduleSweep();
  }

  /** One timer for all hosts, only while some are unused. */
  #scheduleSweep(): void {
    if (this.#closed) return;
    this.#stopSweep ??= this.#options.timers.after(this.#options.lingerMs, () => {
      this.#stopSweep = undefined;
      this.#sweep();
    });
  }

  #sweep(): void {
    const { timers, lingerMs } = this.#options;
    const nowMs = timers.nowMs();
    let waiting = false;
    for (const [key, host] of this.#hosts) {
      if (host.users > 0) continue;
      if (nowMs - host.unusedSinceMs >= lingerMs && !host.pool.isBackedOff) this.#drop(key, host);
      else waiting = true;
    }
    if (waiting) this.#scheduleSweep();
  }

  /** Evicts the least recently used host, even while it lingers: false if all are in use. */
  #dropUnused(): boolean {
    let oldest: [key: string, host: Host] | undefined;
    for (const entry of this.#hosts) {
      const [, { users, unusedSinceMs }] = entry;
      if (users === 0 && !(oldest && oldest[1].unusedSinceMs <= unusedSinceMs)) oldest = entry;
    }
    if (oldest) this.#drop(...oldest);
    return oldest !== undefined;
  }

  #drop(key: string, host: Host): void {
    if (host.users > 0) return;
    this.#hosts.delete(key);
    void host.pool.close();
  }
}

/** Equal for hostspecs and identities that may share connections. Hashed: credentials must not be map keys. */
function poolKey(spec: Hostspec, identity: Identity | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify([spec, identity ?? null]))
    .digest('base64');
}
