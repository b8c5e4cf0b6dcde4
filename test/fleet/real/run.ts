/**
 * A real fleet under load, and faults in turn: three gateways, a server with two replicas, three Sentinels, fake pmcds, and clients. Checks
 * the history of what clients saw, prints a table, and exits with 1 if a promise was broken.
 *
 *   npm run build && npm run test:fleet -- [ROUNDS] [--fault TEXT] [--upgrade-from DIRECTORY] [--mistake NAME]
 *
 * ROUNDS of each fault whose name contains TEXT. DIRECTORY is a checkout of an earlier release that was built: the gateways start from it, and
 * are replaced one by one. A mistake makes clients see what the fleet does not promise, and the checks have to find it. Needs redis-server or
 * valkey-server.
 */
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { contextProblems } from '../support/context-history.js';
import { problemsOf } from '../support/history.js';
import { streamProblems } from '../support/stream-history.js';
import { Balancer, ContextClients, RegistryClients } from './clients.js';
import { FAULTS, type Fault, UPGRADE } from './faults.js';
import { LoggedChanges } from './logged-changes.js';
import { RealFleet, THIS_BUILD } from './real-fleet.js';
import { StreamClient } from './stream-client.js';

const MISTAKES = ['trusts gateways that are alone', 'ignores gaps', 'does not resume', 'samples by itself'] as const;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { fault: { type: 'string' }, 'upgrade-from': { type: 'string' }, mistake: { type: 'string' } },
});
const rounds = Number(positionals[0] ?? 1);
const { fault: wanted = '', 'upgrade-from': earlier, mistake: mistakeName } = flags;
const mistake = MISTAKES.find((name) => name === mistakeName);
if (mistakeName !== undefined && !mistake) throw new Error(`mistakes are: ${MISTAKES.join(', ')}`);

const INTERVAL_MS = 250;
/** From the end of a fault until a pmcd must see one sampler again, and how long it is looked at. */
const SETTLE_MS = 5000;
const LOOK_MS = 4000;
/** What the hosts are for: contexts of clients' own, and streams without a context. */
const [CONTEXTS, STREAMS] = [0, 1];
const CONTEXT_HOSTS = 6;

interface Outcome {
  readonly problems: readonly string[];
  readonly figures: Figures;
}

type Figures = Readonly<Record<string, number>>;

interface Sampled {
  /** Fetches in place of one: 1 with one sampler. */
  readonly samplers: number;
  readonly connections: number;
  readonly states: ReadonlySet<string>;
}

async function samplersOf(fleet: RealFleet): Promise<Sampled> {
  const before = await fleet.pmcdCounts();
  const beginMs = performance.now();
  const states = new Set<string>();
  while (performance.now() - beginMs < LOOK_MS) {
    states.add((await fleet.states()).join(', '));
    await pause(LOOK_MS / 10);
  }
  const after = await fleet.pmcdCounts();
  const ticks = (performance.now() - beginMs) / INTERVAL_MS;
  const { fetches, open } = after[STREAMS]!;
  return { samplers: (fetches - before[STREAMS]!.fetches) / ticks, connections: open, states };
}

