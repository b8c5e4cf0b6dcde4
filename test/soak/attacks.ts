/**
 * Attacks of one client on the built gateway, which has a small heap, one kind after the other and then all at once, while another client
 * makes small fetches and asks for health. Nothing may die, and memory must stay bounded; how long the other client waited is reported.
 *
 *   npm run soak:attacks -- [--seconds N] [--short]
 *
 * `--seconds` is for all kinds at once, each by itself takes a quarter of it: 60 seconds, 10 with --short. The exit code is 1 when the gateway
 * ended, answered 500, logged a defect, or took more memory than {@link RSS_BOUND}.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { markdownTable } from '../bench/budgets.js';
import { describeMachine, machineText } from '../bench/support/machine.js';
import { quantile } from '../bench/support/report.js';
import { GatewayProcess } from './gateway-process.js';

const { values } = parseArgs({ options: { seconds: { type: 'string' }, short: { type: 'boolean', default: false } } });
const SECONDS = Number(values.seconds ?? (values.short ? 10 : 60));
/** The heap that the gateway gets, in megabytes; the machine of a small installation has no more. */
const HEAP_MB = 512;
/** What the process may take at most: its heap, what lies beside it, and the program. */
const RSS_BOUND = 900e6;
const VICTIM_MS = 50;
const PATIENCE_MS = 30_000;

interface Answer {
  readonly status: number;
  readonly body: string;
}

const out = mkdtempSync(path.join(tmpdir(), 'pmgate-attacks-'));
const configFile = path.join(out, 'pmgate.yaml');
writeFileSync(
  configFile,
  stringify({ listen: { port: 0 }, local: { source: 'embedded' }, state: { directory: path.join(out, 'state') } }),
);
const gateway = await GatewayProcess.start(configFile, path.join(out, 'pmgate.log'), {
  NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
});
process.stdout.write(`${machineText(describeMachine())}\n`);
const statuses = new Map<string, Map<string, number>>();

/** One request; `isLeft` leaves as soon as the answer begins. Never rejects. */
function send(
  options: http.RequestOptions,
  { body, isLeft = false }: { readonly body?: string; readonly isLeft?: boolean } = {},
): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException): void => resolve({ status: 0, body: error.code ?? error.message });
    const request = http.request({ host: '127.0.0.1', port: gateway.port, agent: false, ...options }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        if (text.length < 4096) text += chunk;
        if (!isLeft) return;
        resolve({ status: answer.statusCode ?? 0, body: text });
        request.destroy();
      });
      answer.on('error', fail);
      answer.on('close', () => resolve({ status: answer.statusCode ?? 0, body: text }));
    });
    request.on('error', fail);
    request.setTimeout(PATIENCE_MS, () => request.destroy(new Error('no answer')));
    request.end(body);
  });
}

const get = (url: string, isLeft = false): Promise<Answer> => send({ path: url }, { isLeft });
const post = (url: string, type: string, body: string): Promise<Answer> =>
  send({ path: url, method: 'POST', headers: { 'Content-Type': type } }, { body });
const postJson = (url: string, body: unknown): Promise<Answer> => post(url, 'application/json', JSON.stringify(body));

/** What one turn of each attack sends; `turn` counts. */
const ATTACKS: Readonly<Record<string, (turn: number) => Promise<readonly Answer[]>>> = {
  'R1 checks of texts that never end': async () => {
    const brackets = `[${','.repeat(20)}${'['.repeat(15_900)}`;
    return Promise.all([
      get(`/derived/check?expr=${encodeURIComponent(brackets).replaceAll('%2C', ',').replaceAll('%5B', '[')}`),
      post('/derived/check', 'text/plain', '['.repeat(200_000)),
      post('/derived/check', 'text/plain', 'rescale('.repeat(12_000)),
    ]);
  },
  'R2 definitions of 2,000 tokens': async (turn) => {
    const sum = `hinv.ncpu${'+1'.repeat(999)}`;
    const text = Array.from({ length: 31 }, (_, i) => `siege.t${turn}.d${i} = ${sum}\n`).join('');
    return [await post('/derived', 'text/plain', text), await get('/pmapi/children?prefix=siege')];
  },
  'R3 contexts that keep views and plans': async (turn) => {
    const { body } = await get('/pmapi/context?polltimeout=86400&hostspec=embedded');
    const context = /"context":(\d+)/.exec(body)?.[1] ?? '0';
    const names = Array.from({ length: 999 }, () => 'hinv.ncpu');
    return Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        i % 2 === 0
          ? postJson(`/pmapi/${context}/fetch`, { names, top: turn * 8 + i + 1 })
          : get(`/pmapi/${context}/fetch?prefix=&rate=true&top=${turn * 8 + i + 1}`),
      ),
    );
  },
  'R5 fetches of thousands of names': async () => {
    const names = Array.from({ length: 999 }, (_, i) => (i % 2 === 0 ? 'kernel.all.load' : 'mem.util.free'));
    return Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        i % 4 === 0 ? get('/pmapi/fetch?prefix=&hostspec=embedded') : postJson('/pmapi/fetch', { names }),
      ),
    );
  },
  'R6 streams that are opened and left': async (turn) =>
    Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        get(`/pmapi/stream?prefix=&hostspec=embedded&interval=1sec&client=c${turn * 10 + i}`, true),
      ),
    ),
};

