import { GatewayError, type MetricDescriptor } from '../../pmapi/index.js';
import { CONNECTION_DEFAULTS, PmcdConnection, type ConnectionOptionsOfPmcd } from './connection.js';
import { closing, ConnectionLostError } from './connection-errors.js';
import type { Identity } from './handshake.js';
import { formatHostspec, type Hostspec } from './hostspec.js';

export interface PoolOptions extends ConnectionOptionsOfPmcd {
  /** The first is for fetches, the others for metadata: pmcd answers in order within a connection, and a whole PMNS is long. */
  readonly connections: number;
  /** The maximum back-off after the first, second, … consecutive failure; the last entry repeats. */
  readonly backoffMs: readonly number[];
  /** 0 to 1, for spreading attempts. */
  readonly random: () => number;
}

/** Two connections, and a back-off that starts well below libpcp's five seconds and ends at half a minute. */
export const POOL_DEFAULTS: PoolOptions = {
  ...CONNECTION_DEFAULTS,
  connections: 2,
  backoffMs: [500, 1_000, 2_000, 5_000, 10_000, 30_000],
  random: Math.random,
};

/** The bits of a state-change notice after which names may have other PMIDs: an agent was added or restarted, or names changed. */
const NEW_NUMBERS = 1 | 2 | 16;

/** Shared by all contexts on a pmcd with one identity; opened at first use and after a loss. In back-off, requests fail at once. */
export class ConnectionPool {
  readonly spec: Hostspec;
  readonly #identity: Identity | undefined;
  readonly #options: PoolOptions;
  readonly #lanes: readonly Lane[];
  #generation = 1;
  #numbering = 1;
  #reconnects = 0;
  #failures = 0;
  #downUntilMs = -Infinity;
  #downBecause: Error | undefined;
  #closed: Error | undefined;
  readonly #abort = new AbortController();

  /** Descriptors by PMID: decoding a fetch needs their types. Cleared whenever the generation changes. */
  readonly descriptors = new Map<number, MetricDescriptor>();

  constructor(spec: Hostspec, identity: Identity | undefined, options: PoolOptions) {
    this.spec = spec;
    this.#identity = identity;
    this.#options = options;
    this.#lanes = Array.from({ length: Math.max(1, options.connections) }, (_, i) => new Lane(() => this.#connect(i)));
  }

  /** Changes when pmcd reports a change, and when a connection was reopened. */
  get generation(): number {
    return this.#generation;
  }

  /** Changes when pmcd may have given metrics other numbers. */
  get numbering(): number {
    return this.#numbering;
  }

  /** How often the connection for fetches was lost and reopened. */
  get reconnects(): number {
    return this.#reconnects;
  }

  get openConnections(): number {
    return this.#lanes.filter((lane) => lane.open).length;
  }

  get isBackedOff(): boolean {
    return this.#options.timers.nowMs() < this.#downUntilMs;
  }

  /** Uses the connection for fetches. If it is lost, the request is retried once on the next one. */
  fetching<T>(run: (connection: PmcdConnection) => Promise<T>): Promise<T> {
    return this.#use(() => this.#lanes[0]!, run, true);
  }

  /** Uses the least busy connection for metadata, retrying once after a loss. */
  asking<T>(run: (connection: PmcdConnection) => Promise<T>): Promise<T> {
    return this.#use(() => this.#metadataLane(), run, true);
  }

  /** Uses a connection for something that must not happen twice. */
  changing<T>(run: (connection: PmcdConnection) => Promise<T>): Promise<T> {
    return this.#use(() => this.#metadataLane(), run, false);
  }

  rest(): Promise<void> {
    return this.#options.rest();
  }

  async reconnect(): Promise<void> {
    this.#downUntilMs = -Infinity;
    await this.#lanes[0]!.acquire();
  }

