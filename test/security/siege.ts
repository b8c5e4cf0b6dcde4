/**
 * Attacks that last, on the built gateway: requests that take far more of it than of their sender, from many connections at once; files in
 * the directory of MMV files; uploads that are never finished; signals. Meanwhile other clients fetch, ask for health and push archives from
 * another address: how long they wait, what memory the gateway takes, and how soon all is as before.
 *
 *   npm run security:siege -- [--short] [--seconds N] [--connections 1,50] [--heap MB] [--untimed] [TEXT...]
 *
 * Each attack whose name has one of the TEXTs lasts 60 seconds, 5 with --short. The heap may be 900 MB, or as --heap says: without a
 * limit, Node lets garbage grow as far as the machine has memory. Exit code 1 when another client's p99 was {@link P99_MS} or more, recovery
 * took longer than {@link RECOVERY_MS}, memory exceeded {@link RSS_BOUND}, another client was answered something else than 200 after the
 * attack, or the gateway answered 500 or ended; with --untimed, for busy machines, not for how long anybody waited. Sends to 127.0.0.1 only.
 */
import { fork } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import net from 'node:net';
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
import { buildMmv } from '../support/mmv-builder.js';
import { readRequest, REMOTE_READ_HEADERS } from '../support/remote-read.js';
import { type Answer, send } from './support/send.js';
import type { Wait } from './support/siege-victims.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string' },
    short: { type: 'boolean', default: false },
    connections: { type: 'string', default: '1,50' },
    heap: { type: 'string', default: '900' },
    untimed: { type: 'boolean', default: false },
  },
});
const SECONDS = Number(values.seconds ?? (values.short ? 5 : 60));
const P99_MS = 250;
const RECOVERY_MS = 1000;
const HEAP_MB = Number(values.heap);
/** What the process may take: its heap, which has room for the sum of OVERLOAD.md, what lies beside it, and the program. */
const RSS_BOUND = (HEAP_MB + 300) * 1e6;
/** A wait that nobody would call normal. */
const SLOW_MS = 100;
const START_SEC = 1_700_000_000;
const SAMPLES = 300_000;
const ARCHIVES = 1000;
const METRICS = 10;
const MIB = 1024 * 1024;
const ATTACKER = '127.0.0.66';

const out = mkdtempSync(path.join(tmpdir(), 'pmgate-siege-'));
writeArchives(path.join(out, 'root'));
const mmv = path.join(out, 'mmv');
mkdirSync(mmv);
const configFile = path.join(out, 'pmgate.yaml');
writeFileSync(
  configFile,
  stringify({
    listen: { port: 0 },
    local: { source: 'embedded', mmvDirectory: mmv },
    state: { directory: path.join(out, 'state') },
    archives: { roots: [path.join(out, 'root')] },
    push: { enabled: true, from: ['127.0.0.0/8'] },
  }),
);
const gateway = await GatewayProcess.start(configFile, path.join(out, 'pmgate.log'), {
  NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
});
const { port } = gateway;
const victims = fork('test/security/support/siege-victims.ts', [String(port)]);
const [VICTIMS] = (await once(victims, 'message')) as [readonly string[]];
const nowMs = (): number => performance.timeOrigin + performance.now();
process.stdout.write(`${machineText(describeMachine())}\n`);
const RENAME_MS = 50;

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

