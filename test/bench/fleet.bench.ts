/**
 * What a fleet costs, and what clients notice when a part of it fails: three gateways, a server with two replicas, three Sentinels, all on this
 * machine. Costs are CPU times of the gateways, in turns with a gateway that belongs to no fleet.
 */
import { execFile } from 'node:child_process';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { loadConfig } from '../../src/config/index.js';
import { Gateway as WholeGateway } from '../../src/gateway/gateway.js';
import { createLog } from '../../src/log/log.js';
import { systemClock } from '../../src/pmapi/index.js';
import { RealFleet, SERVER, THIS_BUILD } from '../fleet/real/real-fleet.js';
import type { Gateway } from '../fleet/real/real-fleet.js';
import { BUDGETS } from './budgets.js';
import type { Budget } from './budgets.js';
import { cpuUs } from './support/proc.js';
import { heading, IS_QUICK, median, quantile, report, skip, spreadOf } from './support/report.js';
import { noteMemory } from './support/server-process.js';
import { watchTurns } from './support/turns.js';

const ROUNDS = IS_QUICK ? 1 : 7;
const FETCHES = IS_QUICK ? 500 : 3000;
const CONNECTIONS = 64;
const IDLE_MS = 500;
const DEFINITIONS = IS_QUICK ? 30 : 400;
const CONTEXTS = IS_QUICK ? 30 : 300;
const DASHBOARDS = IS_QUICK ? 30 : 1000;
const HOSTS = IS_QUICK ? 10 : 100;
const LOOK_MS = IS_QUICK ? 2000 : 10_000;
const WATCHED_MS = IS_QUICK ? 2000 : 10_000;
const NAMES = 'kernel.all.load,mem.util.free,disk.dev.read';
/** For how long a part is away: longer than a failover takes. */
const AWAY_MS = 6000;

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A gateway that could not be asked: nothing listens there, or it had closed the connection. A load balancer goes on to the next. */
class NotAsked extends Error {}

/** Throws NotAsked. */
function ask(port: number, target: string, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request({ port, path: target, method, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text })).on('error', reject);
    });
    request.on('error', (error: Error & { readonly code?: string }) => {
      const isClosed = error.code === 'ECONNRESET' && request.reusedSocket;
      reject(isClosed || error.code === 'ECONNREFUSED' ? new NotAsked() : error);
    });
    request.end();
  });
}

async function makeContext({ port }: Gateway, hostspec = 'embedded'): Promise<number> {
  const { text } = await ask(port, `/pmapi/context?polltimeout=600&hostspec=${hostspec}`);
  return (JSON.parse(text) as { context: number }).context;
}

const cpuOf = (gateways: readonly Gateway[]): number => cpuUs(...gateways.map(({ part }) => part.pid));

/** CPU time of some gateways in a second without requests, in microseconds: leases are renewed. */
async function idleUs(gateways: readonly Gateway[]): Promise<number> {
  const before = cpuOf(gateways);
  await pause(IDLE_MS);
  return (cpuOf(gateways) - before) / (IDLE_MS / 1000);
}

