/** The configuration as the gateway sees it: complete, validated and frozen. Described in config/pmgate.schema.json. */
export interface Config {
  readonly listen: {
    readonly host: string;
    readonly port: number;
    readonly names: readonly string[];
    readonly certificateFile: string | null;
    readonly keyFile: string | null;
    readonly strictTransportSec: number;
  };
  readonly access: {
    readonly file: string | null;
    readonly anonymousFrom: 'nowhere' | 'loopback' | 'anywhere';
    readonly anonymousRoles: readonly string[];
    readonly failedLogins: number;
  };
  readonly local: {
    readonly source: LocalSource;
    readonly collector: boolean;
    readonly processes: boolean;
    readonly snapshotMs: number;
    /** A path; `auto`: where PCP's configuration says. */
    readonly mmvDirectory: string | null;
  };
  readonly hosts: {
    readonly allow: readonly string[];
    readonly named: Readonly<Record<string, string>>;
    readonly allowSockets: boolean;
    readonly connections: number;
    readonly max: number;
    readonly requests: number;
    readonly connectTimeoutSec: number;
    readonly replyTimeoutSec: number;
  };
  readonly archives: {
    readonly roots: readonly string[];
    readonly max: number;
    readonly cacheBytes: number;
    readonly inflatedBytes: number;
    readonly idleSec: number;
    readonly rangeValues: number;
    readonly rangePoints: number;
    readonly tempDirectory: string | null;
  };
  readonly record: {
    readonly enabled: boolean;
    readonly host: string | null;
    /** Names of metrics and subtrees, by interval in seconds. */
    readonly groups: Readonly<Record<string, readonly string[]>>;
    readonly keepDays: number;
    readonly keepBytes: number;
    readonly volumeBytes: number;
  };
  readonly derived: {
    readonly shipped: boolean;
    readonly files: readonly string[];
    readonly stateFile: string | null;
    readonly allowMutation: boolean;
  };
  readonly store: { readonly enabled: boolean; readonly allowGet: boolean };
  readonly state: { readonly directory: string | null };
  readonly contexts: {
    readonly pollTimeoutSec: number;
    readonly maxPollTimeoutSec: number;
    readonly historyBytes: number;
    readonly historySec: number;
  };
  readonly streams: {
    readonly maxSubscribers: number;
    readonly historyBytes: number;
    readonly lingerSec: number;
    readonly minIntervalMsec: number;
    readonly heartbeatSec: number;
    readonly bufferBytes: number;
  };
  readonly cors: { readonly origins: readonly string[] };
  readonly limits: {
    readonly contexts: number;
    readonly names: number;
    readonly urlBytes: number;
    readonly bodyBytes: number;
    readonly batch: number;
    readonly batchBytes: number;
    readonly headersTimeoutSec: number;
    readonly requestTimeoutSec: number;
    readonly keepAliveTimeoutSec: number;
    readonly connections: number;
    readonly requests: number;
    readonly loopDelayMs: number;
    readonly ranges: number;
    readonly values: number;
    readonly memoryBytes: number;
    readonly unsentBytes: number;
    readonly writeTimeoutSec: number;
    readonly drainSec: number;
  };
  readonly clients: {
    readonly requestsPerSec: number;
    readonly requests: number;
    readonly contexts: number;
    readonly streams: number;
    readonly connections: number;
    readonly exempt: readonly string[];
  };
  readonly log: { readonly level: LogLevel; readonly requests: boolean };
}

/** The least severe messages that the log has. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** What local hostspecs reach. */
export type LocalSource = 'auto' | 'pmcd' | 'embedded';
