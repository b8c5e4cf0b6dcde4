/**
 * Throughput of a gateway with two workers against one with one, in turns: each answers `/pmapi/metric` about archives that are divided between the
 * workers. The generator runs on the same machine, so two cores have to serve three processes.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { BUDGETS } from './budgets.js';
import { loadUrl } from './support/load.js';
import { heading, IS_QUICK, median, report, spreadOf } from './support/report.js';
import { startServer } from './support/server-process.js';
import type { ServerProcess } from './support/server-process.js';
import { writeSmallArchive } from './support/small-archive.js';

const ROUNDS = IS_QUICK ? 1 : 7;
const SECONDS = IS_QUICK ? 1 : 5;
const ARCHIVES = 8;
const CONNECTIONS_EACH = 8;

const directory = mkdtempSync(path.join(os.tmpdir(), 'pmgate-bench-workers-'));
const archives = Array.from({ length: ARCHIVES }, (_, i) => writeSmallArchive(directory, `small${i}`, 10, 4));

function start(workers: number): Promise<ServerProcess> {
  return startServer(['dist/pmgate.js', '--port', '0', '--workers', String(workers)], {
    PMGATE_ARCHIVES_ROOTS: directory,
    PMGATE_STATE_DIRECTORY: path.join(directory, `state${workers}`),
    PMGATE_LOCAL_SOURCE: 'embedded',
    PMGATE_RECORD_ENABLED: 'false',
    PMGATE_CONTEXTS_REMEMBER: '',
    PMGATE_LIMITS_LOOP_DELAY_MS: '60000',
  });
}

/** A process and those that it has started. */
function withChildren(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  return [pid, ...children];
}

/** CPU time of all threads of some processes so far, in microseconds. */
function cpuUs(pids: readonly number[]): number {
  const threads = pids.flatMap((pid) => readdirSync(`/proc/${pid}/task`).map((tid) => `/proc/${pid}/task/${tid}`));
  const ns = threads.map((thread) => Number(readFileSync(`${thread}/schedstat`, 'latin1').split(' ')[0]));
  return ns.reduce((sum, each) => sum + each, 0) / 1000;
}

/** One round: answers per second, and CPU time of all processes for one answer. */
async function measure({ port, child }: ServerProcess): Promise<{ readonly rate: number; readonly cpuUs: number }> {
  const pids = withChildren(child.pid!);
  const before = cpuUs(pids);
  const loads = await Promise.all(
    archives.map(({ metric }, i) =>
      loadUrl(`http://127.0.0.1:${port}/pmapi/metric?archive=small${i}&names=${metric}`, CONNECTIONS_EACH, SECONDS),
    ),
  );
  const errors = loads.reduce((sum, load) => sum + load.errors, 0);
  if (errors > 0) throw new Error(`${errors} requests failed`);
  const rate = loads.reduce((sum, load) => sum + load.rate, 0);
  return { rate, cpuUs: (cpuUs(pids) - before) / (rate * SECONDS) };
}

heading(`${ARCHIVES} archives, ${ARCHIVES * CONNECTIONS_EACH} connections: two workers against one`);
const [one, two] = [await start(1), await start(2)];
try {
  for (const server of [one, two]) await measure(server);
  const rates: number[] = [];
  const costs: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const [alone, together] = [await measure(one), await measure(two)];
    rates.push(together.rate / alone.rate);
    costs.push(together.cpuUs / alone.cpuUs);
  }
  const [budget, cost] = [BUDGETS.workersRate.limit, BUDGETS.workersCpu.limit];
  report({
    name: 'answers per second, two against one',
    value: median(rates),
    unit: 'x',
    spread: spreadOf(rates),
    budget,
  });
  report({ name: 'CPU time of an answer', value: median(costs), unit: 'x', spread: spreadOf(costs), budget: cost });
} finally {
  await one.stop();
  await two.stop();
  rmSync(directory, { recursive: true, force: true });
}
