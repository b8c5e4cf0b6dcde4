/**
 * Requests that take far more of the gateway than of their sender, from many connections at once, on the built gateway, while a client of
 * another address fetches and asks for health: how long that one waits, what memory it takes, and how soon all is as before.
 *
 *   npm run build && npx tsx test/security/siege.ts [--short] [--seconds N] [--connections 1,10] [--only TEXT]
 *
 * Each attack lasts 60 seconds, 10 with --short. Exit code 1 when the other client's p99 was {@link P99_MS} or more, recovery took longer than
 * {@link RECOVERY_MS}, memory exceeded {@link RSS_BOUND}, or the gateway answered 500 or ended. Sends to 127.0.0.1 only.
 */
import { setMaxListeners } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { compress } from 'snappyjs';
import { stringify } from 'yaml';
import { MetricType, Semantics } from '../../src/pmapi/index.js';
import { markdownTable } from '../bench/budgets.js';
import { describeMachine, machineText } from '../bench/support/machine.js';
import { quantile } from '../bench/support/report.js';
import { GatewayProcess } from '../soak/gateway-process.js';
import { ArchiveBuilder } from '../support/archive-builder.js';
import { readRequest, REMOTE_READ_HEADERS } from '../support/remote-read.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    short: { type: 'boolean', default: false },
    connections: { type: 'string', default: '1,10' },
    only: { type: 'string', default: '' },
  },
});
const SECONDS = Number(values.seconds ?? (values.short ? 10 : 60));
const P99_MS = 250;
const RECOVERY_MS = 1000;
/** What the process may take: the sum of OVERLOAD.md, and the program with its heap's slack. */
const RSS_BOUND = 1200e6;
const VICTIM_MS = 50;
/** A wait that nobody would call normal. */
const SLOW_MS = 100;
const PATIENCE_MS = 120_000;
const START_SEC = 1_700_000_000;
const SAMPLES = 300_000;
const ARCHIVES = 1000;
const METRICS = 10;

const out = mkdtempSync(path.join(tmpdir(), 'pmgate-siege-'));
writeArchives(path.join(out, 'root'));
const configFile = path.join(out, 'pmgate.yaml');
writeFileSync(
  configFile,
  stringify({
    listen: { port: 0 },
    local: { source: 'embedded' },
    state: { directory: path.join(out, 'state') },
    archives: { roots: [path.join(out, 'root')] },
  }),
);
const gateway = await GatewayProcess.start(configFile, path.join(out, 'pmgate.log'), {});
process.stdout.write(`${machineText(describeMachine())}\n`);

/** One archive of many samples, and many of one host that are alike. */
function writeArchives(root: string): void {
  const many = path.join(root, 'many');
  mkdirSync(many, { recursive: true });
  const long = new ArchiveBuilder({ version: 3, start: [START_SEC, 0], hostName: 'long.example' })
    .metric({ pmid: 1, names: ['siege.gauge'], type: MetricType.U32, semantics: Semantics.INSTANT })
    .metric({ pmid: 2, names: ['siege.counter'], type: MetricType.U64, semantics: Semantics.COUNTER });
  for (let i = 0; i < SAMPLES; i++) {
    const sets = [1, 2].map((pmid) => ({ pmid, values: [[-1, i] as const] }));
    long.record([START_SEC + i, 0], sets);
  }
  long.write(root, 'long');
  for (let k = 0; k < ARCHIVES; k++) {
    const start = START_SEC + 60 * k;
    const archive = new ArchiveBuilder({ version: 3, start: [start, 0], hostName: 'many.example' });
    const numbers = Array.from({ length: 10 }, (_, i) => i);
    archive.indom(
      [start, 0],
      1,
      numbers.map((i) => [i, `instance ${i}`] as const),
    );
    for (let m = 0; m < METRICS; m++) {
      const semantics = Semantics.INSTANT;
      archive.metric({ pmid: m, names: [`many.metric${m}`], type: MetricType.U32, indom: 1, semantics });
    }
    for (let i = 0; i < 3; i++) {
      const own = numbers.map((instance) => [instance, i] as const);
      archive.record(
        [start + i, 0],
        Array.from({ length: METRICS }, (_, pmid) => ({ pmid, values: own })),
      );
    }
    archive.write(many, String(k).padStart(4, '0'));
  }
}

interface Answer {
  readonly status: number;
  readonly bytes: number;
  readonly text: string;
}

