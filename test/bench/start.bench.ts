/** How soon after its process starts the gateway answers its first fetch. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../support/free-port.js';
import { BUDGETS } from './budgets.js';
import { heading, IS_QUICK, median, report } from './support/report.js';
import { environmentOfServers } from './support/server-process.js';

const ROUNDS = IS_QUICK ? 1 : 7;
const LIMIT_MS = 30_000;
const FETCH = '/pmapi/fetch?names=kernel.all.load,mem.util.free,disk.dev.read&hostspec=embedded';

/** Milliseconds from starting a command to the first answer of the gateway that it starts. */
async function firstAnswer(command: string, args: readonly string[]): Promise<number> {
  const port = await freePort();
  const startMs = performance.now();
  // A group of its own: npm's children end with it.
  const env = environmentOfServers();
  const child = spawn(command, [...args, '--port', String(port)], { stdio: 'ignore', detached: true, env });
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

heading('from the start of the process to the first answer');
const node: number[] = [];
const npm: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  node.push(await firstAnswer(process.execPath, ['dist/pmgate.js']));
  npm.push(await firstAnswer('npm', ['start', '--']));
}
report({ name: 'node dist/pmgate.js', value: median(node), unit: 'millisec', budget: BUDGETS.start.limit });
report({ name: 'npm start', value: median(npm), unit: 'millisec', budget: BUDGETS.start.limit });
