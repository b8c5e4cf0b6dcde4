import { existsSync } from 'node:fs';
import { serveArchives, serveHost } from '../../src/cli/in-process-gateway.js';
import { OutputClosedError } from '../../src/shell/terminal.js';
import { runShell } from '../../src/shell/index.js';
import type { ConfigFault, ExitCode, Output, ShellHost, Terminal } from '../../src/shell/index.js';

/** What a run of a sub-command left behind. */
export interface ShellRun {
  readonly code: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds of each wait. */
  readonly waits: readonly number[];
}

/** How the process of a run looks. */
export interface ShellOptions {
  readonly url?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Size of the terminal that standard output is; absent: it is none. */
  readonly screen?: { readonly columns: number; readonly rows: number };
  /** Hears of each write to standard output, and may close it or send Ctrl-C. */
  readonly onWrite?: (text: string, actions: { close(): void; interrupt(): void }) => void;
  /** Whether standard input is a terminal. */
  readonly isAsked?: boolean;
  /** The local time zone; UTC when absent. */
  readonly zone?: string;
  readonly faults?: readonly ConfigFault[];
}

/** Run a sub-command in this process, without a clock or a terminal. */
export async function shell(words: readonly string[], options: ShellOptions = {}): Promise<ShellRun> {
  let [stdout, stderr, isClosed] = ['', '', false];
  const waits: number[] = [];
  const listeners = new Set<() => void>();
  const actions = {
    close: () => void (isClosed = true),
    interrupt: () => {
      for (const listener of listeners) listener();
    },
  };
  const output = (write: (text: string) => void, screen: ShellOptions['screen']): Output => ({
    write: async (text) => {
      if (isClosed) throw new OutputClosedError();
      write(typeof text === 'string' ? text : Buffer.from(text).toString('latin1'));
      await Promise.resolve();
    },
    isTerminal: screen !== undefined,
    columns: screen?.columns,
    rows: screen?.rows,
  });
  const secrets = (options.input ?? '').split('\n');
  const terminal: Terminal = {
    stdout: output((text) => {
      stdout += text;
      options.onWrite?.(text, actions);
    }, options.screen),
    stderr: output((text) => (stderr += text), undefined),
    environment: { ...(options.url === undefined ? {} : { PMGATE_URL: options.url }), ...options.environment },
    isAsked: options.isAsked === true,
    readInput: () => Promise.resolve(options.input ?? ''),
    readLines: () => linesOf(options.input ?? ''),
    readSecret: () => Promise.resolve(secrets.shift() ?? ''),
    onInterrupt: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const host: ShellHost = {
    terminal,
    version: '1.2.3',
    hashPassword: (password) => Promise.resolve(`hash of ${password}`),
    makeToken: () => Promise.resolve({ token: 't0ken', sha256: 'd1gest' }),
    checkConfig: (file) => Promise.resolve({ file: file ?? 'shipped.yaml', faults: options.faults ?? [] }),
    pause: (delayMs) => {
      waits.push(delayMs);
      return Promise.resolve();
    },
    nowMs: () => 0,
    zone: options.zone ?? 'UTC',
    readArchives: serveArchives,
    serveHost,
    program: [process.execPath],
    hasArchive: (path) => existsSync(`${path}.meta`),
  };
  const code = await runShell(words, host);
  return { code, stdout, stderr, waits };
}

async function* linesOf(text: string): AsyncIterable<string> {
  for (const line of text.split('\n')) yield await Promise.resolve(line);
}
