import type { PmgateClient } from '../client/index.js';
import type { ConfigProblem } from '../config/index.js';
import type { Colours } from './output/terminal-text.js';
import type { Terminal } from './terminal.js';

/** The output formats. */
export const FORMATS = ['table', 'json', 'ndjson', 'csv'] as const;
/** One of {@link FORMATS}. */
export type Format = (typeof FORMATS)[number];

/** One problem of a configuration. */
export interface ConfigFault extends ConfigProblem {
  /** Source, line and option together, for people. */
  readonly place: string;
}

/** What the sub-commands need from the program. */
export interface ShellHost {
  readonly terminal: Terminal;
  readonly version: string;
  /** All problems of a configuration file (by default the one that `serve` would use), as `serve` would report them. */
  checkConfig(file: string | undefined): Promise<{ readonly file: string; readonly faults: readonly ConfigFault[] }>;
  /** The hash of a password for the access file, and a new token with its digest. */
  hashPassword(password: string): Promise<string>;
  makeToken(): Promise<{ readonly token: string; readonly sha256: string }>;
  /** Reads archives by path, without a gateway: a `fetch` for the client, and the archives' names there. */
  readArchives(paths: string): Promise<LocalArchives>;
  /** Whether an archive, or a directory, with this path exists. */
  hasArchive(path: string): boolean;
  /** The name of the local time zone. */
  readonly zone: string;
  /** Waits; rejects with the signal's reason if it is aborted meanwhile. */
  pause(delayMs: number, signal: AbortSignal): Promise<void>;
  /** Milliseconds of a monotonic clock. */
  nowMs(): number;
}

/** Archives that are read without a gateway. */
export interface LocalArchives {
  readonly fetch: typeof globalThis.fetch;
  readonly archive: string;
  close(): Promise<void>;
}

/** The environment of one run of a sub-command. */
export interface Session {
  readonly host: ShellHost;
  readonly terminal: Terminal;
  /** The gateway's address, for messages. */
  readonly url: string;
  readonly client: PmgateClient;
  /** The archives of --archive, by the names that the client uses. */
  readonly archive: string | undefined;
  /** The time zone for reading and writing times. */
  readonly zone: string;
  readonly format: Format;
  /** For standard output. */
  readonly colours: Colours;
  /** For standard error. */
  readonly errorColours: Colours;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** The command line is invalid in a way that only the command can detect. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
