/**
 * A thousand clients that poll 3 metrics once a second, and a thousand that listen to a stream of them, at once, beside a reader that takes
 * nothing: on contexts that they share, and each on one of its own; on the embedded collector, and on a pmcd where PCP is installed. Then
 * twice as many. Then requests at twice the rate that the gateway can answer, whatever becomes of them, how soon it is itself again, and how
 * much memory it has when nobody asks any more. The gateway is the built bundle; clients are other processes, with raw sockets. BENCH_SECONDS says how long each part takes (default 15).
 */
import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { findPmcd, startPmcd } from '../interop/support/pmcd-process.js';
import { BUDGETS } from './budgets.js';
import type { Limit } from './budgets.js';
import { runClients } from './support/clients.js';
import { loadUrl } from './support/load.js';
import { kindsOf, poll } from './support/polls.js';
import type { PollAnswer } from './support/polls.js';
import { cpuUs, residentMbyte } from './support/proc.js';
import { heading, IS_QUICK, quantile, report, skip } from './support/report.js';
import { startServer } from './support/server-process.js';
import { rows } from '../support/rows.js';

const NAMES = 'kernel.all.load,mem.util.free,disk.dev.read';
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 15);
const CLIENTS = IS_QUICK ? 100 : Number(process.env['BENCH_CLIENTS'] ?? 1000);
const TIMEOUT_MS = 5000;
/** Answers of the first seconds are no measure: V8 is still compiling. */
const WARM_UP_SEC = IS_QUICK ? 1 : 5;

/** What costs the gateway enough that a generator on the same machine can ask for too much of it. */
const COSTLY = '/pmapi/metrics?names=kernel,mem,disk.dev&hostspec=embedded';
/** Of what the gateway can answer, what it is asked before and after the overload. */
const USUAL_SHARE = 0.5;
const OVERLOAD_CONNECTIONS = 500;
const OVERLOAD_TIMEOUT_MS = 2000;
/** Latencies are looked at in windows of this size, to find the moment from when on all is well. */
const WINDOW_MS = 100;
const WELL_MS = 100;
/** What is no longer used has been given back by then. */
const IDLE_SEC = IS_QUICK ? 1 : 10;