async function idsOf(expr: string): Promise<readonly string[]> {
  const { text } = await send(`/series/query?expr=${encodeURIComponent(expr)}`, { port });
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
const checks = Array.from({ length: 100 }, () => ({ path: `/derived/check?expr=${encodeURIComponent(bigCheck)}` }));
const emptyQueries = compress(Uint8Array.from({ length: 600_000 }, (_, i) => (i % 2 === 0 ? 0x0a : 0)));
const everything = compress(
  readRequest(
    Array.from({ length: 100 }, () => ({ startMs: 0, endMs: 4e12, matchers: [['__name__', '=~', '.+'] as const] })),
  ),
);

/** A text is sent as plain text, bytes as they are, all else as a form or JSON. */
type Request = readonly [url: string, parameters: Readonly<Record<string, string>> | Uint8Array | object | string];

const embedded = { hostspec: 'embedded' };
const load = { ...embedded, name: 'kernel.all.load' };
const [one, unknown] = [repeated('kernel.all.load', 9_990), list(9_990, (i) => `no.${i}`)];

/** Calls of an assistant's tools, those that read most. */
const LONG = { host: 'long.example', start: isoOf(START_SEC), finish: isoOf(START_SEC + SAMPLES) };
const CALLS: readonly (readonly [string, object])[] = [
  ['pcp_hosts', {}],
  ['pcp_diagnose', LONG],
  ['pcp_changes', LONG],
  ['pcp_find', { host: 'embedded', words: 'processor time disk memory network', limit: 50 }],
  ['pcp_query', { ...LONG, names: ['siege.gauge', 'siege.counter'], top: 50 }],
  ['pcp_query', { ...LONG, expr: sum(20, 'rate(siege.counter)') }],
  ['pcp_query', { host: 'many.example', names: Array.from({ length: METRICS }, (_, m) => `many.metric${m}`), top: 50 }],
  ['pcp_why', { host: 'embedded', names: ['proc.psinfo.utime', 'proc.psinfo.stime', 'proc.psinfo.cmd'] }],
  ['pcp_why', { host: LONG.host, names: ['siege.counter'], at: LONG.finish }],
  ['pcp_check_expression', { host: 'embedded', expr: bigCheck }],
];
let turnOfCalls = 0;
let turnOfDefinitions = 0;
let lastTop = 0;

/** A batch that makes a context for a day, and has it keep eight views that nobody has asked for yet. */
function keeping(): readonly object[] {
  const names = Array.from({ length: 999 }, () => 'hinv.ncpu');
  const fetches = Array.from({ length: 4 }, () => [
    { method: 'POST', path: '/pmapi/{$c.context}/fetch', body: { names, top: ++lastTop } },
    { path: `/pmapi/{$c.context}/fetch?prefix=&rate=true&top=${++lastTop}` },
  ]);
  return [{ id: 'c', path: '/pmapi/context?polltimeout=86400&hostspec=embedded' }, ...fetches.flat()];
}

function isoOf(sec: number): string {
  return new Date(sec * 1000).toISOString();
}

function callOf([name, given]: (typeof CALLS)[number]): Request {
  return ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }];
}

/** What each connection of an attack sends, again and again. */
const REQUESTS: Readonly<Record<string, () => Request>> = {
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
  'check: brackets that do not end': () => ['/derived/check', '['.repeat(200_000)],
  'check: calls that do not end': () => ['/derived/check', 'rescale('.repeat(12_000)],
  'define: 31 sums of 2,000 tokens, always others': () => {
    const turn = turnOfDefinitions++;
    return ['/derived', list(31, (i) => `siege.t${turn}.d${i} = hinv.ncpu${'+1'.repeat(999)}\n`).replaceAll(',', '')];
  },
  'fetch: everything': () => ['/pmapi/fetch', { ...embedded, prefix: '' }],
  'fetch: a context that keeps views and plans': () => ['/pmapi/batch', keeping()],
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
  'stream: one name 9,990 times': () => ['/pmapi/stream', { ...embedded, names: one, interval: '100ms', samples: '3' }],
  'logger: bodies that are refused': () => ['/logger/label', Buffer.alloc(60_000, 1)],
  ...Object.fromEntries(CALLS.map((call, i) => [`mcp: ${call[0]} ${i}`, () => callOf(call)])),
  'mcp: all tools in turns': () => callOf(CALLS[turnOfCalls++ % CALLS.length]!),
  'remote read: 300,000 empty queries': () => ['/api/v1/read', emptyQueries],
  'remote read: 100 queries of everything': () => ['/api/v1/read', everything],
};

