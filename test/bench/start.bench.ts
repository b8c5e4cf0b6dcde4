/** How soon after its process starts the gateway answers its first fetch. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { BUDGETS } from './budgets.js';
import { heading, IS_QUICK, median, report } from './support/report.js';

const ROUNDS = IS_QUICK ? 1 : 7;
const FETCH = '/pmapi/fetch?names=kernel.all.load,mem.util.free,disk.dev.read&hostspec=embedded';

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Milliseconds from starting a command to the first answer of the gateway that it starts. */
async function firstAnswer(command: string, args: readonly string[]): Promise<number> {
  const port = await freePort();
  const startMs = performance.now();
  const child = spawn(command, [...args, '--port', String(port)], { stdio: 'ignore', detached: true });
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}${FETCH}`).catch(() => undefined);
    if (answer?.ok) break;
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const tookMs = performance.now() - startMs;
  process.kill(-child.pid!, 'SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
  return tookMs;
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