/** CPU time of some gateways per request, in microseconds, beyond what they take without any, while requests for these are sent in turn. */
async function cpuPerFetch(
  gateways: readonly Gateway[],
  targets: readonly (readonly [number, string])[],
): Promise<number> {
  const idle = await idleUs(gateways);
  const before = cpuOf(gateways);
  const startMs = performance.now();
  let left = FETCHES;
  const client = async (): Promise<void> => {
    while (left-- > 0) {
      const [port, target] = targets[left % targets.length]!;
      const { status, text } = await ask(port, target);
      if (status !== 200) throw new Error(`${target}: ${status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  const seconds = (performance.now() - startMs) / 1000;
  return (cpuOf(gateways) - before - idle * seconds) / FETCHES;
}

const fetchOf = (gateway: Gateway, context: number): readonly [number, string] => [
  gateway.port,
  `/pmapi/${context}/fetch?names=${NAMES}`,
];

/** CPU time of one way relative to another, measured in turns. */
async function ratios(one: () => Promise<number>, other: () => Promise<number>): Promise<number[]> {
  const found: number[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const isFirst = round % 2 === 0;
    const a = isFirst ? await one() : Number.NaN;
    const b = await other();
    const ratio = (isFirst ? a : await one()) / b;
    if (round >= 0) found.push(ratio);
  }
  return found;
}

function conclude({ figure, unit, limit }: Budget, values: readonly number[], value = median(values)): void {
  report(figure, value, unit, limit, values.length > 1 ? spreadOf(values) : undefined);
}

/** Calls something until it is stopped; stopping waits for the last call. */
function repeat(work: () => Promise<void>, everyMs: number): () => Promise<void> {
  const stopped = new AbortController();
  const running = (async () => {
    while (!stopped.signal.aborted) {
      await work();
      await pause(everyMs);
    }
  })();
  return () => {
    stopped.abort();
    return running;
  };
}

/** Fetches that fail while something happens: at gateways in turn, as a load balancer sends them that skips what refuses connections. */
async function failedFetches(fleet: RealFleet, work: () => Promise<unknown>): Promise<number> {
  const { gateways } = fleet;
  const contexts: number[] = [];
  for (const gateway of gateways) contexts.push(await makeContext(gateway));
  let failed = 0;
  let turn = 0;
  const kinds = new Set<string>();
  const one = async (): Promise<void> => {
    const place = turn++;
    for (let i = 0; i < gateways.length; i++) {
      const target = fetchOf(
        gateways[(place + i) % gateways.length]!,
        contexts[Math.floor(place / 3) % contexts.length]!,
      );
      const answer = await ask(...target).catch((error: unknown) => error as Error);
      if (answer instanceof NotAsked) continue;
      if (!(answer instanceof Error) && answer.status === 200) return;
      kinds.add(answer instanceof Error ? answer.message : `${answer.status} ${answer.text}`);
      failed++;
      return;
    }
    failed++;
  };
  const stops = Array.from({ length: 8 }, () => repeat(one, 5));
  await pause(500);
  await work();
  await Promise.all(stops.map((stop) => stop()));
  for (const kind of kinds) process.stdout.write(`failed: ${kind}\n`);
  return failed;
}

/** The longest time without an acknowledged definition while something happens, in milliseconds. */
async function longestWithoutDefinitions(
  fleet: RealFleet,
  name: string,
  work: () => Promise<unknown>,
): Promise<number> {
  let n = 0;
  let lastMs = performance.now();
  let longestMs = 0;
  const stop = repeat(async () => {
    const { port } = fleet.gateways[n++ % fleet.gateways.length]!;
    const { status } = await ask(port, `/derived/bench.${name}${n}?expr=1`, 'PUT');
    if (status !== 201) return;
    longestMs = Math.max(longestMs, performance.now() - lastMs);
    lastMs = performance.now();
  }, 20);
  await work();
  await stop();
  return longestMs;
}

async function benchCosts(fleet: RealFleet, lone: Gateway): Promise<void> {
  heading('a fetch of 3 metrics, against a gateway of no fleet');
  const alone = fetchOf(lone, await makeContext(lone));
  const contexts: number[] = [];
  for (const gateway of fleet.gateways) contexts.push(await makeContext(gateway));
  const [home] = fleet.gateways as [Gateway];
  const unused = (await idleUs([home])) / 10_000;
  report('CPU time of a gateway without requests, of one core', unused, '%');
  conclude(
    BUDGETS.fleetHome,
    await ratios(
      () => cpuPerFetch([lone], [alone]),
      () => cpuPerFetch([home], [fetchOf(home, contexts[0]!)]),
    ),
  );
  const atHome = fleet.gateways.map((gateway, i) => fetchOf(gateway, contexts[i]!));
  const everywhere = fleet.gateways.flatMap((gateway) => contexts.map((context) => fetchOf(gateway, context)));
  const balanced = (): Promise<number> => cpuPerFetch(fleet.gateways, everywhere);
  conclude(BUDGETS.fleetHanded, await ratios(balanced, () => cpuPerFetch(fleet.gateways, atHome)));
  conclude(BUDGETS.fleetBalanced, await ratios(balanced, () => cpuPerFetch([lone], [alone])));
}

async function benchChanges(fleet: RealFleet, lone: Gateway): Promise<void> {
  heading('changes');
  const timesMs: number[] = [];
  for (let i = 0; i < DEFINITIONS; i++) {
    const { port } = fleet.gateways[i % fleet.gateways.length]!;
    const startMs = performance.now();
    const { status, text } = await ask(port, `/derived/bench.time${i}?expr=${i}`, 'PUT');
    if (status !== 201) throw new Error(text);
    timesMs.push(performance.now() - startMs);
  }
  conclude(BUDGETS.fleetDefinition, [], median(timesMs));
  conclude(BUDGETS.fleetDefinitionSlow, [], quantile(timesMs, 0.99));
  const makeMs = async (gateway: Gateway): Promise<number> => {
    const startMs = performance.now();
    await makeContext(gateway);
    return performance.now() - startMs;
  };
  const moreMs: number[] = [];
  for (let i = 0; i < CONTEXTS; i++) moreMs.push((await makeMs(fleet.gateways[0]!)) - (await makeMs(lone)));
  conclude(BUDGETS.fleetContext, [], median(moreMs));
}

async function benchDashboards(fleet: RealFleet): Promise<void> {
  heading(`${DASHBOARDS} dashboards on one host, over 3 gateways`);
  const target = `/pmapi/stream?names=fleet.one,fleet.two&interval=1s&hostspec=${fleet.hosts[0]!}`;
  const perGateway = Array.from({ length: Math.ceil(DASHBOARDS / 3) }, () => target);
  const seconds = String(LOOK_MS / 1000 + 6);
  const clients = fleet.gateways.map(({ port }) =>
    promisify(execFile)(process.execPath, [
      'test/bench/support/stream-load.js',
      String(port),
      seconds,
      '0',
      ...perGateway,
    ]),
  );
  // All have connected.
  await pause(6000);
  const before = (await fleet.pmcdCounts())[0]!.fetches;
  const startMs = performance.now();
  await pause(LOOK_MS);
  const ticks = (performance.now() - startMs) / 1000;
  conclude(BUDGETS.fleetFetches, [], ((await fleet.pmcdCounts())[0]!.fetches - before) / ticks);
  const results = (await Promise.all(clients)).map(
    ({ stdout }) => JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, number>,
  );
  const sum = (name: string): number => results.reduce((all, result) => all + result[name]!, 0);
  conclude(BUDGETS.fleetSamples, [], sum('lost') + sum('doubled') + sum('ended'));
  report('p99 from a sample to its delivery', Math.max(...results.map(({ p99Ms }) => p99Ms!)), 'ms');
}

async function benchFailures(fleet: RealFleet): Promise<void> {
  heading('what fails while a part fails');
  const leaving = fleet.gateways[2]!;
  conclude(
    BUDGETS.fleetLeaving,
    [],
    await failedFetches(fleet, async () => {
      await leaving.part.end();
      await pause(1000);
      leaving.part.start();
      await fleet.settled();
    }),
  );

  const [killed, other] = fleet.gateways as [Gateway, Gateway];
  const context = await makeContext(killed);
  killed.part.signal('SIGKILL');
  const startMs = performance.now();
  while ((await ask(...fetchOf(other, context))).status !== 200) await pause(20);
  conclude(BUDGETS.fleetAdopted, [], performance.now() - startMs);
  killed.part.start();
  await fleet.settled();

  let failed = 0;
  const pausesMs: number[] = [];
  for (const [end, begin] of [
    ['SIGSTOP', 'SIGCONT'],
    ['SIGKILL', undefined],
  ] as const) {
    const node = fleet.node(fleet.primary());
    const away = async (): Promise<void> => {
      await pause(1000);
      node.signal(end);
      await pause(AWAY_MS);
      if (begin) node.signal(begin);
      else node.start();
      await fleet.settled();
      await pause(3000);
    };
    const during = async (): Promise<void> => {
      failed += await failedFetches(fleet, away);
    };
    pausesMs.push(await longestWithoutDefinitions(fleet, end.toLowerCase(), during));
  }
  conclude(BUDGETS.fleetPrimaryFetches, [], failed);
  conclude(BUDGETS.fleetPrimaryDefinitions, pausesMs, Math.max(...pausesMs));
}

/** Streams of many hosts at one gateway, in this process: turns of the event loop are seen from within. */
async function benchTicks(fleet: RealFleet): Promise<void> {
  heading(`streams of ${HOSTS} hosts at one second`);
  const hosts = fleet.hosts.slice(-HOSTS);
  const config = loadConfig({
    environment: {
      PMGATE_LISTEN_PORT: '0',
      PMGATE_STATE_DIRECTORY: path.join(process.env['TMPDIR'] ?? '/tmp', 'pmgate-ticks'),
      PMGATE_LOCAL_SOURCE: 'embedded',
      PMGATE_HOSTS_ALLOW: hosts.join(','),
    },
  });
  const gateway = await WholeGateway.create({ config, log: await createLog('silent', systemClock) });
  const { port } = await gateway.listen();
  const targets = hosts.map((host) => `/pmapi/stream?names=fleet.one,fleet.two&interval=1s&hostspec=${host}`);
  const seconds = String(WATCHED_MS / 1000 + 4);
  const clients = promisify(execFile)(process.execPath, [
    'test/bench/support/stream-load.js',
    String(port),
    seconds,
    '0',
    ...targets,
  ]);
  await pause(6000);
  const { turnMs } = await watchTurns(() => pause(WATCHED_MS));
  conclude(BUDGETS.fleetTurn, [], turnMs);
  await clients;
  await gateway.close();
}

if (SERVER === undefined) {
  skip('neither valkey-server nor redis-server is installed');
} else {
  const fleet = await RealFleet.start({ gateways: 3, pmcds: 1 + HOSTS, program: THIS_BUILD, isBare: true });
  const lone = await fleet.addLoneGateway();
  await benchCosts(fleet, lone);
  await benchChanges(fleet, lone);
  await benchDashboards(fleet);
  await benchTicks(fleet);
  for (const { part } of [lone, ...fleet.gateways]) noteMemory(part.pid);
  await benchFailures(fleet);
  fleet.close();
}
agent.destroy();
process.exit();
