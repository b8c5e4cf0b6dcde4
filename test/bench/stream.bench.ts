/**
 * A thousand clients of streams of 10 metrics, from the embedded collector, at one second: fetches per interval, samples lost and
 * doubled, and how long after its time stamp a sample arrives; once all on the context that requests share, once each on a context
 * of its own; with a reader that takes nothing beside them. BENCH_SECONDS says how long (default 20), BENCH_CLIENTS how many.
 */
import { readFileSync } from 'node:fs';
import { BUDGETS } from './budgets.js';
import { runClients } from './support/clients.js';
import { heading, report } from './support/report.js';
import { startServer } from './support/server-process.js';

const CLIENTS = Number(process.env.BENCH_CLIENTS ?? 1000);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 20);
const NAMES = [
  'kernel.all.load',
  'kernel.all.cpu.user',
  'kernel.all.cpu.sys',
  'kernel.all.cpu.idle',
  'mem.util.free',
  'mem.util.used',
  'mem.util.cached',
  'disk.all.total',
  'kernel.all.pswitch',
  'kernel.all.intr',
].join(',');
const COUNTERS = [
  'pmgate.fetches.total',
  'pmgate.streams.events',
  'pmgate.streams.dropped',
  'pmgate.streams.groups',
  'pmgate.cpu.user',
  'pmgate.cpu.sys',
] as const;

interface Load {
  readonly connected: number;
  readonly samples: number;
  readonly leastPerClient: number;
  readonly mostPerClient: number;
  readonly moments: number;
  readonly doubled: number;
  readonly lost: number;
  readonly failures: number;
  readonly ended: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const gateway = await startServer(['dist/pmgate.js', '--port', '0'], {
  PMGATE_LOCAL_SOURCE: 'embedded',
  PMGATE_LIMITS_CONTEXTS: '20000',
});

async function ask(path: string): Promise<unknown> {
  return (await fetch(`http://127.0.0.1:${gateway.port}${path}`)).json();
}

async function counters(): Promise<Readonly<Record<(typeof COUNTERS)[number], number>>> {
  const answer = (await ask(`/pmapi/fetch?names=${COUNTERS.join(',')}`)) as {
    values: { name: string; instances: { value: number }[] }[];
  };
  return Object.fromEntries(answer.values.map(({ name, instances }) => [name, instances[0]!.value])) as Record<
    (typeof COUNTERS)[number],
    number
  >;
}

function residentMbyte(): number {
  const status = readFileSync(`/proc/${gateway.child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

/** Have clients listen in another process; counters are those of the time that was measured. */
async function listen(paths: readonly string[], slow: number): Promise<{ load: Load; before: object; after: object }> {
  const program = ['test/bench/support/stream-load.js', String(gateway.port), String(SECONDS), String(slow), ...paths];
  let before: object = {};
  const load = await runClients<Load>(program, { onBegin: async () => (before = await counters()) });
  return { load, before, after: await counters() };
}

async function measure(title: string, paths: readonly string[], slow: number): Promise<void> {
  heading(`${title}${slow > 0 ? `, and ${slow} that takes nothing` : ''}`);
  const { load, before, after } = await listen(paths, slow);
  const grown = (name: (typeof COUNTERS)[number]): number =>
    (after as Record<string, number>)[name]! - (before as Record<string, number>)[name]!;
  const intervals = load.mostPerClient;
  report('clients connected', load.connected, '', { atLeast: paths.length });
  report('samples to each client, least', load.leastPerClient, '');
  report('samples to each client, most', load.mostPerClient, '');
  report('time stamps per interval', load.moments / intervals, '');
  report('samples lost', load.lost, '', BUDGETS.streamLost.limit);
  report('samples doubled', load.doubled, '', BUDGETS.streamLost.limit);
  report('failures, and clients cut off', load.failures + load.ended, '', BUDGETS.streamLost.limit);
  // The two fetches of the counters are among them.
  report('fetches per interval', (grown('pmgate.fetches.total') - 1) / intervals, '');
  report('delivery after the time stamp, median', load.p50Ms, 'ms');
  report('delivery after the time stamp, p99', load.p99Ms, 'ms', BUDGETS.streamDelivery.limit);
  report('delivery after the time stamp, longest', load.maxMs, 'ms');
  const cpuMs = (grown('pmgate.cpu.user') + grown('pmgate.cpu.sys')) / 1000;
  report('CPU time of the gateway per interval', cpuMs / intervals, 'ms');
  report('resident memory', residentMbyte(), 'Mbyte');
}

try {
  const query = `names=${NAMES}&interval=1s`;
  const shared = Array.from({ length: CLIENTS }, () => `/pmapi/stream?${query}`);
  await measure(`${CLIENTS} clients of one stream`, shared, 0);
  await measure(`${CLIENTS} clients of one stream`, shared, 1);
  const contexts: string[] = [];
  for (let i = 0; i < CLIENTS; i++) {
    const { context } = (await ask('/pmapi/context?polltimeout=600')) as { context: number };
    contexts.push(`/pmapi/${context}/stream?${query}`);
  }
  await measure(`${CLIENTS} clients on ${CLIENTS} contexts`, contexts, 1);
} finally {
  await gateway.stop();
}