/** Of any attack, one after the other. */
let turnOfMix = 0;
const nextOfMix = (): (() => Request) => {
  const all = Object.values(REQUESTS);
  return all[turnOfMix++ % all.length]!;
};

/** Attacks whose requests differ. */
const CHANGING = [
  'check: 990 operators, always others',
  'define: 31 sums of 2,000 tokens, always others',
  'fetch: a context that keeps views and plans',
  'mcp: all tools in turns',
];

/** A body as bytes: the attacker's own work must not keep the others, who are in this process, waiting. */
const encoded = new Map<unknown, Buffer>();
function encode(parameters: object, isJson: boolean): Buffer {
  const text = isJson ? '' : new URLSearchParams(parameters as Record<string, string>).toString();
  return Buffer.from(isJson ? JSON.stringify(parameters) : text);
}

function attack(name: string, signal: AbortSignal): Promise<Answer> {
  const make = REQUESTS[name] ?? nextOfMix();
  const [url, parameters] = make();
  if (url.includes('?')) return send(url, { port, signal });
  const method = 'POST';
  if (parameters instanceof Uint8Array) {
    const headers = url === '/api/v1/read' ? REMOTE_READ_HEADERS : {};
    return send(url, { port, method, headers, body: parameters, signal });
  }
  if (typeof parameters === 'string')
    return send(url, { port, method, headers: { 'Content-Type': 'text/plain' }, body: parameters, signal });
  const isJson = url === '/pmapi/batch' || url === '/mcp';
  const type = isJson ? 'application/json' : 'application/x-www-form-urlencoded';
  const isAlwaysAlike = !CHANGING.some((each) => make === REQUESTS[each]);
  const body = (isAlwaysAlike && encoded.get(make)) || encode(parameters, isJson);
  encoded.set(make, body);
  return send(url, { port, method, headers: { 'Content-Type': type }, body, signal });
}

/** An attack that is no repeated request. */
interface Siege {
  readonly name: string;
  readonly begin?: () => void;
  /** One turn; the next follows `everyMs` later. */
  readonly turn: (turn: number) => unknown;
  readonly everyMs: number;
}

/** Files of one attack, of which one is renamed at each turn. */
function renamed(name: string, count: number, write: (file: string, i: number) => void): Siege {
  const nameOf = (i: number, isOdd: boolean): string =>
    path.join(mmv, `${String(i).padStart(5, '0')}${isOdd ? 'x' : ''}`);
  return {
    name,
    begin: () => Array.from({ length: count }, (_, i) => write(nameOf(i, false), i)),
    turn: (turn) => renameSync(nameOf(0, turn % 2 === 1), nameOf(0, turn % 2 === 0)),
    everyMs: RENAME_MS,
  };
}

const small = (generation = 1n): Buffer => buildMmv({ generation, metrics: [{ name: 'count', value: 7 }] });

function sparse(file: string): void {
  writeFileSync(file, small());
  truncateSync(file, 16 * MIB);
}

/** One instance domain with many instances, and as many metrics on it as a file may have. */
const WIDE = buildMmv({
  version: 2,
  indoms: [{ serial: 1, instances: Array.from({ length: 40_000 }, (_, i) => [i, ''] as const) }],
  metrics: Array.from({ length: 1000 }, (_, i) => ({ name: `m${i}`, serial: 1, value: [[i, i]] as const })),
});

const uploads = new Set<net.Socket>();

/** An upload that begins and says nothing more, or a byte now and then. */
function halfUpload(from: string, bytes: number, sent = Buffer.alloc(1000)): net.Socket {
  const socket = net.connect({ host: '127.0.0.1', port: gateway.port, localAddress: from });
  const head = `POST /logger/label HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${bytes}\r\n\r\n`;
  socket.on('error', () => undefined).on('close', () => uploads.delete(socket));
  socket.write(head);
  socket.write(sent);
  socket.resume();
  uploads.add(socket);
  return socket;
}

