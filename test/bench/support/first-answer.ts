import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../support/free-port.js';
import { cpuUs } from './proc.js';
import { environmentOfServers } from './server-process.js';

const LIMIT_MS = 30_000;
const FETCH = '/pmapi/fetch?names=kernel.all.load,mem.util.free,disk.dev.read&hostspec=embedded';
const EXTRA_MS = 2500;

export interface FirstAnswer {
  readonly ms: number;
  /** CPU time of the process until then, with all its threads; without its children. */
  readonly cpuMs: number;
}

export interface FirstAnswerOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it serves for long enough to keep what was compiled. */
  readonly isKept?: boolean;
}

/** How soon a command, which gets `--port PORT` as its last words, answers. */
export async function firstAnswer(
  command: string,
  args: readonly string[],
  { cwd, env = {}, isKept = false }: FirstAnswerOptions = {},
): Promise<FirstAnswer> {
  const port = await freePort();
  const startMs = performance.now();
  // A group of its own: npm's children end with it.
  const child = spawn(command, [...args, '--port', String(port)], {
    stdio: 'ignore',
    detached: true,
    env: { ...environmentOfServers(), ...env },
    cwd,
  });
  const exited = once(child, 'exit');
  try {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}${FETCH}`).catch(() => undefined);
      const ms = performance.now() - startMs;
      if (answer?.ok) {
        const cpuMs = cpuUs(child.pid!) / 1000;
        if (isKept) await new Promise((resolve) => setTimeout(resolve, EXTRA_MS));
        return { ms, cpuMs };
      }
      if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`);
      if (ms > LIMIT_MS) throw new Error(`${command} does not answer: ${answer?.status ?? 'no connection'}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  } finally {
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGTERM');
    await exited;
  }
}