/** Runs clients while something happens, until the fleet has recovered, and checks what they saw. */
async function runThrough(fleet: RealFleet, fault: Fault, period: string): Promise<Outcome> {
  const balancer = new Balancer(fleet.gateways, mistake === 'trusts gateways that are alone');
  const contextHosts = fleet.hosts.slice(STREAMS + 1);
  const contexts = new ContextClients(balancer, contextHosts);
  const registry = new RegistryClients(balancer, period);
  const streamMistake = mistake === 'ignores gaps' || mistake === 'does not resume' ? mistake : undefined;
  const query = `names=fleet.fetches&interval=${INTERVAL_MS}msec`;
  const own = await balancer.call(balancer.next(), `/pmapi/context?polltimeout=60&hostspec=${fleet.hosts[CONTEXTS]!}`);
  const targets = [
    ...Array.from({ length: 3 }, () => `/pmapi/stream?hostspec=${fleet.hosts[STREAMS]!}&${query}`),
    ...Array.from({ length: 2 }, () => `/pmapi/${String(own.json.context)}/stream?${query}`),
  ];
  const streams = targets.map((target) => new StreamClient(balancer, target, streamMistake));
  const log = new LoggedChanges(fleet, period);
  const running = [
    ...Array.from({ length: 3 }, () => contexts.run()),
    ...Array.from({ length: 3 }, () => registry.change()),
    ...Array.from({ length: 2 }, () => registry.read()),
    ...streams.map((stream) => stream.run()),
  ];
  const logging = log.run();
  if (mistake === 'samples by itself') {
    const lone = await fleet.addLoneGateway();
    await fetch(`http://127.0.0.1:${lone.port}${targets[0]!}`);
  }
  await pause(1500);
  const refusedBefore = balancer.refused;
  await fault.inject(fleet);
  const recoveredMs = await fleet.settled();
  const refused = balancer.refused - refusedBefore;
  await pause(SETTLE_MS);
  const { samplers, connections, states } = await samplersOf(fleet);

  contexts.isOver = registry.isOver = true;
  for (const stream of streams) stream.end();
  await Promise.all(running);
  await pause(500);
  log.isOver = true;
  await logging;
  const lastReadsMs = balancer.nowMs;
  for (let i = 0; i < fleet.gateways.length; i++) await registry.readOnce();
  await contexts.readAll(fleet.gateways.length);
  const history = {
    updates: registry.updates,
    reads: [],
    shown: registry.shown,
    logs: new Map([['log', await log.read()]]),
  };
  const problems = [
    ...problemsOf(history),
    ...registry.problems,
    ...contextProblems(contexts.calls, lastReadsMs),
    ...streams.flatMap(({ events }) => streamProblems(events, INTERVAL_MS)),
    ...(samplers > 1.1 + INTERVAL_MS / LOOK_MS
      ? [`a pmcd sees ${samplers.toFixed(2)} samplers; gateways: ${[...states].join(' / ')}`]
      : []),
  ];
  await contexts.destroyAll();
  const count = (outcome: string): number =>
    [...registry.updates, ...contexts.calls].filter((one) => one.outcome === outcome).length;
  return {
    problems,
    figures: rounded({
      requests: balancer.requests,
      refused,
      unknown: count('unknown'),
      'no answer': contexts.calls.filter(({ kind, outcome }) => kind === 'read' && outcome === 'failed').length,
      'longest request ms': contexts.longestMs,
      'no changes ms': registry.longestPauseMs,
      'no samples ms': Math.max(...streams.map(({ longestPauseMs }) => longestPauseMs)),
      'recovered ms': recoveredMs,
      samplers,
      connections,
      problems: problems.length,
    }),
  };
}

function highest(one: Figures, other: Figures): Figures {
  const names = Object.keys(one);
  return Object.fromEntries(names.map((name) => [name, Math.max(one[name]!, other[name]!)]));
}

function rounded(figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Math.round(value * 100) / 100]));
}

const faults = earlier === undefined ? FAULTS : [UPGRADE];
const program = earlier === undefined ? THIS_BUILD : path.resolve(earlier, 'dist/pmgate.js');
/** The worst of all rounds. */
const worst = new Map<string, Figures>();
let found = 0;
let fleet: RealFleet | undefined;
for (let round = 1; round <= rounds; round++) {
  // After an upgrade the gateways are those of this build.
  if (!fleet || earlier !== undefined) {
    fleet?.close();
    fleet = await RealFleet.start({ gateways: 3, pmcds: STREAMS + 1 + CONTEXT_HOSTS, program });
  }
  for (const [i, fault] of faults.entries()) {
    if (!fault.name.includes(wanted)) continue;
    const { problems, figures } = await runThrough(fleet, fault, `real.r${round}_${i}`);
    worst.set(fault.name, highest(worst.get(fault.name) ?? figures, figures));
    found += problems.length;
    console.log(`round ${round}, ${fault.name}: ${JSON.stringify(figures)}`);
    for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
  }
}
console.log(`the highest of ${rounds} rounds:`);
console.table(Object.fromEntries(worst));
fleet?.close();
console.log(`${found} problems`);
process.exit(found === 0 ? 0 : 1);
