/** The configuration as the gateway sees it: complete, validated and frozen. Described in config/pmgate.schema.json. */
export interface Config {
  readonly listen: { readonly host: string; readonly port: number };
  readonly local: { readonly collector: boolean; readonly processes: boolean; readonly snapshotMs: number };
  readonly state: { readonly directory: string | null };
  readonly contexts: { readonly pollTimeoutSec: number; readonly maxPollTimeoutSec: number };
  readonly cors: { readonly origins: readonly string[] };
  readonly limits: {
    readonly contexts: number;
    readonly names: number;
    readonly urlBytes: number;
    readonly bodyBytes: number;
    readonly connections: number;
    readonly drainSec: number;
  };
  readonly log: { readonly level: LogLevel; readonly requests: boolean };
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
