/**
 * Attacks that last, on the built gateway: what lies in the directory of MMV files, and uploads that are never finished. Meanwhile other clients
 * fetch, ask for health and push archives of their own from another address.
 *
 *   npm run security:sieges -- [--seconds N] [TEXT]
 *
 * Each attack whose title has TEXT takes N seconds (10), and its aftermath as many as half of that, at least 3. Prints for each kind of other
 * client the median, the 99th percentile and the longest wait, and how long after the end an answer still took longer than {@link SLOW_MS}.
 * The exit code is 1 when a 99th percentile or the recovery is beyond its bound, and when the gateway ended.
 */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { markdownTable } from '../bench/budgets.js';
import { describeMachine, machineText } from '../bench/support/machine.js';
import { quantile } from '../bench/support/report.js';
import { recordedFiles } from '../features/push/support.js';
import { GatewayProcess } from '../soak/gateway-process.js';
import { buildMmv } from '../support/mmv-builder.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '10' } },
});
const SECONDS = Number(values.seconds);
const SLOW_MS = 250;
const RECOVERY_MS = 1000;
const VICTIM_MS = 50;
const PATIENCE_MS = 60_000;
const RENAME_MS = 50;
const MIB = 1024 * 1024;
const ATTACKER = '127.0.0.66';
const VICTIM = '127.0.0.1';

const out = mkdtempSync(path.join(tmpdir(), 'pmgate-sieges-'));
const mmv = path.join(out, 'mmv');
mkdirSync(mmv);
const configFile = path.join(out, 'pmgate.yaml');
writeFileSync(
  configFile,
  stringify({
    listen: { port: 0 },
    local: { source: 'embedded', mmvDirectory: mmv },
    state: { directory: path.join(out, 'state') },
    push: { enabled: true, from: ['127.0.0.0/8'] },
  }),
);
const gateway = await GatewayProcess.start(configFile, path.join(out, 'pmgate.log'), {});
const ARCHIVE = recordedFiles('live-v3');

interface Siege {
  readonly title: string;
  readonly begin?: () => void;
  /** One turn; the next follows `everyMs` later. */
  readonly turn: (turn: number) => unknown;
  readonly everyMs: number;
}

/** Files of one attack, of which one is renamed at each turn. */
function renamed(title: string, count: number, write: (file: string, i: number) => void): Siege {
  const nameOf = (i: number, isOdd: boolean): string =>
    path.join(mmv, `${String(i).padStart(5, '0')}${isOdd ? 'x' : ''}`);
  return {
    title,
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
function half(title: string, count: number, addressOf: (i: number) => string, bytes = 5 * MIB): Siege {
  return {
    title,
    turn: () => {
      for (const socket of uploads) socket.write('x');
      for (let i = uploads.size; i < count; i++) halfUpload(addressOf(i), bytes);
    },
    everyMs: 500,
  };
}

const SIEGES: readonly Siege[] = [
  { title: 'nothing', turn: () => undefined, everyMs: 1000 },
  renamed('mmv: 100 sparse files of 16 MiB', 100, sparse),
  renamed('mmv: 2,000 sparse files of 16 MiB', 2000, sparse),
  renamed('mmv: 10,000 files that are none', 10_000, (file) => writeFileSync(file, '')),
  renamed('mmv: 1,000 small files', 1000, (file) => writeFileSync(file, small())),
  renamed('mmv: 16 wide files', 16, (file) => writeFileSync(file, WIDE)),
  {
    title: 'mmv: 16 wide files and 16 sparse ones, all written anew',
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
];

interface Waits {
  readonly tookMs: number[];
  /** When the last slow answer came. */
  slowMs: number;
  readonly statuses: Map<number, number>;
}

/** One request; its status, or 0. */
function send(
  options: http.RequestOptions,
  body?: Buffer,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve) => {
    const request = http.request(
      { host: '127.0.0.1', port: gateway.port, localAddress: VICTIM, agent: false, ...options },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text = (text + chunk).slice(0, 4096)));
        answer.on('close', () => resolve({ status: answer.statusCode ?? 0, text }));
      },
    );
    request.on('error', () => resolve({ status: 0, text: '' }));
    request.setTimeout(PATIENCE_MS, () => request.destroy());
    request.end(body);
  });
}

/** A host that pushes an archive over and over. */
function pusher(): () => Promise<number> {
  let id: string | undefined;
  let at = 0;
  const bodies = [...ARCHIVE.parts].map(
    ([part, bytes]) => [typeof part === 'number' ? `volume/${part}` : part, bytes] as const,
  );
  return async () => {
    if (id === undefined) {
      const { status, text } = await send({ method: 'POST', path: '/logger/label' }, ARCHIVE.label);
      id = /"archive":(\d+)/.exec(text)?.[1];
      return status;
    }
    const [part, bytes] = bodies[at++ % bodies.length]!;
    const { status } = await send({ method: 'POST', path: `/logger/${part}/${id}` }, bytes);
    if (status !== 200 || at % bodies.length === 0) id = undefined;
    return status;
  };
}

