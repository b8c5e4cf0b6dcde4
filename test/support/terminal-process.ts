import { type ChildProcess, spawn } from 'node:child_process';

/** What a terminal sends for Ctrl-C. */
const CTRL_C = '\x03';

/** How a command ended: its exit code, and all that the terminal showed. */
export interface TerminalExit {
  readonly code: number | null;
  readonly shown: string;
}

/**
 * A shell command whose standard input, output and error are one pseudo-terminal, made by script(1) of util-linux. After Ctrl-C its exit code is
 * that of the shell, unless the command begins with `exec`.
 */
export class TerminalProcess {
  /** When the command has ended. */
  readonly exited: Promise<TerminalExit>;
  readonly #child: ChildProcess;
  #shown = '';
  #hasExited = false;
  readonly #watchers = new Set<() => void>();

  constructor(
    command: string,
    options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
  ) {
    const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
    });
    this.#child = child;
    child.stdout.on('data', (chunk: Buffer) => {
      this.#shown += chunk.toString();
      this.#look();
    });
    this.exited = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        this.#hasExited = true;
        this.#look();
        resolve({ code, shown: this.#shown });
      });
    });
  }

  get shown(): string {
    return this.#shown;
  }

  /** Wait until the terminal has shown something; an error when the command ends before. */
  async untilShown(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(this.#shown);
        if (!match && !this.#hasExited) return;
        this.#watchers.delete(look);
        if (match) resolve(match);
        else reject(new Error(`the command ended without showing ${pattern}:\n${this.#shown}`));
      };
      this.#watchers.add(look);
      look();
    });
  }

  interrupt(): void {
    this.#child.stdin!.write(CTRL_C);
  }

  /** Type Ctrl-C if the command still runs, and wait until it has ended: also after a test that failed on its way. */
  async end(): Promise<TerminalExit> {
    if (!this.#hasExited) this.interrupt();
    return this.exited;
  }

  #look(): void {
    for (const look of this.#watchers) look();
  }
}

/** What no user should be shown: warnings of Node or npm, and stacks. */
export const ALARMING = /warn(ing)?\b|\bERR_[A-Z_]+|^\s+at .*:\d+:\d+\)?\s*$/im;