/** Keep a number of half uploads, each begun again when the gateway ends it; a byte of each at every turn. */
function half(name: string, count: number, addressOf: (i: number) => string, bytes = 5 * MIB): Siege {
  return {
    name,
    turn: () => {
      for (const socket of uploads) socket.write('x');
      for (let i = uploads.size; i < count; i++) halfUpload(addressOf(i), bytes);
    },
    everyMs: 500,
  };
}

const SIEGES: readonly Siege[] = [
  // What the machine itself makes others wait.
  { name: 'nothing', turn: () => undefined, everyMs: 1000 },
  renamed('mmv: 100 sparse files of 16 MiB', 100, sparse),
  renamed('mmv: 2,000 sparse files of 16 MiB', 2000, sparse),
  renamed('mmv: 10,000 files that are none', 10_000, (file) => writeFileSync(file, '')),
  renamed('mmv: 1,000 small files', 1000, (file) => writeFileSync(file, small())),
  renamed('mmv: 16 wide files', 16, (file) => writeFileSync(file, WIDE)),
  {
    name: 'mmv: 16 wide files and 16 sparse ones, all written anew',
    begin: () => {
      for (let i = 0; i < 16; i++) writeFileSync(path.join(mmv, `wide${i}`), WIDE);
      for (let i = 0; i < 16; i++) sparse(path.join(mmv, `z${i}`));
    },
    turn: (turn) => {
      for (const name of readdirSync(mmv)) {
        if (name !== 'good')
          writeFileSync(path.join(mmv, name), small(BigInt(turn + 2)).subarray(0, 24), { flag: 'r+' });
      }
    },
    everyMs: RENAME_MS,
  },
  half('push: 8 half uploads of one address', 8, () => ATTACKER),
  half('push: 200 half uploads of one address', 200, () => ATTACKER),
  half('push: 200 half uploads of 100 addresses', 200, (i) => `127.0.1.${(i % 100) + 1}`),
  half('push: 200 half uploads of little', 200, () => ATTACKER, 60_000),
  {
    name: 'streams: ten at a time, opened and left',
    turn: (turn) => {
      const url = '/pmapi/stream?prefix=&hostspec=embedded&interval=1sec&client=';
      for (let i = 0; i < 10; i++) void send(`${url}${turn * 10 + i}`, { port, signal: AbortSignal.timeout(50) });
    },
    everyMs: 50,
  },
  { name: 'signals: SIGHUP', turn: () => gateway.reload(), everyMs: 20 },
];

const ms = (value: number): string => `${Math.round(value)} ms`;
const rows: string[][] = [];
const failed: string[] = [];

/** What the other clients waited for until then, each in its turn. */
async function watch(endMs: number): Promise<readonly (readonly Wait[])[]> {
  const answered = once(victims, 'message');
  victims.send('begin');
  while (nowMs() < endMs && gateway.isRunning) await pause(50);
  victims.send('end');
  return ((await answered) as [readonly (readonly Wait[])[]])[0];
}

