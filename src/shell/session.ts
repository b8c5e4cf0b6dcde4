import type { PmgateClient } from '../client/index.js';
import type { ConfigProblem } from '../config/index.js';
import type { Colours } from './output/terminal-text.js';
import type { Terminal } from './terminal.js';

export const FORMATS = ['table', 'json', 'ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

export interface ConfigFault extends ConfigProblem {
  /** Source, line and option together, for people. */
  readonly place: string;
}

export interface ShellHost {
  readonly terminal: Terminal;
  readonly version: string;
  /** All problems of a configuration file (by default that of `serve`). */
  checkConfig(file: string | undefined): Promise<{ readonly file: string; readonly faults: readonly ConfigFault[] }>;
  /** The hash of a password for the access file, and a new token with its digest. */
  hashPassword(password: string): Promise<string>;
  makeToken(): Promise<{ readonly token: string; readonly sha256: string }>;
  /** Reads archives by path, without a gateway: a `fetch` for the client, and the archives' names there. */
  readArchives(paths: string): Promise<LocalArchives>;
  /** Serves a pmcd to this process only, without a gateway: a `fetch` for the client. */
  serveHost(hostspec: string): Promise<Pick<LocalArchives, 'fetch' | 'close'>>;
  /** The words that start this program. */
  readonly program: readonly string[];
  /** Whether an archive, or a directory, with this path exists. */
  hasArchive(path: string): boolean;
  readonly zone: string;
  pause(delayMs: number, signal: AbortSignal): Promise<void>;
  nowMs(): number;
}

export interface LocalArchives {
  readonly fetch: typeof globalThis.fetch;
  readonly archive: string;
  close(): Promise<void>;
}

export interface Session {
  readonly host: ShellHost;
  readonly terminal: Terminal;
  readonly url: string;
  readonly client: PmgateClient;
  /** The archives of --archive, by the client's names. */
  readonly archive: string | undefined;
  readonly zone: string;
  readonly format: Format;
  readonly colours: Colours;
  readonly errorColours: Colours;
  readonly signal: AbortSignal;
}

/** The command line is invalid in a way that only the command can detect. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