interface Sent {
  readonly method?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly signal?: AbortSignal;
  readonly localAddress?: string;
}

/** One request on a connection of its own. Never rejects. */
function send(url: string, { body, ...options }: Sent = {}): Promise<Answer> {
  return new Promise((resolve) => {
    const to = { host: '127.0.0.1', port: gateway.port, path: url, agent: false, ...options };
    const request = http.request(to, (answer) => {
      let [text, bytes] = ['', 0];
      answer.on('data', (chunk: Buffer) => {
        if (bytes < 100_000) text += chunk.toString('latin1');
        bytes += chunk.length;
      });
      answer.on('error', () => undefined);
      answer.on('close', () => resolve({ status: answer.statusCode ?? 0, bytes, text }));
    });
    request.on('error', ({ message }) => resolve({ status: 0, bytes: 0, text: message }));
    request.setTimeout(PATIENCE_MS, () => request.destroy(new Error('no answer')));
    request.end(body);
  });
}

async function idsOf(expr: string): Promise<readonly string[]> {
  const { text } = await send(`/series/query?expr=${encodeURIComponent(expr)}`);
  return JSON.parse(text) as string[];
}

const [gauge = ''] = await idsOf('siege.gauge');
const many = await idsOf('many.*');
const WHOLE = { start: String(START_SEC), finish: String(START_SEC + SAMPLES) };
const sum = (count: number, of: string): string => Array<string>(count).fill(of).join(' + ');
const strangers = Array.from({ length: 9_990 }, (_, i) => i.toString(16).padStart(40, '0'));
const expressions: string[] = [];
for (let i = 0; i < 500; i++) expressions.push(...(await idsOf(`many.metric1 * ${i + 2}`)));
const repeated = (id: string, count: number): string => Array<string>(count).fill(id).join(',');
const bigCheck = `hinv.ncpu${'+1'.repeat(990)}`;
const list = (count: number, of: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => of(i)).join(',');
const checks = Array.from({ length: 100 }, () => ({
  path: `/derived/check?expr=${encodeURIComponent(bigCheck)}`,
}));
const emptyQueries = compress(Uint8Array.from({ length: 600_000 }, (_, i) => (i % 2 === 0 ? 0x0a : 0)));
const everything = compress(
  readRequest(
    Array.from({ length: 100 }, () => ({ startMs: 0, endMs: 4e12, matchers: [['__name__', '=~', '.+'] as const] })),
  ),
);

type Request = readonly [url: string, parameters: Readonly<Record<string, string>> | Uint8Array | object];

const embedded = { hostspec: 'embedded' };
const load = { ...embedded, name: 'kernel.all.load' };
const [one, unknown] = [repeated('kernel.all.load', 9_990), list(9_990, (i) => `no.${i}`)];

