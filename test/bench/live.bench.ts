/**
 * The whole gateway in front of a real pmcd, beside pmproxy in front of the same one: a fetch of three metrics on one context at
 * 1, 16 and 64 connections; a thousand contexts and 64 clients; one silent host among ten. Starts a pmcd and pmproxies of its
 * own, for pmproxy does not survive this. BENCH_SECONDS says how long the thousand contexts are asked (default 10).
 */
import { spawnSync } from 'node:child_process';
import http from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { findPmcd, startPmcd } from '../interop/support/pmcd-process.js';
import { get, startPmproxy } from '../interop/support/pmproxy.js';
import { loadUrl, LOAD_GENERATOR } from './support/load.js';
import { heading, median, report } from './support/report.js';
import { startServer } from './support/server-process.js';

const NAMES = 'kernel.all.load,mem.util.free,disk.dev.read';
const CONNECTIONS = [1, 16, 64] as const;
const ROUNDS = 3;
const LOAD_SEC = 2;
const CONTEXTS = 1000;
const CLIENTS = 64;
const CLIENTS_SEC = Number(process.env.BENCH_SECONDS ?? 10);
const HOSTS = 9;
const HOST_ROUNDS = 9;
const HOST_ROUND_MS = 1000;

if (findPmcd() === undefined) {
  process.stdout.write('SKIPPED: needs PCP and root\n');
  process.exit(0);
}

process.stdout.write(`load by ${LOAD_GENERATOR}\n`);
const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });

/** A GET whose answer is read whole. */
function ask(port: number, path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path, agent }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      })
      .on('error', reject);
  });
}

async function makeContext(port: number, query = ''): Promise<number> {
  const { body } = await ask(port, `/pmapi/context?polltimeout=600${query}`);
  return (JSON.parse(body) as { context: number }).context;
}

/** Fetches per second on one context; what failed counts as nothing. */
async function load(port: number, query: string, connections: number): Promise<{ rate: number; errors: number }> {
  const { body } = await get(port, `/pmapi/context?polltimeout=600${query}`);
  const { context } = JSON.parse(body) as { context: number };
  const url = `http://127.0.0.1:${port}/pmapi/${context}/fetch?names=${NAMES}`;
  return loadUrl(url, connections, LOAD_SEC);
}

