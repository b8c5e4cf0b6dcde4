/** What the metrics of applications cost: CPU time of fetches beside 100 MMV files with 50 metrics each. */
import { statSync } from 'node:fs';
import { FetchResult, systemClock } from '../../src/pmapi/index.js';
import { InstanceProfile, type MetricSource, joinAgents, lookAtVolatile } from '../../src/sources/index.js';
import { LinuxCollector } from '../../src/sources/linux/index.js';
import { MmvFixture } from '../features/mmv/support/mmv-fixture.js';
import { BUDGETS } from './budgets.js';
import { cpuMs, heading, IS_QUICK, median, report } from './support/report.js';

const FILES = 100;
const METRICS = 50;
const ROUNDS = IS_QUICK ? 5 : 15;
const OTHERS = ['kernel.all.load', 'mem.util.free', 'disk.dev.read'];

const mmv = new MmvFixture();
for (let i = 0; i < FILES; i++) {
  mmv.put(`app${i}`, {
    version: 2,
    metrics: Array.from({ length: METRICS }, (_, m) => ({ name: `group${m % 5}.metric${m}`, type: m % 6, value: m })),
  });
}
const collector = new LinuxCollector({ clock: systemClock, snapshotMs: 0 });
const alone = collector.open();
const joined = joinAgents(collector, [mmv.agent], systemClock).open();
const names = (await joined.traverse('mmv')).filter((name) => name.startsWith('mmv.app'));

const profile = new InstanceProfile();
const into = new FetchResult();

/** CPU time of what a request for a kept plan does: compare the generation, and fetch; in microseconds. */
async function fetchCost(source: MetricSource, wanted: readonly string[], times: number): Promise<number> {
  const pmids = await source.lookupNames(wanted);
  const prepared = source.prepare(pmids);
  const beforeMs = cpuMs();
  for (let i = 0; i < times; i++) {
    // Each request comes in a turn of its own.
    await new Promise((resolve) => setImmediate(resolve));
    if (source.volatile?.covers(pmids[0]!) === true) lookAtVolatile(source, [pmids[0]!]);
    if (source.generation < 0) throw new Error('unreachable');
    await source.fetch(prepared, profile, into);
  }
  return (cpuMs(beforeMs) * 1000) / times;
}

function statCost(times: number): number {
  const beforeMs = cpuMs();
  for (let i = 0; i < times; i++) statSync(mmv.directory);
  return (cpuMs(beforeMs) * 1000) / times;
}

heading(`CPU time of a fetch beside ${FILES} MMV files with ${METRICS} metrics each`);
await fetchCost(joined, names, IS_QUICK ? 20 : 200); // warm up
const all: number[] = [];
const without: number[] = [];
const beside: number[] = [];
const stats: number[] = [];
for (let i = 0; i < ROUNDS; i++) {
  all.push(await fetchCost(joined, names, 20));
  without.push(await fetchCost(alone, OTHERS, 1000));
  beside.push(await fetchCost(joined, OTHERS, 1000));
  stats.push(statCost(1000));
}
report(`${names.length} of their metrics`, median(all) / 1000, 'ms', BUDGETS.mmvAll.limit);
report('1 of their metrics', await fetchCost(joined, names.slice(0, 1), 500), 'microsec');
const added = median(beside.map((cost, i) => cost - without[i]!));
report('3 other metrics, more than without any files', added, 'microsec');
report('the same, against one stat(2) of the directory', added / median(stats), 'ratio', BUDGETS.mmvNone.limit);
await joined.close();
await mmv.close();
await collector.close();
