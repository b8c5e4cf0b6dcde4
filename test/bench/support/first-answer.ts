import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../support/free-port.js';
import { environmentOfServers } from './server-process.js';

const LIMIT_MS = 30_000;
const FETCH = '/pmapi/fetch?names=kernel.all.load,mem.util.free,disk.dev.read&hostspec=embedded';

/** Milliseconds from starting a command to the first answer of the gateway that it starts. */
export async function firstAnswer(command: string, args: readonly string[], cwd?: string): Promise<number> {
  const port = await freePort();
  const startMs = performance.now();
  // A group of its own: npm's children end with it.
  const env = environmentOfServers();
  const child = spawn(command, [...args, '--port', String(port)], { stdio: 'ignore', detached: true, env, cwd });
  const exited = once(child, 'exit');
  try {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}${FETCH}`).catch(() => undefined);
      const tookMs = performance.now() - startMs;
      if (answer?.ok) return tookMs;
      if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`);
      if (tookMs > LIMIT_MS) throw new Error(`${command} does not answer: ${answer?.status ?? 'no connection'}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  } finally {
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGTERM');
    await exited;
  }
}