/** Waits of the other client, in milliseconds, and answers other than 200. */
interface Waits {
  readonly tookMs: number[];
  failures: number;
}

async function watch(url: string, waits: Waits, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const startMs = performance.now();
    const { status } = await get(url);
    waits.tookMs.push(performance.now() - startMs);
    if (status !== 200) waits.failures++;
    await pause(VICTIM_MS);
  }
}

async function attack(name: string, isOver: () => boolean): Promise<void> {
  const counts = statuses.get(name) ?? new Map<string, number>();
  statuses.set(name, counts);
  for (let turn = 0; !isOver(); turn++) {
    for (const { status } of await ATTACKS[name]!(turn)) {
      counts.set(String(status), (counts.get(String(status)) ?? 0) + 1);
    }
  }
}

const rows: string[][] = [];
let mostRss = 0;

async function siege(title: string, names: readonly string[], seconds: number): Promise<void> {
  const endMs = performance.now() + seconds * 1000;
  const isOver = (): boolean => performance.now() >= endMs || !gateway.isRunning;
  const [fetches, health]: Waits[] = [
    { tookMs: [], failures: 0 },
    { tookMs: [], failures: 0 },
  ];
  let rss = 0;
  const measure = async (): Promise<void> => {
    while (!isOver()) {
      rss = Math.max(rss, gateway.outside().rssBytes);
      await pause(250);
    }
  };
  await Promise.all([
    ...names.map((name) => attack(name, isOver)),
    watch('/pmapi/fetch?names=kernel.all.load&hostspec=embedded', fetches!, isOver),
    watch('/healthz', health!, isOver),
    measure(),
  ]);
  mostRss = Math.max(mostRss, rss);
  const cells = ({ tookMs, failures }: Waits): string[] => [
    `${Math.round(quantile(tookMs, 0.99))} ms`,
    `${Math.round(Math.max(...tookMs))} ms`,
    `${failures} of ${tookMs.length}`,
  ];
  rows.push([title, ...cells(fetches!), ...cells(health!).slice(0, 2), `${Math.round(rss / 1e6)} MB`]);
}

await siege('nothing', [], SECONDS / 4);
for (const name of Object.keys(ATTACKS)) await siege(name, [name], SECONDS / 4);
await siege('all at once', Object.keys(ATTACKS), SECONDS);

const head = ['attack', 'fetch p99', 'longest', 'not 200', '/healthz p99', 'longest', 'memory'];
process.stdout.write(`\n${markdownTable([head, ...rows])}\n`);
for (const [name, counts] of statuses) {
  process.stdout.write(`- ${name}: ${[...counts].map(([status, count]) => `${status} × ${count}`).join(', ')}\n`);
}
const wasRunning = gateway.isRunning;
const exitCode = await gateway.stop(PATIENCE_MS);
const failed = [
  ...(wasRunning ? [] : ['the gateway ended under attack']),
  ...(exitCode === 0 ? [] : [`the gateway ended with ${exitCode ?? 'a kill'}`]),
  ...[...statuses].flatMap(([name, counts]) => (counts.has('500') ? [`${name}: answered 500`] : [])),
  ...gateway.faults.map(({ line }) => line.slice(0, 300)),
  ...(mostRss <= RSS_BOUND ? [] : [`${Math.round(mostRss / 1e6)} MB of memory, and ${RSS_BOUND / 1e6} were allowed`]),
];
for (const why of failed) process.stdout.write(`FAILED ${why}\n`);
process.stdout.write(failed.length === 0 ? 'Nothing died, and memory stayed bounded.\n' : `Files in ${out}\n`);
process.exit(failed.length === 0 ? 0 : 1);
