import { spawn } from 'node:child_process';
import { bundledProgram } from '../../support/bundled-program.js';
import { PATIENT } from '../../support/patience.js';
import { ask } from '../../support/plain-request.js';

/** The gateway as a process of its own. */
export interface Program {
  readonly port: number;
  readonly pid: number;
  stderr(): string;
  logged(text: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<number | null>;
}

/** How to start it. */
export interface ProgramOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly config?: string;
  /** Where its standard error goes, as the shell writes it: `2>/dev/full`. Its port is then found by asking. */
  readonly redirect?: string;
  readonly port?: number;
}

const PATIENCE_MS = 50;

/** Start the gateway from its sources, and wait until it answers. */
export async function startProgram(options: ProgramOptions = {}): Promise<Program> {
  const { environment = {}, config, redirect = '', port } = options;
  const command = `exec "$0" ${bundledProgram()} --port ${port ?? 0} ${
    config === undefined ? '' : `--config ${config}`
  } ${redirect}`;
  const child = spawn('bash', ['-c', command, process.execPath], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PMGATE_LOCAL_SOURCE: 'embedded', ...PATIENT, ...environment },
  });
  let text = '';
  const watchers = new Set<() => void>();
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    for (const look of [...watchers]) look();
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const logged = (wanted: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!text.includes(wanted)) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
      void exited.then((code) => reject(new Error(`it ended with ${code}: ${text}`)));
    });
  let listening = port;
  if (listening === undefined) {
    await logged('listens on ');
    listening = Number(/listens on https?:\/\/127\.0\.0\.1:(\d+)/.exec(text)![1]);
  } else {
    // Its log cannot be read: ask until it answers.
    while ((await ask(listening, '/healthz').catch(() => undefined))?.status !== 200) {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
    }
  }
  return {
    port: listening,
    pid: child.pid!,
    stderr: () => text,
    logged,
    signal: (name) => void child.kill(name),
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