/** What `stream-load.js` writes, as far as it is used. */
interface StreamOutcome {
  readonly connected: number;
  readonly refusals: Readonly<Record<string, number>>;
  readonly samples: number;
  readonly doubled: number;
  readonly lost: number;
  readonly failures: number;
  readonly ended: number;
  /** null when no sample came. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

function pmcdClients(target: string): number {
  const { stdout } = spawnSync('pminfo', ['-h', target, '-f', 'pmcd.numclients'], { encoding: 'utf8' });
  return Number(/value (\d+)/.exec(stdout)?.[1]);
}

async function makeContexts(hostspec: string, count: number): Promise<readonly number[]> {
  const contexts: number[] = [];
  while (contexts.length < count) {
    const response = await fetch(`http://127.0.0.1:${gateway.port}/pmapi/context?polltimeout=600&hostspec=${hostspec}`);
    if (response.ok) contexts.push(((await response.json()) as { context: number }).context);
    else throw new Error(`no context: ${response.status} ${await response.text()}`);
  }
  return contexts;
}

/** Clients of streams; `onBegin` is called when all are connected. */
function listen(paths: readonly string[], seconds: number, onBegin: () => void): Promise<StreamOutcome> {
  const program = ['test/bench/support/stream-load.js', String(gateway.port), String(seconds), '1', ...paths];
  return runClients(program, { onBegin });
}

/** One part: so many pollers and as many streamers, for a while. */
async function crowd(hostspec: string, clients: number, isOwn: boolean): Promise<void> {
  const isTwice = clients > CLIENTS;
  heading(
    `${clients} pollers and ${clients} streamers on ${hostspec === 'embedded' ? 'the embedded collector' : 'a pmcd'}, ` +
      (isOwn ? 'a context each' : 'sharing contexts'),
  );
  const before = hostspec === 'embedded' ? 0 : pmcdClients(hostspec);
  const contexts = isOwn ? await makeContexts(hostspec, 2 * clients) : [];
  const paths = (first: number, what: string): readonly string[] =>
    Array.from({ length: clients }, (_, i) =>
      isOwn ? `/pmapi/${contexts[first + i]!}/${what}` : `/pmapi/${what}&hostspec=${hostspec}`,
    );
  const pid = gateway.child.pid!;
  let cpuStartUs = 0;
  let streams: Promise<StreamOutcome> | undefined;
  await new Promise<void>((resolve, reject) => {
    streams = listen(paths(clients, `stream?names=${NAMES}&interval=1s`), WARM_UP_SEC + SECONDS + 2, resolve);
    streams.catch(reject);
  });
  const polls = await poll(
    {
      port: gateway.port,
      paths: paths(0, `fetch?names=${NAMES}`),
      connections: clients,
      isPinned: true,
      phases: rows({ rate: clients, seconds: WARM_UP_SEC }, { rate: clients, seconds: SECONDS }),
      timeoutMs: TIMEOUT_MS,
    },
    () => (cpuStartUs = cpuUs(pid)),
  );
  const cpu = (cpuUs(pid) - cpuStartUs) / (WARM_UP_SEC + SECONDS) / 10_000;
  const connections = hostspec === 'embedded' ? 0 : pmcdClients(hostspec) - before;
  const heard = (await streams)!;

  const measured = polls.answers.filter(([phase]) => phase === 1);
  const kinds = kindsOf(polls.answers);
  const answered = measured.filter(([, , , kind]) => kind === 'ok').map(([, , tookMs]) => tookMs);
  const refused = Object.values(heard.refusals).reduce((sum, count) => sum + count, 0);
  const cleanly = heard.refusals['503'] ?? 0;
  const shed = (kinds.get('shed') ?? 0) + cleanly;
  const failedPolls = [...kinds].filter(([kind]) => kind !== 'ok' && kind !== 'shed');
  for (const [kind, count] of failedPolls) process.stdout.write(`  polls, ${kind}: ${count}\n`);
  for (const [kind, count] of Object.entries(heard.refusals)) process.stdout.write(`  streams, ${kind}: ${count}\n`);
  const unclean =
    failedPolls.reduce((sum, [, count]) => sum + count, polls.unanswered) +
    (refused - cleanly) +
    heard.failures +
    heard.ended +
    (clients - refused - heard.connected);

  report('polls answered', answered.length / SECONDS, 'requests/s');
  if (isTwice) {
    report('refused with 503 and Retry-After', shed, '');
    report('other failures', unclean, '', BUDGETS.loadUnclean.limit);
  } else {
    report('errors, of polls and of streams', unclean + shed, '', BUDGETS.loadErrors.limit);
  }
  const limits = (row: keyof typeof BUDGETS): Limit | undefined => (isTwice ? undefined : BUDGETS[row].limit);
  report('polls, p50', quantile(answered, 0.5), 'ms');
  report('polls, p99', quantile(answered, 0.99), 'ms', limits('loadPolls'));
  report('samples delivered', heard.samples / (WARM_UP_SEC + SECONDS + 2), 'samples/s');
  report('delivery after the time stamp, p50', heard.p50Ms ?? Number.NaN, 'ms');
  report('delivery after the time stamp, p99', heard.p99Ms ?? Number.NaN, 'ms', limits('loadDelivery'));
  report('samples lost or doubled', heard.lost + heard.doubled, '', limits('loadSamples'));
  if (hostspec !== 'embedded') {
    report('connections to pmcd, more than before', connections, '', limits('loadConnections'));
  }
  report('CPU of the gateway', cpu, '% of a core');
  report('resident memory of the gateway', residentMbyte(pid), 'Mbyte');
  for (const context of contexts)
    await fetch(`http://127.0.0.1:${gateway.port}/pmapi/${context}`, { method: 'DELETE' });
}

/** The first moment after which every window is fine; Infinity when there is none. */
function recoveryMs(answers: readonly PollAnswer[], fromMs: number, untilMs: number): number {
  for (let startMs = untilMs - WINDOW_MS; startMs >= fromMs; startMs -= WINDOW_MS) {
    const inWindow = answers.filter(([, dueMs]) => dueMs >= startMs && dueMs < startMs + WINDOW_MS);
    const isWell =
      inWindow.every(([, , , kind]) => kind === 'ok') &&
      (inWindow.length === 0 ||
        quantile(
          inWindow.map(([, , tookMs]) => tookMs),
          0.99,
        ) < WELL_MS);
    if (!isWell) return startMs + WINDOW_MS >= untilMs ? Infinity : startMs + WINDOW_MS - fromMs;
  }
  return 0;
}

/** Costly requests at twice the rate that can be answered, and at half of that rate before and after. */
async function overload(): Promise<void> {
  heading('scrapes at twice the rate that can be answered');
  const url = `http://127.0.0.1:${gateway.port}${COSTLY}`;
  await loadUrl(url, 8, WARM_UP_SEC);
  const { rate: capacity } = await loadUrl(url, 8, IS_QUICK ? 1 : 5);
  report('capacity (8 connections, one request after the other)', capacity, 'requests/s');
  const usual = { rate: capacity * USUAL_SHARE, seconds: IS_QUICK ? 1 : 5 };
  const seconds = IS_QUICK ? 2 : 10;
  const { answers, unanswered } = await poll({
    port: gateway.port,
    paths: [COSTLY],
    connections: OVERLOAD_CONNECTIONS,
    isPinned: false,
    phases: [usual, { rate: 2 * capacity, seconds }, { ...usual, seconds: IS_QUICK ? 2 : 8 }],
    timeoutMs: OVERLOAD_TIMEOUT_MS,
  });
  const ofPhase = (phase: number): readonly PollAnswer[] => answers.filter(([of]) => of === phase);
  const took = (phase: number, kind: string): readonly number[] =>
    ofPhase(phase)
      .filter(([, , , of]) => of === kind)
      .map(([, , tookMs]) => tookMs);
  const during = kindsOf(ofPhase(1));
  const failures = [...during].filter(([kind]) => kind !== 'ok' && kind !== 'shed');
  for (const [kind, count] of failures) process.stdout.write(`  ${kind}: ${count}\n`);
  report(`p99 before, at ${USUAL_SHARE} of it`, quantile(took(0, 'ok'), 0.99), 'ms');
  report('asked meanwhile', ofPhase(1).length / seconds, 'requests/s');
  report('answered meanwhile', (during.get('ok') ?? 0) / seconds, 'requests/s');
  report('refused with 503 and Retry-After', (during.get('shed') ?? 0) / seconds, 'requests/s');
  report(
    'other failures',
    failures.reduce((sum, [, count]) => sum + count, unanswered),
    '',
    BUDGETS.loadUnclean.limit,
  );
  report('p50 of what was answered', quantile(took(1, 'ok'), 0.5), 'ms');
  report('p99 of what was answered', quantile(took(1, 'ok'), 0.99), 'ms');
  report('p99 of refusals', quantile(took(1, 'shed'), 0.99), 'ms');
  const fromMs = (usual.seconds + seconds) * 1000;
  report(
    `until all is well again, p99 below ${WELL_MS} ms, nothing refused`,
    recoveryMs(ofPhase(2), fromMs, fromMs + (IS_QUICK ? 2000 : 8000)),
    'ms',
    BUDGETS.loadRecovery.limit,
  );
}

const pmcd = findPmcd() === undefined ? undefined : await startPmcd();
const gateway = await startServer(['dist/pmgate.js', '--port', '0'], {
  PMGATE_LIMITS_CONNECTIONS: '10000',
  PMGATE_LIMITS_CONTEXTS: '20000',
  PMGATE_LOCAL_SOURCE: 'embedded',
  ...(pmcd ? { PMGATE_HOSTS_ALLOW: `127.0.0.1:${pmcd.port}` } : {}),
}).catch(async (error: unknown) => {
  await pmcd?.stop();
  throw error;
});
try {
  const hosts = ['embedded', ...(pmcd ? [`127.0.0.1:${pmcd.port}`] : [])];
  for (const host of hosts) {
    await crowd(host, CLIENTS, false);
    await crowd(host, CLIENTS, true);
    await crowd(host, 2 * CLIENTS, false);
  }
  if (!pmcd) skip('the part on a pmcd needs PCP, and root to start a pmcd');
  await overload();
  heading(`${IDLE_SEC} s after all of that`);
  await pause(IDLE_SEC * 1000);
  report('resident memory of the gateway', residentMbyte(gateway.child.pid!), 'Mbyte', BUDGETS.loadMemory.limit);
} finally {
  await gateway.stop();
  await pmcd?.stop();
}