const get = (url: string) => async (): Promise<number> => (await send({ path: url })).status;
const VICTIMS: Readonly<Record<string, () => () => Promise<number>>> = {
  fetch: () => get('/pmapi/fetch?names=kernel.all.load&hostspec=embedded'),
  'fetch of mmv': () => get('/pmapi/fetch?names=mmv.good.count&hostspec=embedded'),
  healthz: () => get('/healthz'),
  push: pusher,
};

async function watch(ask: () => Promise<number>, waits: Waits, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const startMs = performance.now();
    const status = await ask();
    const tookMs = performance.now() - startMs;
    waits.tookMs.push(tookMs);
    if (tookMs > SLOW_MS) waits.slowMs = performance.now();
    waits.statuses.set(status, (waits.statuses.get(status) ?? 0) + 1);
    await pause(VICTIM_MS);
  }
}

const rows: string[][] = [];
const failed: string[] = [];

async function siege({ title, begin, turn, everyMs }: Siege): Promise<void> {
  for (const name of readdirSync(mmv)) rmSync(path.join(mmv, name));
  writeFileSync(path.join(mmv, 'good'), small());
  await pause(RECOVERY_MS);
  begin?.();
  const startMs = performance.now();
  const before = gateway.outside();
  const endMs = startMs + SECONDS * 1000;
  const isOver = (): boolean => performance.now() >= endMs || !gateway.isRunning;
  const isRecovered = (): boolean => performance.now() >= endMs + Math.max(3, SECONDS / 2) * 1000 || !gateway.isRunning;
  const waits = Object.keys(VICTIMS).map((): Waits => ({ tookMs: [], slowMs: 0, statuses: new Map() }));
  let during: readonly number[] = [];
  let rss = 0;
  let cpuMs = 0;
  const attack = async (): Promise<void> => {
    for (let i = 0; !isOver(); i++) {
      turn(i);
      rss = Math.max(rss, gateway.outside().rssBytes);
      await pause(everyMs);
    }
    for (const socket of uploads) socket.destroy();
    if (gateway.isRunning) cpuMs = gateway.outside().cpuMs - before.cpuMs;
    during = waits.map(({ tookMs }) => tookMs.length);
  };
  await Promise.all([attack(), ...Object.values(VICTIMS).map((make, i) => watch(make(), waits[i]!, isRecovered))]);
  for (const [i, name] of Object.keys(VICTIMS).entries()) {
    const { tookMs, slowMs, statuses } = waits[i]!;
    // A request that began during the attack belongs to it.
    const took = tookMs.slice(0, during[i]! + 1);
    const p99 = quantile(took, 0.99);
    const recoveryMs = Math.max(0, slowMs - endMs);
    const codes = [...statuses].map(([status, count]) => `${status} × ${count}`).join(', ');
    const ms = (value: number): string => `${Math.round(value)}`;
    const whole = i > 0 ? ['', '', ''] : [title, (cpuMs / SECONDS / 10).toFixed(0), `${Math.round(rss / 1e6)}`];
    rows.push([...whole, name, ms(quantile(took, 0.5)), ms(p99), ms(Math.max(...tookMs)), ms(recoveryMs), codes]);
    if (p99 > SLOW_MS) failed.push(`${title}: ${name} had a p99 of ${ms(p99)} ms`);
    if (recoveryMs > RECOVERY_MS) failed.push(`${title}: ${name} was slow for ${ms(recoveryMs)} ms after the end`);
    const bad = [...statuses.keys()].filter((status) => status !== 200);
    if (bad.length > 0) failed.push(`${title}: ${name} was answered ${bad.join(', ')}`);
  }
}

process.stdout.write(`${machineText(describeMachine())}\n`);
for (const each of SIEGES) {
  if (each.title.includes(positionals[0] ?? '') && gateway.isRunning) await siege(each);
}
const head = ['attack', 'CPU %', 'MB', 'other client', 'p50 ms', 'p99 ms', 'longest', 'slow after', 'answers'];
process.stdout.write(`\n${markdownTable([head, ...rows])}\n`);
if (!gateway.isRunning) failed.push('the gateway ended under attack');
await gateway.stop(PATIENCE_MS);
failed.push(...gateway.faults.map(({ line }) => line.slice(0, 300)));
for (const why of failed) process.stdout.write(`FAILED ${why}\n`);
rmSync(mmv, { recursive: true });
process.stdout.write(failed.length === 0 ? 'Nobody was held up.\n' : `Files in ${out}\n`);
process.exit(failed.length === 0 ? 0 : 1);