/** The latency below which a share of some latencies lies. */
function quantile(latenciesMs: readonly number[], share: number): number {
  const sorted = [...latenciesMs].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

/** Ask over and over, `clients` side by side, for a while. */
async function drive(
  clients: number,
  durationMs: number,
  path: (turn: number) => string,
): Promise<{ latenciesMs: number[]; failed: number }> {
  const endMs = performance.now() + durationMs;
  const latenciesMs: number[] = [];
  let failed = 0;
  let turn = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const startMs = performance.now();
      const status = await ask(gateway.port, path(turn++)).then(
        (answer) => answer.status,
        () => 0,
      );
      latenciesMs.push(performance.now() - startMs);
      if (status !== 200) failed++;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { latenciesMs, failed };
}

const pmcd = await startPmcd();
const target = `127.0.0.1:${pmcd.port}`;
const held = new Set<Socket>();
const silent = createServer((socket) => held.add(socket.on('error', () => undefined)));
await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
const silentHost = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
// Ports that are never tried make each a host of its own.
const named = Object.fromEntries(Array.from({ length: HOSTS }, (_, i) => [`host${i}`, `pcp://${target},${1000 + i}`]));
const gateway = await startServer(['dist/pmgate.js', '--port', '0'], {
  PMGATE_HOSTS_ALLOW: `${target},${silentHost}`,
  PMGATE_HOSTS_NAMED: JSON.stringify(named),
}).catch(async (error: unknown) => {
  await pmcd.stop();
  throw error;
});

function pmcdClients(): number {
  const { stdout } = spawnSync('pminfo', ['-h', target, '-f', 'pmcd.numclients'], { encoding: 'utf8' });
  return Number(/value (\d+)/.exec(stdout)?.[1]);
}

try {
  heading(`fetch of 3 metrics on one context, ${ROUNDS} rounds of ${LOAD_SEC} s in turns`);
  let pmproxy = await startPmproxy(pmcd.port);
  let proxyBest = 0;
  const rates = new Map<
    number,
    { gateway: number[]; proxy: number[]; crashes: number; errors: number; proxyErrors: number }
  >();
  for (const connections of CONNECTIONS) {
    const row = { gateway: [] as number[], proxy: [] as number[], crashes: 0, errors: 0, proxyErrors: 0 };
    rates.set(connections, row);
    for (let round = 0; round < ROUNDS; round++) {
      const ours = await load(gateway.port, `&hostspec=${target}`, connections);
      row.gateway.push(ours.rate);
      row.errors += ours.errors;
      const theirs = await load(pmproxy.port, '', connections);
      row.proxy.push(theirs.rate);
      row.proxyErrors += theirs.errors;
      proxyBest = Math.max(proxyBest, theirs.rate);
      const lives = await get(pmproxy.port, '/pmapi/context').then(
        () => true,
        () => false,
      );
      if (!lives) {
        row.crashes++;
        await pmproxy.stop();
        pmproxy = await startPmproxy(pmcd.port);
      }
    }
  }
  await pmproxy.stop();
  for (const [connections, row] of rates) {
    const rate = median(row.gateway);
    report({ name: `pmgate, ${connections} connection(s)`, value: rate, unit: 'fetches/s' });
    report({ name: `pmproxy, ${connections} connection(s)`, value: median(row.proxy), unit: 'fetches/s' });
    report({ name: `pmproxy crashed, of ${ROUNDS} rounds`, value: row.crashes, unit: '' });
    report({ name: 'errors of pmproxy', value: row.proxyErrors, unit: '' });
    report({ name: 'errors of pmgate', value: row.errors, unit: '', budget: { atMost: 0 } });
    if (connections === 1) {
      const ratio = median(row.gateway.map((ours, i) => ours / row.proxy[i]!));
      report({ name: 'pmgate against pmproxy, 1 connection', value: ratio, unit: 'ratio', budget: { atLeast: 1 } });
    } else {
      const name = `pmgate, ${connections} connections, against pmproxy's best rate`;
      report({ name, value: rate / proxyBest, unit: 'ratio', budget: { atLeast: 4 } });
    }
  }

  heading(`${CONTEXTS} contexts, ${CLIENTS} clients, ${CLIENTS_SEC} s`);
  const before = pmcdClients();
  const contexts: number[] = [];
  while (contexts.length < CONTEXTS) contexts.push(await makeContext(gateway.port, `&hostspec=${target}`));
  const path = (turn: number): string => `/pmapi/${contexts[turn % CONTEXTS]!}/fetch?names=${NAMES}`;
  await drive(CLIENTS, 1000, path);
  const halves = [];
  for (let half = 0; half < 2; half++) halves.push(await drive(CLIENTS, CLIENTS_SEC * 500, path));
  const [first, second] = halves.map(({ latenciesMs }) => quantile(latenciesMs, 0.99));
  const count = halves.reduce((sum, { latenciesMs }) => sum + latenciesMs.length, 0);
  report({ name: 'fetches', value: count / CLIENTS_SEC, unit: 'fetches/s' });
  const failed = halves.reduce((sum, half) => sum + half.failed, 0);
  report({ name: 'failed', value: failed, unit: '', budget: { atMost: 0 } });
  report({ name: 'p99, first half', value: first!, unit: 'millisec' });
  report({ name: 'p99, second half against first', value: second! / first!, unit: 'ratio', budget: { atMost: 1.25 } });
  report({
    name: 'connections to pmcd, more than before',
    value: pmcdClients() - before,
    unit: '',
    budget: { atMost: 2 },
  });

  heading('nine hosts, one client each, while a tenth is asked that accepts and stays silent');
  const onHosts: number[] = [];
  for (let i = 0; i < HOSTS; i++) onHosts.push(await makeContext(gateway.port, `&hostspec=host${i}`));
  const hostPath = (turn: number): string => `/pmapi/${onHosts[turn % HOSTS]!}/fetch?names=${NAMES}`;
  const [quiet, disturbed]: [number[], number[]] = [[], []];
  await drive(HOSTS, HOST_ROUND_MS, hostPath);
  for (let round = 0; round < HOST_ROUNDS; round++) {
    quiet.push(quantile((await drive(HOSTS, HOST_ROUND_MS, hostPath)).latenciesMs, 0.99));
    let asking = true;
    const tenth = async (): Promise<void> => {
      while (asking)
        await ask(gateway.port, `/pmapi/fetch?hostspec=${silentHost}&names=${NAMES}`).catch(() => undefined);
    };
    const silence = Promise.all([tenth(), tenth(), tenth(), tenth()]);
    const driven = await drive(HOSTS, HOST_ROUND_MS, hostPath);
    disturbed.push(quantile(driven.latenciesMs, 0.99));
    if (driven.failed > 0) throw new Error(`${driven.failed} fetches failed beside a silent host`);
    asking = false;
    await silence;
  }
  report({ name: 'p99 of the nine, without the silent one', value: median(quiet), unit: 'millisec' });
  report({ name: 'p99 of the nine, beside the silent one', value: median(disturbed), unit: 'millisec' });
  const moved = median(disturbed.map((p99, i) => p99 / quiet[i]!));
  report({ name: 'p99 beside the silent one, against without', value: moved, unit: 'ratio', budget: { atMost: 1.1 } });
} finally {
  agent.destroy();
  await gateway.stop();
  await pmcd.stop();
  for (const socket of held) socket.destroy();
  silent.close();
}