  async close(): Promise<void> {
    this.#closed ??= closing(formatHostspec(this.spec));
    this.#abort.abort(this.#closed);
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  destroy(reason: Error): void {
    this.#closed ??= reason;
    this.#abort.abort(reason);
    for (const lane of this.#lanes) lane.connection?.destroy(reason);
  }

  #metadataLane(): Lane {
    const [first, ...others] = this.#lanes;
    return others.reduce((least, lane) => (lane.pending < least.pending ? lane : least), others[0] ?? first!);
  }

  async #use<T>(lane: () => Lane, run: (connection: PmcdConnection) => Promise<T>, again: boolean): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const chosen = lane();
      const connection = chosen.open ?? (await chosen.acquire().catch((error: unknown) => this.#other(error)));
      try {
        return await run(connection);
      } catch (error) {
        if (!again || attempt > 1 || !(error instanceof ConnectionLostError) || this.#closed) throw error;
      } finally {
        // A handshake alone proves nothing: the failures of a pmcd are reset only when it answers requests.
        if (connection.isOpen && connection.replies > 0) this.#failures = 0;
      }
    }
  }

  /** A pmcd that rejects further connections (pmcd.conf may limit them) is used over the existing one. */
  #other(error: unknown): PmcdConnection {
    const { open } = this.#lanes[0]!;
    const isRefused = error instanceof GatewayError && error.code === 'SOURCE_UNREACHABLE';
    if (open && isRefused && !this.#closed) return open;
    throw error;
  }

  async #connect(index: number): Promise<PmcdConnection> {
    if (this.#closed) throw this.#closed;
    if (this.#downBecause && this.isBackedOff) throw this.#downBecause;
    const lane = this.#lanes[index]!;
    let connection: PmcdConnection;
    try {
      connection = await PmcdConnection.connect(
        this.spec,
        this.#identity,
        this.#options,
        (bits) => this.#moveGeneration((bits & NEW_NUMBERS) !== 0),
        this.#abort.signal,
      );
    } catch (error) {
      this.#noteFailure(error as Error);
      throw error;
    }
    // Closed while the connection was being made: no one else would close it.
    if (this.#abort.signal.aborted) connection.destroy(this.#abort.signal.reason as Error);
    connection.onClosed((reason, unanswered) => this.#noteLoss(connection, reason, unanswered));
    if (lane.connection) {
      this.#moveGeneration(true);
      if (index === 0) this.#reconnects++;
    }
    return connection;
  }

  #noteLoss(connection: PmcdConnection, reason: Error, unanswered: number): void {
    // A connection that worked and was closed is reopened immediately; one that never answered is not.
    const wasLost = reason instanceof ConnectionLostError;
    if (!wasLost || (unanswered > 0 && connection.replies === 0)) this.#noteFailure(reason);
  }

  #noteFailure(error: Error): void {
    const { backoffMs, timers, random } = this.#options;
    const mostMs = backoffMs[Math.min(this.#failures, backoffMs.length - 1)] ?? 0;
    // Hosts that failed together are not all retried at the same moment, nor one host by all gateways.
    const delayMs = mostMs * (0.75 + 0.25 * random());
    this.#failures++;
    this.#downUntilMs = timers.nowMs() + delayMs;
    this.#downBecause = error;
  }

  #moveGeneration(isRenumbered: boolean): void {
    this.#generation++;
    if (isRenumbered) this.#numbering++;
    this.descriptors.clear();
  }
}

/** The slot of a connection in a pool: an open connection, or one being opened. */
class Lane {
  connection: PmcdConnection | undefined;
  #connecting: Promise<PmcdConnection> | undefined;
  readonly #connect: () => Promise<PmcdConnection>;

  constructor(connect: () => Promise<PmcdConnection>) {
    this.#connect = connect;
  }

  get open(): PmcdConnection | undefined {
    return this.connection?.isOpen ? this.connection : undefined;
  }

  get pending(): number {
    return this.open?.pending ?? 0;
  }

  async close(): Promise<void> {
    await this.connection?.close();
  }

  acquire(): Promise<PmcdConnection> {
    if (this.open) return Promise.resolve(this.open);
    this.#connecting ??= this.#connect()
      .then((connection) => (this.connection = connection))
      .finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }
}
