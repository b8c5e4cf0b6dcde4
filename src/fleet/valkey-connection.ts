import { Redis, type RedisOptions } from 'iovalkey';
import { EngineError } from './engine.js';

/** Where the engine is, and how to log in. */
export interface ValkeyAddress {
  /** `valkey://`, `redis://`, or `valkeys://` and `rediss://` for TLS; without a password. Undefined if sentinels are given. */
  readonly url?: string | undefined;
  /** `host:port` of each Sentinel, and the name of the service that they watch. */
  readonly sentinels: readonly string[];
  readonly service: string;
  /** For the servers; a URL has its own user. */
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly sentinelUser?: string | undefined;
  readonly sentinelPassword?: string | undefined;
  /** Whether connections to Sentinels, and to the servers that they name, use TLS. */
  readonly isTls?: boolean;
  /** The CA of the servers and Sentinels, in PEM; those of the system if absent. */
  readonly ca?: string | undefined;
}

export type Command = readonly [string, ...(string | number)[]];

export interface ConnectionEvents {
  readonly onReady?: () => void;
  readonly onTrouble: (error: Error) => void;
  /** Makes it a connection for the messages of a channel, which can send nothing. */
  readonly subscription?: { readonly channel: string; readonly receive: (message: string) => void };
}

const CONNECT_MS = 1000;
/** How long a node may take to close a connection too: a frozen one never does, and there is no other connection before. */
const DISCONNECT_MS = 100;
const RECONNECT_MS = 100;
const SENTINEL_PORT = 26_379;

/** One connection to the primary, made again whenever it breaks. A command is sent at once or not at all, and never twice. */
export class ValkeyConnection {
  readonly #options: RedisOptions;
  readonly #events: ConnectionEvents;
  #client: Redis;
  #isClosed = false;

  constructor(address: ValkeyAddress, commandMs: number, events: ConnectionEvents) {
    this.#options = {
      ...addressOptions(address),
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
      commandTimeout: commandMs,
      connectTimeout: CONNECT_MS,
      disconnectTimeout: DISCONNECT_MS,
      retryStrategy: () => RECONNECT_MS,
    };
    this.#events = events;
    this.#client = this.#connect();
  }

  /** Sends commands in one piece. Throws EngineError unless each of them succeeded. */
  async send(commands: readonly Command[]): Promise<readonly unknown[]> {
    const results = await this.sendEach(commands);
    const failure = results.find((result) => result instanceof EngineError);
    if (failure) throw failure;
    return results;
  }

  /** Sends commands in one piece. Resolves with what each of them was answered, or why it failed. Throws EngineError if none was sent. */
  async sendEach(commands: readonly Command[]): Promise<readonly unknown[]> {
    if (this.#client.status !== 'ready') throw new EngineError('there is no connection to the engine', false);
    const client = this.#client;
    const pipeline = client.pipeline();
    for (const [name, ...parameters] of commands) pipeline.call(name, ...parameters);
    const results = (await pipeline.exec()) ?? [];
    return results.map(([error, result]) => (error === null ? result : this.#failed(client, error)));
  }

  close(): void {
    this.#isClosed = true;
    this.#client.disconnect();
  }

  #connect(): Redis {
    const client = new Redis(this.#options);
    const { onReady, onTrouble, subscription } = this.#events;
    client.on('error', onTrouble);
    client.on('ready', () => {
      onReady?.();
      // Messages may get lost: what fails here is tried again with the next connection.
      if (subscription) client.subscribe(subscription.channel).catch(onTrouble);
    });
    if (subscription) client.on('message', (_, message: string) => subscription.receive(message));
    // It does not come back from this state by itself.
    client.on('end', () => {
      if (!this.#isClosed) this.#client = this.#connect();
    });
    return client;
  }

  #failed(client: Redis, cause: Error): EngineError {
    const isAnswer = cause.name === 'ReplyError';
    // A frozen node closes nothing, and one that became a replica keeps its connections.
    const isUseless = !isAnswer || /^(?:READONLY|LOADING|MASTERDOWN|UNBLOCKED)/.test(cause.message);
    if (isUseless && client.status === 'ready') client.disconnect(true);
    const isFull = cause.message.startsWith('OOM');
    return new EngineError(`the engine failed: ${cause.message}`, !isAnswer, { cause, isFull });
  }
}

function addressOptions(address: ValkeyAddress): RedisOptions {
  const { url, sentinels, service, user, password, sentinelUser, sentinelPassword, isTls = false, ca } = address;
  const tls = ca === undefined ? {} : { ca };
  const login = { ...(user !== undefined && { username: user }), ...(password !== undefined && { password }) };
  if (url === undefined) {
    return {
      sentinels: sentinels.map(sentinelOf),
      name: service,
      failoverDetector: true,
      sentinelCommandTimeout: CONNECT_MS,
      sentinelRetryStrategy: () => RECONNECT_MS,
      ...(sentinelUser !== undefined && { sentinelUsername: sentinelUser }),
      ...(sentinelPassword !== undefined && { sentinelPassword }),
      ...(isTls && { sentinelTLS: tls, tls, enableTLSForSentinelMode: true }),
      ...login,
    };
  }
  const { protocol, hostname, port, username, pathname } = new URL(url);
  const db = Number(pathname.slice(1));
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    ...(port !== '' && { port: Number(port) }),
    ...login,
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(Number.isInteger(db) && { db }),
    ...(isTls || /^(?:valkeys|rediss):$/.test(protocol) ? { tls } : {}),
  };
}

function sentinelOf(address: string): { host: string; port: number } {
  const { hostname, port } = new URL(`tcp://${address}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? SENTINEL_PORT : Number(port) };
}