/** One attack: of requests on a number of connections, or of {@link SIEGES} in turns. */
async function besiege(name: string, connections: number, siege?: Siege): Promise<void> {
  for (const file of readdirSync(mmv)) rmSync(path.join(mmv, file));
  writeFileSync(path.join(mmv, 'good'), small());
  await pause(1000);
  await gateway.inside(true);
  siege?.begin?.();
  const before = gateway.outside();
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const attackEndMs = nowMs() + SECONDS * 1000;
  const isOver = (): boolean => nowMs() >= attackEndMs || !gateway.isRunning;
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
  const inTurns = async ({ turn, everyMs }: Siege): Promise<void> => {
    for (let i = 0; !isOver(); i++) {
      turn(i);
      answers++;
      await pause(everyMs);
    }
    for (const socket of uploads) socket.destroy();
  };
  let [cpuMs, restCpuMs] = [0, 0];
  const measure = async (): Promise<void> => {
    while (!isOver()) {
      rss = Math.max(rss, gateway.outside().rssBytes);
      await pause(100);
    }
    stop.abort();
    if (!gateway.isRunning) return;
    cpuMs = gateway.outside().cpuMs - before.cpuMs;
    await pause(RECOVERY_MS);
    const rest = gateway.outside().cpuMs;
    await pause(1000);
    restCpuMs = gateway.outside().cpuMs - rest;
  };
  const attacking = siege ? [inTurns(siege)] : Array.from({ length: connections }, besieger);
  const [watched] = await Promise.all([watch(attackEndMs + 3000), measure(), ...attacking]);
  if (!gateway.isRunning) return void failed.push(`${name}: the gateway ended`);
  const { loopMaxMs } = await gateway.inside(false);
  const during = watched.map((waits) => waits.filter(({ endMs, tookMs }) => endMs - tookMs < attackEndMs));
  const p99s = during.map((waits) =>
    quantile(
      waits.map(({ tookMs }) => tookMs),
      0.99,
    ),
  );
  const all = watched.flat();
  const recoveryMs = Math.max(
    0,
    ...all.filter(({ tookMs }) => tookMs > SLOW_MS).map(({ endMs }) => endMs - attackEndMs),
  );
  const late = all.filter(({ endMs, tookMs, status }) => endMs - tookMs > attackEndMs + RECOVERY_MS && status !== 200);
  rows.push([
    name,
    siege ? '' : String(connections),
    p99s.map((p99) => Math.round(p99)).join(', '),
    ms(Math.max(...during.flat().map(({ tookMs }) => tookMs))),
    watched.map((waits) => `${waits.filter(({ status }) => status !== 200).length}/${waits.length}`).join(', '),
    ms(loopMaxMs),
    `${Math.round(cpuMs / SECONDS / 10)} %`,
    ms(cpuMs / Math.max(1, answers)),
    ms(recoveryMs),
    ms(restCpuMs),
    `${Math.round(rss / 1e6)} MB`,
    `${Math.round(bytes / 1000)} KB`,
    [...counts].map(([status, count]) => `${status} × ${count}`).join(', '),
  ]);
  process.stdout.write(`${rows.at(-1)!.join(' | ')}\n`);
  const why = [
    ...(values.untimed || Math.max(...p99s) < P99_MS ? [] : [`others' p99 was ${ms(Math.max(...p99s))}`]),
    ...(values.untimed || recoveryMs <= RECOVERY_MS ? [] : [`recovery took ${ms(recoveryMs)}`]),
    ...(rss <= RSS_BOUND ? [] : [`${Math.round(rss / 1e6)} MB`]),
    ...(values.untimed || late.length === 0 ? [] : [`${late.length} of others were refused after recovery`]),
    ...(counts.has('500') ? ['answered 500'] : []),
  ];
  failed.push(...why.map((reason) => `${name}, ${siege ? 'in turns' : `${connections} connections`}: ${reason}`));
}

const isWanted = (name: string): boolean => positionals.length === 0 || positionals.some((text) => name.includes(text));
for (const siege of SIEGES.filter(({ name }) => isWanted(name))) await besiege(siege.name, 0, siege);
for (const name of [...Object.keys(REQUESTS), 'mix'].filter(isWanted)) {
  for (const connections of values.connections.split(',')) await besiege(name, Number(connections));
}
const head = [
  ...['attack', 'connections', `p99 in ms: ${VICTIMS.join(', ')}`, 'longest', 'not 200 of them'],
  ...['longest turn', 'CPU', 'CPU each', 'recovery', 'CPU after', 'memory', 'answer', 'statuses'],
];
process.stdout.write(`\n${markdownTable([head, ...rows])}\n`);
failed.push(...gateway.faults.map(({ line }) => line.slice(0, 300)));
victims.disconnect();
const exitCode = await gateway.stop(15_000);
if (exitCode !== 0) failed.push(`the gateway ended with ${exitCode ?? 'a kill'}`);
for (const why of failed) process.stdout.write(`FAILED ${why}\n`);
if (failed.length === 0) rmSync(out, { recursive: true, force: true });
process.exit(failed.length === 0 ? 0 : 1);