/** What each attack sends, again and again on each connection. */
const ATTACKS: Readonly<Record<string, () => Request>> = {
  'values: one id 2,000 times': () => ['/series/values', { series: repeated(gauge, 2000), ...WHOLE }],
  'values: 9,990 unknown ids': () => ['/series/values', { series: strangers.join(','), ...WHOLE }],
  'values: 500 expressions': () => ['/series/values', { series: expressions.join(','), samples: '0' }],
  'values: the newest 100,000': () => ['/series/values', { series: [gauge, ...many].join(','), samples: '100000' }],
  'instances: 10 ids 999 times': () => ['/series/instances', { series: repeated(many.join(','), 999) }],
  'instances: 9,990 unknown ids': () => ['/series/instances', { series: strangers.join(',') }],
  'instances: 500 expressions': () => ['/series/instances', { series: expressions.join(',') }],
  'labels: 9,990 unknown ids': () => ['/series/labels', { series: strangers.join(',') }],
  'labels: 9,990 names': () => ['/series/labels', { names: strangers.join(',') }],
  'descs: 9,990 unknown ids': () => ['/series/descs', { series: strangers.join(',') }],
  'descs: 500 expressions': () => ['/series/descs', { series: expressions.join(',') }],
  'metrics: 9,990 unknown ids': () => ['/series/metrics', { series: strangers.join(',') }],
  'sources: 9,990 unknown ids': () => ['/series/sources', { source: strangers.join(',') }],
  'query: 60 operands of 300,000 samples': () => ['/series/query', { expr: sum(60, 'siege.gauge[samples:0]') }],
  'query: 8 operands of 300,000 samples': () => ['/series/query', { expr: sum(8, 'siege.gauge[samples:0]') }],
  'query: 20 nested functions': () => [
    '/series/query',
    { expr: `${'abs(floor('.repeat(10)}siege.gauge[samples:0]${')'.repeat(20)}` },
  ],
  'query: the top of 300,000 samples': () => [
    '/series/query',
    { expr: 'topk_inst(rate(siege.counter[samples:0]), 300000)' },
  ],
  'query: 100 selections over 1,000 archives': () => [
    '/series/query',
    { expr: list(100, (i) => `rate(m*{metric.name =~ "a.*b.*c${i}"})`).replaceAll(',', ' + ') },
  ],
  'check: 990 operators': () => ['/derived/check', { expr: bigCheck }],
  'check: 990 operators, always others': () => [
    '/derived/check',
    { expr: `hinv.ncpu${`+${Math.floor(Math.random() * 1e6)}`.repeat(990)}` },
  ],
  'check: 100 of 990 operators in a batch': () => ['/pmapi/batch', checks],
  'fetch: one name 9,990 times': () => ['/pmapi/fetch', { ...embedded, names: one }],
  'fetch: 9,990 unknown names': () => ['/pmapi/fetch', { ...embedded, names: unknown }],
  'fetch: one PMID 9,990 times': () => ['/pmapi/fetch', { ...embedded, pmids: repeated('60.2.0', 9_990) }],
  'fetch: one host 900 times': () => [
    '/pmapi/fetch',
    { hostspecs: repeated('embedded', 900), names: 'kernel.all.load' },
  ],
  'range: one name 9,990 times': () => [
    '/pmapi/fetch',
    { archive: 'many/0001', names: repeated('many.metric1', 9_990), start: '-1hour' },
  ],
  'metric: one name 9,990 times': () => ['/pmapi/metric', { ...embedded, names: one }],
  'metric: 9,990 unknown names': () => ['/pmapi/metric', { ...embedded, names: unknown }],
  'metrics: one name 9,990 times': () => ['/pmapi/metrics', { ...embedded, names: one }],
  'indom: one instance 9,990 times': () => ['/pmapi/indom', { ...load, instance: repeated('1', 9_990) }],
  'indom: 9,990 unknown instances': () => ['/pmapi/indom', { ...load, iname: unknown }],
  'profile: 9,990 instances': () => ['/pmapi/profile', { ...load, expr: 'add', iname: unknown }],
  'search: 1,000 words': () => [`/search?query=${list(1000, (i) => `w${i}`).replaceAll(',', '+')}`, {}],
  'changes: one name 450 times': () => [
    `/changes?archive=long&after=@${START_SEC + SAMPLES - 60}&names=${repeated('siege.gauge', 450)}`,
    {},
  ],
  'remote read: 300,000 empty queries': () => ['/api/v1/read', emptyQueries],
  'remote read: 100 queries of everything': () => ['/api/v1/read', everything],
};

function attack(name: string, signal: AbortSignal): Promise<Answer> {
  const [url, parameters] = ATTACKS[name]!();
  if (url.includes('?')) return send(url, { signal });
  const method = 'POST';
  if (parameters instanceof Uint8Array) {
    return send(url, { method, headers: REMOTE_READ_HEADERS, body: parameters, signal });
  }
  const isJson = url === '/pmapi/batch';
  const type = isJson ? 'application/json' : 'application/x-www-form-urlencoded';
  const body = isJson
    ? JSON.stringify(parameters)
    : new URLSearchParams(parameters as Record<string, string>).toString();
  return send(url, { method, headers: { 'Content-Type': type }, body, signal });
}

interface Wait {
  readonly endMs: number;
  readonly tookMs: number;
  readonly isOk: boolean;
}

/** Ask again and again from another address. */
async function watch(url: string, isOver: () => boolean): Promise<readonly Wait[]> {
  const waits: Wait[] = [];
  while (!isOver()) {
    const startMs = performance.now();
    const { status } = await send(url, { localAddress: '127.0.0.2' });
    const endMs = performance.now();
    waits.push({ endMs, tookMs: endMs - startMs, isOk: status === 200 });
    await pause(VICTIM_MS);
  }
  return waits;
}

const ms = (value: number): string => `${Math.round(value)} ms`;
const rows: string[][] = [];
const failed: string[] = [];

