/**
 * A soak: the built gateway with everything going on at once, for long, and a verdict on whether it stays as it is.
 *
 *   npm run soak -- [--seconds N] [--short] [--out DIR] [--only VISITOR]...
 *
 * An hour without options, about a minute with --short; --only lets some visitors in, to find who leaves something behind. Leaves `soak.csv`, `verdict.json` and the gateway's log in DIR, or in
 * a directory for temporary files that it names. The exit code is 1 when a check fails.
 */
import { appendFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { markdownTable } from '../bench/budgets.js';
import { writeLargeArchive } from '../bench/support/large-archive.js';
import { describeMachine, machineText } from '../bench/support/machine.js';
import { quantile } from '../bench/support/report.js';
import { Caller } from './caller.js';
import { FlakyHost } from './flaky-host.js';
import { GatewayProcess } from './gateway-process.js';
import { type Sample, judge } from './verdict.js';
import { type Scene, VISITORS, type Visitor, changeMoods, rest } from './visitors.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    short: { type: 'boolean', default: false },
    out: { type: 'string' },
    only: { type: 'string', multiple: true },
  },
});
const SECONDS = Number(values.seconds ?? (values.short ? 60 : 3600));
if (!(SECONDS >= 10)) {
  process.stderr.write('--seconds wants a number of at least 10\n');
  process.exit(2);
}
const visitors = VISITORS.filter(({ name }) => values.only?.includes(name) ?? true);
if (visitors.length === 0) {
  process.stderr.write(`--only wants one of: ${VISITORS.map(({ name }) => name).join(', ')}\n`);
  process.exit(2);
}
const SAMPLE_SEC = Math.max(1, SECONDS / 720);
/** Garbage is collected for every so-many-th sample. */
const COLLECT_EVERY = 5;
const CANARY_MS = 50;
const CANARY_PATH = '/pmapi/fetch?names=kernel.all.load,mem.util.free,disk.dev.read&hostspec=embedded';
const RELOAD_SEC = Math.max(5, SECONDS / 120);
const FLAKY_HOSTS = 4;
const ARCHIVE_MB = 10;
const STOP_TIMEOUT_MS = 20_000;

const out = values.out ?? mkdtempSync(path.join(tmpdir(), 'pmgate-soak-'));
const archives = path.join(out, 'archives');
mkdirSync(archives, { recursive: true });
const built = writeLargeArchive(archives, 'soak', ARCHIVE_MB);
const hosts = await Promise.all(Array.from({ length: FLAKY_HOSTS }, () => FlakyHost.start()));
const configFile = path.join(out, 'pmgate.yaml');
const csvFile = path.join(out, 'soak.csv');

/** What is bounded is bounded low, so that it is full long before the second half. */
function writeConfig(turn: number): void {
  const config = {
    listen: { port: 0 },
    local: { source: 'embedded' },
    hosts: { allow: hosts.map(({ hostspec }) => hostspec), replyTimeoutSec: 2 },
    archives: { roots: [archives], cacheBytes: 8 * 2 ** 20 },
    contexts: { historyBytes: 4 * 2 ** 20, historySec: 60 },
    streams: { historyBytes: 4 * 2 ** 20, lingerSec: 5 },
    store: { enabled: true },
    state: { directory: path.join(out, 'state') },
    limits: { names: 1000 + (turn % 2), requestTimeoutSec: 10, headersTimeoutSec: 5 },
  };
  // Every fifth one is wrong: the gateway must say so and go on.
  writeFileSync(configFile, turn % 5 === 4 ? 'limits: { names: many' : stringify(config));
}

writeConfig(0);
const machine = describeMachine();
process.stdout.write(`${machineText(machine)}\nfiles in ${out}\n`);
const gateway = await GatewayProcess.start(configFile, path.join(out, 'pmgate.log'), {});
const caller = new Caller(gateway.port);
const scene: Scene = {
  caller,
  hosts,
  archiveNames: built.names,
  archive: { startSec: 1_700_000_000, lengthSec: built.records * 10 },
};

const startMs = performance.now();
const nowSec = (): number => (performance.now() - startMs) / 1000;
const isOver = (): boolean => nowSec() >= SECONDS || !gateway.isRunning;

/** A fetch every few milliseconds, counted from when it was due: what a client like any other notices. */
const canary = { tookMs: [] as number[], all: [] as number[], failures: new Map<string, number>() };
let isCollecting = false;
const canaryAgent = new http.Agent({ keepAlive: true, maxSockets: 1 });

