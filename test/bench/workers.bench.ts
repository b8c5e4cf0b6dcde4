/**
 * Throughput of a gateway with two workers against one with one, in turns: each answers `/pmapi/metric` about archives, which any worker reads, and
 * about hosts, which are divided between the workers, so that half of the requests are handed over. The generator runs on the same machine, so two cores have to serve three processes.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { BUDGETS } from './budgets.js';
import type { Budget } from './budgets.js';
import { loadUrl } from './support/load.js';
import { heading, IS_QUICK, median, report, spreadOf } from './support/report.js';
import { startServer } from './support/server-process.js';
import type { ServerProcess } from './support/server-process.js';
import { FakePmcd } from '../support/fake-pmcd.js';
import { writeSmallArchive } from './support/small-archive.js';

const ROUNDS = IS_QUICK ? 1 : 7;
const SECONDS = IS_QUICK ? 1 : 5;
const ARCHIVES = 8;
const CONNECTIONS_EACH = 8;
const HOSTS = 8;

const directory = mkdtempSync(path.join(os.tmpdir(), 'pmgate-bench-workers-'));
const archives = Array.from({ length: ARCHIVES }, (_, i) => writeSmallArchive(directory, `small${i}`, 10, 4));

const pmcds = await Promise.all(Array.from({ length: HOSTS }, () => FakePmcd.start()));
for (const pmcd of pmcds) {
  pmcd.metrics = [{ name: 'sample.value', descriptor: [1, 1, 0xffffffff, 3, 0], values: [[-1, 1]] }];
}
const ABOUT_ARCHIVES = archives.map(({ metric }, i) => `archive=small${i}&names=${metric}`);
const ABOUT_HOSTS = pmcds.map((_, i) => `hostspec=host${i}&names=sample.value`);

function start(workers: number): Promise<ServerProcess> {
  return startServer(['dist/pmgate.js', '--port', '0', '--workers', String(workers)], {
    PMGATE_ARCHIVES_ROOTS: directory,
    PMGATE_HOSTS_NAMED: JSON.stringify(Object.fromEntries(pmcds.map(({ hostspec }, i) => [`host${i}`, hostspec]))),
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
async function measure(
  { port, child }: ServerProcess,
  queries: readonly string[],
): Promise<{ readonly rate: number; readonly cpuUs: number }> {
  const pids = withChildren(child.pid!);
  const before = cpuUs(pids);
  const loads = await Promise.all(
    queries.map((query) => loadUrl(`http://127.0.0.1:${port}/pmapi/metric?${query}`, CONNECTIONS_EACH, SECONDS)),
  );
  const errors = loads.reduce((sum, load) => sum + load.errors, 0);
  if (errors > 0) throw new Error(`${errors} requests failed`);
  const rate = loads.reduce((sum, load) => sum + load.rate, 0);
  return { rate, cpuUs: (cpuUs(pids) - before) / (rate * SECONDS) };
}

const [one, two] = [await start(1), await start(2)];

async function compare(queries: readonly string[], rateBudget: Budget, costBudget: Budget): Promise<void> {
  for (const server of [one, two]) await measure(server, queries);
  const rates: number[] = [];
  const costs: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const [alone, together] = [await measure(one, queries), await measure(two, queries)];
    rates.push(together.rate / alone.rate);
    costs.push(together.cpuUs / alone.cpuUs);
  }
  const common = { unit: 'x' } as const;
  report({
    ...common,
    name: 'answers per second, two against one',
    value: median(rates),
    spread: spreadOf(rates),
    budget: rateBudget.limit,
  });
  report({
    ...common,
    name: 'CPU time of an answer',
    value: median(costs),
    spread: spreadOf(costs),
    budget: costBudget.limit,
  });
}

try {
  heading(`${ARCHIVES} archives, ${ARCHIVES * CONNECTIONS_EACH} connections: two workers against one`);
  await compare(ABOUT_ARCHIVES, BUDGETS.workersRate, BUDGETS.workersCpu);
  heading(`${HOSTS} hosts, ${HOSTS * CONNECTIONS_EACH} connections: two workers against one`);
  await compare(ABOUT_HOSTS, BUDGETS.workersHandedRate, BUDGETS.workersHandedCpu);
} finally {
  await one.stop();
  await two.stop();
  await Promise.all(pmcds.map((pmcd) => pmcd.stop()));
  rmSync(directory, { recursive: true, force: true });
}
