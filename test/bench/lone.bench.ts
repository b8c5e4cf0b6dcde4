/**
 * One client that fetches one metric of a pmcd over one connection, the next when it has the last: through the gateway, as it is installed and
 * without recording, through pmproxy, and through the least that Node can do, which is the floor. In many short rounds in turns, since what else runs on the machine makes more of a difference than
 * anything measured here; CPU time is steadier than latency.
 */
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { InstanceProfile } from '../../src/sources/index.js';
import { PmcdPools } from '../../src/sources/pmcd/index.js';
import { encodeCreds, encodeFetch, encodeProfile } from '../../src/sources/pmcd/requests.js';
import { findPmcd, startPmcd } from '../interop/support/pmcd-process.js';
import { get, startPmproxy } from '../interop/support/pmproxy.js';
import { BUDGETS } from './budgets.js';
import { cpuUs } from './support/proc.js';
import { heading, IS_QUICK, median, quantile, report, skip } from './support/report.js';
import { startServer } from './support/server-process.js';
import type { ServerProcess } from './support/server-process.js';

const NAME = 'kernel.all.load';
const ROUNDS = IS_QUICK ? 2 : 40;
const REQUESTS = IS_QUICK ? 50 : 400;
/** V8 compiles the path of a fetch for good after some 30,000 of them. */
const WARM_UP = IS_QUICK ? 50 : 30_000;

if (findPmcd() === undefined) {
  skip('needs PCP, and root to start a pmcd');
  process.exit(0);
}

/** What one round took. */
interface Round {
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the server for one request, in microseconds. */
  readonly cpuUs: number;
}

/** A server that is measured: where it listens, and its process. */
interface Target {
  readonly port: number;
  readonly path: string;
  readonly pid: number | undefined;
}

/** Write a request and wait for its whole answer, as few instructions as possible. */
function ask(socket: Socket, request: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const take = (chunk: Buffer): void => {
      answer += chunk.toString('latin1');
      const head = answer.indexOf('\r\n\r\n');
      if (head === -1) return;
      const length = /content-length: *(\d+)/i.exec(answer.slice(0, head))?.[1];
      const isWhole = length === undefined ? answer.endsWith('0\r\n\r\n') : answer.length >= head + 4 + Number(length);
      if (!isWhole) return;
      socket.off('data', take);
      if (answer.startsWith('HTTP/1.1 200')) resolve();
      else reject(new Error(answer.slice(0, 300)));
    };
    socket.on('data', take);
    socket.write(request);
  });
}

async function round({ port, path, pid }: Target, requests: number): Promise<Round> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  const request = `GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`;
  await ask(socket, request);
  const tookMs: number[] = [];
  const cpuBefore = pid === undefined ? NaN : cpuUs(pid);
  const startMs = performance.now();
  for (let i = 0; i < requests; i++) {
    const beganMs = performance.now();
    await ask(socket, request);
    tookMs.push(performance.now() - beganMs);
  }
  const rate = (requests * 1000) / (performance.now() - startMs);
  const used = pid === undefined ? NaN : (cpuUs(pid) - cpuBefore) / requests;
  socket.destroy();
  return { rate, p50Ms: quantile(tookMs, 0.5), p99Ms: quantile(tookMs, 0.99), cpuUs: used };
}

async function withContext(port: number, query: string): Promise<string> {
  const { body } = await get(port, `/pmapi/context?polltimeout=600${query}`);
  return `/pmapi/${(JSON.parse(body) as { context: number }).context}/fetch?names=${NAME}`;
}

const pmcd = await startPmcd();
const host = `127.0.0.1:${pmcd.port}`;
const stops: (() => Promise<void>)[] = [() => pmcd.stop()];
try {
  const pools = new PmcdPools();
  const source = await pools.open(host);
  const pmids = (await source.lookupNames([NAME])) as number[];
  await source.close();
  await pools.close();

  const gateway = await startServer(['dist/pmgate.js', '--port', '0'], { PMGATE_HOSTS_ALLOW: host });
  stops.push(() => gateway.stop());
  const floor = await startServer(['test/bench/support/lone-floor.js'], {
    PMCD_PORT: String(pmcd.port),
    HELLO: Buffer.concat([encodeCreds(0), encodeProfile(0, new InstanceProfile())]).toString('base64'),
    FETCH: Buffer.from(encodeFetch(0, pmids, true)).toString('base64'),
  });
  stops.push(() => floor.stop());
  const pmproxy = await startPmproxy(pmcd.port);
  stops.push(() => pmproxy.stop());
  const still = await startServer(['dist/pmgate.js', '--port', '0'], {
    PMGATE_HOSTS_ALLOW: host,
    PMGATE_RECORD_ENABLED: 'false',
  });
  stops.push(() => still.stop());
  const targetOf = async ({ port, child: { pid } }: ServerProcess): Promise<Target> => ({
    ...{ port, pid },
    path: await withContext(port, `&hostspec=${host}`),
  });
  const targets: Record<'pmgate' | 'pmgate without recording' | 'pmproxy' | 'floor', Target> = {
    pmgate: await targetOf(gateway),
    'pmgate without recording': await targetOf(still),
    pmproxy: { port: pmproxy.port, pid: undefined, path: await withContext(pmproxy.port, '') },
    floor: { port: floor.port, pid: floor.child.pid, path: '/' },
  };

  heading(`fetch of ${NAME} of a pmcd, one client, ${ROUNDS} rounds of ${REQUESTS} in turns`);
  const names = Object.keys(targets) as (keyof typeof targets)[];
  const rounds = Object.fromEntries(names.map((name) => [name, [] as Round[]])) as Record<
    keyof typeof targets,
    Round[]
  >;
  for (const name of names) await round(targets[name], name === 'pmproxy' ? REQUESTS : WARM_UP);
  for (let i = 0; i < ROUNDS; i++) for (const name of names) rounds[name].push(await round(targets[name], REQUESTS));

  const ratios = (figure: keyof Round, against: keyof typeof targets): number[] =>
    rounds.pmgate.map((ours, i) => ours[figure] / rounds[against][i]![figure]);
  for (const name of names) {
    const of = (figure: keyof Round): number => median(rounds[name].map((each) => each[figure]));
    report(`${name}, rate`, of('rate'), 'fetches/s');
    report(`${name}, p50`, of('p50Ms'), 'millisec');
    report(`${name}, p99`, of('p99Ms'), 'millisec');
    if (name !== 'pmproxy') report(`${name}, CPU time of a fetch`, of('cpuUs'), 'µs');
  }
  report('rate, against the floor', ratios('rate', 'floor'), 'ratio', BUDGETS.loneRate.limit);
  report('p99, against the floor', ratios('p99Ms', 'floor'), 'ratio', BUDGETS.loneLatency.limit);
  report('CPU time, against the floor', ratios('cpuUs', 'floor'), 'ratio', BUDGETS.loneCpu.limit);
  report('rate, against pmproxy', ratios('rate', 'pmproxy'), 'ratio');
  report('p99, against pmproxy', ratios('p99Ms', 'pmproxy'), 'ratio');
} finally {
  for (const stop of stops.reverse()) await stop();
}
