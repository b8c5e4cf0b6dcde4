import type { PmgateClient } from '../client/index.js';
import type { ConfigProblem } from '../config/index.js';
import type { Colours } from './output/colours.js';
import type { Terminal } from './terminal.js';

/** The forms of output. */
export const FORMATS = ['table', 'json', 'ndjson', 'csv'] as const;
/** One of {@link FORMATS}. */
export type Format = (typeof FORMATS)[number];

/** One thing wrong with a configuration. */
export interface ConfigFault extends ConfigProblem {
  /** Source, line and option in one, for people. */
  readonly place: string;
}

/** What the sub-commands need of the program they are in. */
export interface ShellHost {
  readonly terminal: Terminal;
  readonly version: string;
  /** Everything wrong with a configuration file (the one that serving would take, without a name), as serving would see it. */
  checkConfig(file: string | undefined): Promise<{ readonly file: string; readonly faults: readonly ConfigFault[] }>;
  /** The hash of a password for the access file, and a fresh token with its digest. */
  hashPassword(password: string): Promise<string>;
  makeToken(): Promise<{ readonly token: string; readonly sha256: string }>;
  /** Read archives by their paths, without a gateway: what asks them, as a client's `fetch`, and what they are called there. */
  readArchives(paths: string): Promise<LocalArchives>;
  /** Whether there is an archive, or a directory, of this path. */
  hasArchive(path: string): boolean;
  /** The name of the time zone that people here live in. */
  readonly zone: string;
  /** Wait; rejects with the signal's reason when it is aborted meanwhile. */
  pause(delayMs: number, signal: AbortSignal): Promise<void>;
  /** Milliseconds of a clock that never goes back. */
  nowMs(): number;
}

/** Archives that are read without a gateway. */
export interface LocalArchives {
  readonly fetch: typeof globalThis.fetch;
  readonly archive: string;
  close(): Promise<void>;
}

/** What one run of a sub-command works with. */
export interface Session {
  readonly host: ShellHost;
  readonly terminal: Terminal;
  /** The gateway's address, for messages. */
  readonly url: string;
  readonly client: PmgateClient;
  /** What --archive names, as the client knows it. */
  readonly archive: string | undefined;
  /** The time zone that times are read and written in. */
  readonly zone: string;
  readonly format: Format;
  /** For standard output. */
  readonly colours: Colours;
  /** For standard error. */
  readonly errorColours: Colours;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** The command line is wrong in a way that only its command can tell. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