function sing(): Promise<string> {
  return new Promise((resolve) => {
    const target = { host: '127.0.0.1', port: gateway.port, path: CANARY_PATH, agent: canaryAgent };
    const request = http.get(target, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(String(answer.statusCode)));
      answer.once('error', (error) => resolve(error.message));
    });
    request.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

async function runCanary(): Promise<void> {
  for (let dueMs = performance.now(); !isOver(); dueMs = Math.max(dueMs + CANARY_MS, performance.now() - CANARY_MS)) {
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    let isDisturbed = isCollecting;
    const begunMs = performance.now();
    const outcome = await sing();
    isDisturbed ||= isCollecting;
    if (outcome !== '200') canary.failures.set(outcome, (canary.failures.get(outcome) ?? 0) + 1);
    // The collector that the soak itself calls is none of the gateway's delays.
    else if (!isDisturbed) canary.tookMs.push(performance.now() - begunMs);
  }
}

async function runVisitor(visitor: Visitor): Promise<void> {
  for (let turn = Math.floor(Math.random() * 100); !isOver(); turn++) {
    await visitor.visit(scene, turn);
    await rest(visitor.restMs);
  }
}

async function runReloads(): Promise<void> {
  for (let turn = 1; !isOver(); turn++) {
    await new Promise((resolve) => setTimeout(resolve, RELOAD_SEC * 1000));
    if (isOver()) return;
    writeConfig(turn);
    gateway.reload();
  }
}

/** What a line of `soak.csv` holds. */
const COLUMNS = [
  'sec',
  'liveHeapBytes',
  'heapBytes',
  'externalBytes',
  'rssBytes',
  'descriptors',
  'cpuMs',
  'loopP99Ms',
  'canaryP99Ms',
  'logBytes',
  'failures',
] as const satisfies readonly (keyof Sample)[];

const samples: Sample[] = [];
writeFileSync(csvFile, `${COLUMNS.join(',')}\n`);

async function takeSamples(): Promise<void> {
  for (let turn = 0; !isOver(); turn++) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, turn * SAMPLE_SEC - nowSec()) * 1000));
    if (!gateway.isRunning) return;
    isCollecting = turn % COLLECT_EVERY === 0;
    const inside = await gateway.inside(isCollecting);
    const tookMs = canary.tookMs.splice(0);
    canary.all.push(...tookMs);
    samples.push({
      sec: nowSec(),
      ...gateway.outside(),
      heapBytes: inside.heapUsed,
      externalBytes: inside.external,
      liveHeapBytes: isCollecting ? inside.heapUsed : undefined,
      loopP99Ms: inside.loopP99Ms,
      canaryP99Ms: quantile(tookMs, 0.99),
      logBytes: gateway.logBytes,
      failures: [...caller.tally.values()].reduce(
        (sum, counts) => sum + [...counts].reduce((n, [status, count]) => n + (/^5\d\d$/.test(status) ? count : 0), 0),
        0,
      ),
    });
    isCollecting = false;
    keepSample(samples.at(-1)!);
    tellProgress(turn);
  }
}

/** A line in the file at once: a run that does not come to its end has evidence, too. */
function keepSample(sample: Sample): void {
  appendFileSync(csvFile, `${COLUMNS.map((column) => sample[column] ?? '').join(',')}\n`);
}

function tellProgress(turn: number): void {
  if (turn % Math.max(1, Math.round(Math.min(60, SECONDS / 6) / SAMPLE_SEC)) !== 0) return;
  const { sec, rssBytes, descriptors, heapBytes } = samples.at(-1)!;
  const answered = [...caller.tally.values()].reduce(
    (sum, counts) => sum + [...counts.values()].reduce((n, c) => n + c, 0),
    0,
  );
  process.stdout.write(
    `${sec.toFixed(0).padStart(5)} s  heap ${(heapBytes / 1e6).toFixed(0)} MB, resident ${(rssBytes / 1e6).toFixed(0)} MB, ` +
      `${descriptors} descriptors, ${answered} requests, ${caller.total('500')} answered 500\n`,
  );
}

await Promise.all([
  ...visitors.flatMap((visitor) => Array.from({ length: visitor.count }, () => runVisitor(visitor))),
  changeMoods(hosts, isOver),
  runCanary(),
  runReloads(),
  takeSamples(),
]);

const wasRunning = gateway.isRunning;
canaryAgent.destroy();
caller.close();
const exitCode = await gateway.stop(STOP_TIMEOUT_MS);
await Promise.all(hosts.map((host) => host.stop()));

const checks = judge({
  seconds: SECONDS,
  samples,
  tally: caller.tally,
  canary: { p99Ms: quantile(canary.all, 0.99), failures: canary.failures },
  faults: gateway.faults,
  auditLines: gateway.auditLines,
  wasRunning,
  exitCode,
});

const outcomes = [...new Set([...caller.tally.values()].flatMap((counts) => [...counts.keys()]))].sort();
const tallyRows = [...caller.tally].map(([visitor, counts]) => [
  visitor,
  [...counts]
    .sort(([a], [b]) => outcomes.indexOf(a) - outcomes.indexOf(b))
    .map(([outcome, count]) => `${outcome} × ${count}`)
    .join(', '),
]);
process.stdout.write(`\n${markdownTable([['visitor', 'answers'], ...tallyRows])}\n`);
for (const [message, count] of gateway.errors)
  process.stdout.write(`- log, error × ${count}: ${message.slice(0, 120)}\n`);
for (const [outcome, count] of canary.failures) process.stdout.write(`- canary × ${count}: ${outcome}\n`);
for (const example of caller.examples) process.stdout.write(`- ${example}\n`);
for (const { line } of gateway.faults) process.stdout.write(`- log: ${line.slice(0, 500)}\n`);
const rows = checks.map(({ name, value, bound, isPassed }) => [name, value, bound, isPassed ? 'passed' : '**failed**']);
process.stdout.write(`\n${markdownTable([['check', 'found', 'bound', 'verdict'], ...rows])}\n`);
const failed = checks.filter(({ isPassed }) => !isPassed).length;
process.stdout.write(`\n${SECONDS} s: ${checks.length - failed} of ${checks.length} checks passed. Files in ${out}\n`);
writeFileSync(
  path.join(out, 'verdict.json'),
  `${JSON.stringify({ machine, seconds: SECONDS, checks, tally: Object.fromEntries(tallyRows) }, undefined, 2)}\n`,
);
process.exit(failed === 0 ? 0 : 1);