async function besiege(name: string, connections: number): Promise<void> {
  await pause(1000);
  await gateway.inside(true);
  const before = gateway.outside();
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const startMs = performance.now();
  const attackEndMs = startMs + SECONDS * 1000;
  const isDone = (): boolean => performance.now() >= attackEndMs + 3000 || !gateway.isRunning;
  const counts = new Map<string, number>();
  let [rss, bytes, answers] = [0, 0, 0];
  const besieger = async (): Promise<void> => {
    while (!stop.signal.aborted && gateway.isRunning) {
      const answer = await attack(name, stop.signal);
      const hasLeft = (stop.signal as { readonly aborted: boolean }).aborted;
      const status = answer.status === 0 ? (hasLeft ? 'left' : answer.text) : String(answer.status);
      counts.set(status, (counts.get(status) ?? 0) + 1);
      bytes = Math.max(bytes, answer.bytes);
      answers++;
      if (answer.status !== 200) await pause(20);
    }
  };
  let restCpuMs = 0;
  const measure = async (): Promise<void> => {
    while (performance.now() < attackEndMs && gateway.isRunning) {
      rss = Math.max(rss, gateway.outside().rssBytes);
      await pause(100);
    }
    stop.abort();
    await pause(RECOVERY_MS);
    const { cpuMs } = gateway.outside();
    await pause(1000);
    restCpuMs = gateway.outside().cpuMs - cpuMs;
  };
  const [fetches, health] = await Promise.all([
    watch('/pmapi/fetch?names=kernel.all.load&hostspec=embedded', isDone),
    watch('/healthz', isDone),
    measure(),
    ...Array.from({ length: connections }, besieger),
  ]);
  if (!gateway.isRunning) return void failed.push(`${name}: the gateway ended`);
  const { loopMaxMs } = await gateway.inside(false);
  const during = [fetches, health].map((waits) => waits.filter(({ endMs, tookMs }) => endMs - tookMs < attackEndMs));
  const [p99, healthP99] = during.map((waits) =>
    quantile(
      waits.map(({ tookMs }) => tookMs),
      0.99,
    ),
  ) as [number, number];
  const slow = [...fetches, ...health].filter(({ tookMs }) => tookMs > SLOW_MS).map(({ endMs }) => endMs - attackEndMs);
  const recoveryMs = Math.max(0, ...slow);
  const cpu = (gateway.outside().cpuMs - before.cpuMs) / Math.max(1, answers);
  rows.push([
    name,
    String(connections),
    `${ms(p99)}, ${ms(healthP99)}`,
    ms(Math.max(...during.flat().map(({ tookMs }) => tookMs))),
    `${fetches.filter(({ isOk }) => !isOk).length} of ${fetches.length}`,
    ms(loopMaxMs),
    ms(cpu),
    ms(recoveryMs),
    ms(restCpuMs),
    `${Math.round(rss / 1e6)} MB`,
    `${Math.round(bytes / 1000)} KB`,
    [...counts].map(([status, count]) => `${status} × ${count}`).join(', '),
  ]);
  process.stdout.write(`${rows.at(-1)!.join(' | ')}\n`);
  const why = [
    ...(Math.max(p99, healthP99) < P99_MS ? [] : [`others' p99 was ${ms(Math.max(p99, healthP99))}`]),
    ...(recoveryMs <= RECOVERY_MS ? [] : [`recovery took ${ms(recoveryMs)}`]),
    ...(rss <= RSS_BOUND ? [] : [`${Math.round(rss / 1e6)} MB`]),
    ...(counts.has('500') ? ['answered 500'] : []),
  ];
  failed.push(...why.map((reason) => `${name}, ${connections} connections: ${reason}`));
}

// What the machine itself makes others wait.
await besiege('nothing', 0);
for (const name of Object.keys(ATTACKS).filter((each) => each.includes(values.only))) {
  for (const connections of values.connections.split(',')) await besiege(name, Number(connections));
}
const head =
  'attack,connections,p99 fetch/healthz,longest,not 200,longest turn,CPU each,recovery,CPU after,memory,answer,statuses';
process.stdout.write(`\n${markdownTable([head.split(','), ...rows])}\n`);
failed.push(...gateway.faults.map(({ line }) => line.slice(0, 300)));
const exitCode = await gateway.stop(15_000);
if (exitCode !== 0) failed.push(`the gateway ended with ${exitCode ?? 'a kill'}`);
for (const why of failed) process.stdout.write(`FAILED ${why}\n`);
if (failed.length === 0) rmSync(out, { recursive: true, force: true });
process.exit(failed.length === 0 ? 0 : 1);
