/** What the embedded collector costs: CPU time of one fetch that reads this machine anew. */
import { FetchResult, systemClock } from '../../src/pmapi/index.js';
import { InstanceProfile } from '../../src/sources/index.js';
import { LinuxCollector } from '../../src/sources/linux/index.js';
import { BUDGETS } from './budgets.js';
import { cpuMs, heading, IS_QUICK, report } from './support/report.js';

/** Families whose files the kernel takes milliseconds to write, or that hold a file for each process. */
const SLOW = /^(?:network\.tcpconn|proc\.)/;
/** Of these, what dashboards draw beside the rest: tcpconn is read once a second at most, the run queue reads a file a process. */
const SLOW_BUT_COMMON = /^(?:network\.tcpconn\.|proc\.nprocs$|proc\.runq\.runnable$)/;
const WARM_UP = 500;

const collector = new LinuxCollector({ clock: systemClock, snapshotMs: 0 });
const source = collector.open();
const all = await source.traverse('');

/** CPU time of one fetch, user and system, in microseconds. */
async function fetchCost(names: readonly string[], rounds: number): Promise<number> {
  if (IS_QUICK) rounds = Math.ceil(rounds / 20);
  const prepared = source.prepare(await source.lookupNames(names));
  const profile = new InstanceProfile();
  const into = new FetchResult();
  for (let i = 0; i < WARM_UP && i < rounds; i++) await source.fetch(prepared, profile, into);
  const beforeMs = cpuMs();
  for (let i = 0; i < rounds; i++) await source.fetch(prepared, profile, into);
  return (cpuMs(beforeMs) * 1000) / rounds;
}

const quick = all.filter((name) => !SLOW.test(name));
heading('CPU time of a fetch, everything read anew');
const three = await fetchCost(['kernel.all.load', 'mem.util.free', 'disk.dev.read'], 5000);
report('3 metrics (load, free memory, disk reads)', three, 'microsec', BUDGETS.linuxThree.limit);
const quickMs = (await fetchCost(quick, 1000)) / 1000;
report(`${quick.length} metrics (all but tcpconn and proc)`, quickMs, 'millisec', BUDGETS.linuxAll.limit);
const common = all.filter((name) => !SLOW.test(name) || SLOW_BUT_COMMON.test(name));
const commonMs = (await fetchCost(common, 500)) / 1000;
const withProcesses = `${common.length} metrics (with tcpconn, nprocs and runq, all processes)`;
report(withProcesses, commonMs, 'millisec', BUDGETS.linuxAll.limit);
const FAMILIES = 'kernel.all.cpu mem.util mem.vmstat disk network.interface filesys kernel.percpu proc.runq'.split(' ');
for (const family of FAMILIES) {
  const names = all.filter((name) => name.startsWith(`${family}.`));
  report(family, await fetchCost(names, family === 'proc.runq' ? 50 : 2000), 'microsec');
}
await collector.close();
