/**
 * The whole gateway in front of a real pmcd, beside pmproxy in front of the same one: a fetch of three metrics on one context at
 * 16 and 64 connections (`lone` measures one, `load` a thousand contexts); one silent host among ten. Starts a pmcd and pmproxies of its own, for
 * pmproxy does not survive this. The gateway is the built bundle, as users run it.
 */
import http from 'node:http';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { findPmcd, startPmcd } from '../interop/support/pmcd-process.js';
import { type RunningPmproxy, get, startPmproxy } from '../interop/support/pmproxy.js';
import { BUDGETS } from './budgets.js';
import { type Load, loadUrl } from './support/load.js';
import { heading, IS_QUICK, median, quantile, report, skip } from './support/report.js';
import { startServer } from './support/server-process.js';
import { ask } from '../support/plain-request.js';

const NAMES = 'kernel.all.load,mem.util.free,disk.dev.read';
const CONNECTIONS = [16, 64] as const;
const ROUNDS = IS_QUICK ? 1 : 3;
const LOAD_SEC = IS_QUICK ? 1 : 2;
/** V8 compiles the path of a fetch for good after some 30,000 of them. */
const WARM_UP_CONNECTIONS = 32;
const WARM_UP_SEC = IS_QUICK ? 1 : 3;
const HOSTS = 9;
const HOST_ROUNDS = IS_QUICK ? 1 : 9;
const HOST_ROUND_MS = IS_QUICK ? 300 : 1000;

/** What a pmproxy has achieved that crashed before it was asked. */
const NO_ANSWER: Load = { rate: 0, p50Ms: NaN, p99Ms: NaN, errors: 1 };

if (findPmcd() === undefined) {
  skip('needs PCP, and root to start a pmcd');
  process.exit(0);
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });

async function makeContext(port: number, query = ''): Promise<number> {
  const { body } = await ask(port, `/pmapi/context?polltimeout=600${query}`, { agent });
  return (JSON.parse(body) as { context: number }).context;
}

/** Fetches of one context, over and over, for a while; what failed counts as nothing. */
async function load(port: number, query: string, connections: number, seconds = LOAD_SEC): Promise<Load> {
  const { body } = await get(port, `/pmapi/context?polltimeout=600${query}`);
  const { context } = JSON.parse(body) as { context: number };
  return loadUrl(`http://127.0.0.1:${port}/pmapi/${context}/fetch?names=${NAMES}`, connections, seconds);
}

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
      const status = await ask(gateway.port, path(turn++), { agent }).then(
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

let pmproxy: RunningPmproxy | undefined;
try {
  pmproxy = await startPmproxy(pmcd.port);
  const ourQuery = `&hostspec=${target}`;
  await load(gateway.port, ourQuery, WARM_UP_CONNECTIONS, WARM_UP_SEC);
  // More than one connection crashes it.
  await load(pmproxy.port, '', 1, WARM_UP_SEC);
  let proxyBest = 0;
  for (let round = 0; round < ROUNDS; round++) {
    proxyBest = Math.max(proxyBest, (await load(pmproxy.port, '', 1)).rate);
  }

  heading(`fetch of 3 metrics on one context, ${ROUNDS} rounds of ${LOAD_SEC} s in turns`);
  const rates = new Map<
    number,
    { gateway: number[]; proxy: number[]; crashes: number; errors: number; proxyErrors: number }
  >();
  for (const connections of CONNECTIONS) {
    const row = { gateway: [] as number[], proxy: [] as number[], crashes: 0, errors: 0, proxyErrors: 0 };
    rates.set(connections, row);
    for (let round = 0; round < ROUNDS; round++) {
      const mine = await load(gateway.port, ourQuery, connections);
      row.gateway.push(mine.rate);
      row.errors += mine.errors;
      const its = await load(pmproxy.port, '', connections).catch(() => NO_ANSWER);
      row.proxy.push(its.rate);
      row.proxyErrors += its.errors;
      proxyBest = Math.max(proxyBest, its.rate);
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
  pmproxy = undefined;
  for (const [connections, row] of rates) {
    const rate = median(row.gateway);
    report(`pmgate, ${connections} connection(s)`, rate, 'fetches/s');
    report(`pmproxy, ${connections} connection(s)`, median(row.proxy), 'fetches/s');
    report(`pmproxy crashed, of ${ROUNDS} rounds`, row.crashes, '');
    report('errors of pmproxy', row.proxyErrors, '');
    report('errors of pmgate', row.errors, '', BUDGETS.liveErrors.limit);
    report(
      `pmgate, ${connections} connections, against pmproxy's best rate`,
      rate / proxyBest,
      'ratio',
      BUDGETS.liveMany.limit,
    );
  }

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
        await ask(gateway.port, `/pmapi/fetch?hostspec=${silentHost}&names=${NAMES}`, { agent }).catch(() => undefined);
    };
    const silence = Promise.all([tenth(), tenth(), tenth(), tenth()]);
    const driven = await drive(HOSTS, HOST_ROUND_MS, hostPath);
    disturbed.push(quantile(driven.latenciesMs, 0.99));
    if (driven.failed > 0) throw new Error(`${driven.failed} fetches failed beside a silent host`);
    asking = false;
    await silence;
  }
  report('p99 of the nine, without the silent one', median(quiet), 'millisec');
  report('p99 of the nine, beside the silent one', median(disturbed), 'millisec');
  const moved = median(disturbed.map((p99, i) => p99 / quiet[i]!));
  report('p99 beside the silent one, against without', moved, 'ratio', BUDGETS.liveSilent.limit);
} finally {
  agent.destroy();
  await pmproxy?.stop();
  await gateway.stop();
  await pmcd.stop();
  for (const socket of held) socket.destroy();
  silent.close();
}
