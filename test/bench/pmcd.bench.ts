/**
 * What a live host costs: a fetch of three metrics through the source, beside the same PDUs exchanged over a bare socket, and
 * how much metadata traffic disturbs fetches. Needs a pmcd: on this machine, or where PMGATE_BENCH_HOSTSPEC says.
 */
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { FetchResult } from '../../src/pmapi/index.js';
import { InstanceProfile } from '../../src/sources/index.js';
import { parseHostspec, PmcdPools } from '../../src/sources/pmcd/index.js';
import type { PmcdSource } from '../../src/sources/pmcd/index.js';
import { encodeCreds, encodeFetch, encodeProfile } from '../../src/sources/pmcd/requests.js';
import { BUDGETS } from './budgets.js';
import { heading, IS_QUICK, median, report, skip } from './support/report.js';

const HOSTSPEC = process.env.PMGATE_BENCH_HOSTSPEC ?? '127.0.0.1';
const NAMES = ['kernel.all.load', 'mem.util.free', 'disk.dev.read'];
const ROUND_MS = IS_QUICK ? 100 : 400;
const ROUNDS = IS_QUICK ? 1 : 7;
const everything = new InstanceProfile();

interface Rate {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Run `once` for a while, `callers` of them side by side. */
async function measure(callers: number, once: (caller: number) => Promise<void>): Promise<Rate> {
  const tookMs: number[] = [];
  const startMs = performance.now();
  const run = async (caller: number): Promise<void> => {
    while (performance.now() - startMs < ROUND_MS) {
      const beganMs = performance.now();
      await once(caller);
      tookMs.push(performance.now() - beganMs);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => run(caller)));
  const sorted = tookMs.sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? NaN;
  return { perSecond: (sorted.length * 1000) / (performance.now() - startMs), p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** The least that a client can do: write a fetch, wait for as many bytes as its result has. */
async function bareSocket(pmids: readonly number[]): Promise<{ once: () => Promise<void>; end: () => void }> {
  const { address } = parseHostspec(HOSTSPEC);
  if (address.kind !== 'tcp') throw new Error('the benchmark needs a TCP hostspec');
  const socket: Socket = connect({ host: address.host, port: address.ports[0]!, noDelay: true });
  let left = 0;
  let arrived: (() => void) | undefined;
  socket.on('data', (chunk: Buffer) => {
    if (left <= 0) left = chunk.readInt32BE(0);
    left -= chunk.length;
    if (left <= 0) arrived?.();
  });
  const answer = (): Promise<void> => new Promise((resolve) => (arrived = resolve));
  await answer();
  socket.write(Buffer.concat([encodeCreds(0), encodeProfile(0, everything)]));
  const fetch = encodeFetch(0, pmids, true);
  return {
    once: () => {
      socket.write(fetch);
      return answer();
    },
    end: () => socket.destroy(),
  };
}

async function fetcher(
  sources: readonly PmcdSource[],
  pmids: readonly number[],
): Promise<(caller: number) => Promise<void>> {
  const prepared = sources.map((source) => source.prepare(pmids));
  const results = sources.map(() => new FetchResult());
  const once = (caller: number): Promise<void> =>
    sources[caller]!.fetch(prepared[caller]!, everything, results[caller]!);
  await once(0);
  return once;
}

const pools = new PmcdPools();
const first = await pools
  .open(HOSTSPEC)
  .catch((error: unknown) => (error instanceof Error ? error : new Error('no pmcd')));
if (first instanceof Error) {
  skip(`no pmcd at ${HOSTSPEC}: ${first.message}`);
  process.exit(0);
}
const sources = [first, ...(await Promise.all(Array.from({ length: 63 }, () => pools.open(HOSTSPEC))))];
const pmids = await sources[0]!.lookupNames(NAMES);
const bare = await bareSocket(pmids);
const once = await fetcher(sources, pmids);

heading(`fetch of ${NAMES.length} metrics from the pmcd at ${HOSTSPEC}`);
const [bareRates, oneRates, manyRates]: [Rate[], Rate[], Rate[]] = [[], [], []];
for (let round = 0; round < ROUNDS; round++) {
  bareRates.push(await measure(1, bare.once));
  oneRates.push(await measure(1, once));
  manyRates.push(await measure(64, once));
}
bare.end();
const middle = (rates: readonly Rate[], what: keyof Rate): number => median(rates.map((rate) => rate[what]));
report('bare socket, one at a time', middle(bareRates, 'perSecond'), 'fetches/s');
report('source, 1 caller', middle(oneRates, 'perSecond'), 'fetches/s');
report('source, 1 caller, p99', middle(oneRates, 'p99Ms'), 'millisec');
report(
  'source, 1 caller, against the bare socket',
  median(oneRates.map((rate, i) => rate.perSecond / bareRates[i]!.perSecond)),
  'ratio',
  BUDGETS.pmcdBare.limit,
);
report('source, 64 callers', middle(manyRates, 'perSecond'), 'fetches/s');
report('source, 64 callers, p99', middle(manyRates, 'p99Ms'), 'millisec');
report(
  'source, 64 callers, against 1 caller',
  median(manyRates.map((rate, i) => rate.perSecond / oneRates[i]!.perSecond)),
  'ratio',
  BUDGETS.pmcdCallers.limit,
);
report('connections', pools.openConnections, '', BUDGETS.pmcdConnections.limit);

heading('the same fetch while the whole PMNS is traversed over and over');
for (const connections of [1, 2, 3]) {
  const shared = new PmcdPools({ connections });
  const source = await shared.open(HOSTSPEC);
  const fetchOnce = await fetcher([source], pmids);
  const rates: Rate[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    let traversing = true;
    const traversals = Array.from({ length: 4 }, async () => {
      while (traversing) await source.traverse('');
    });
    rates.push(await measure(1, fetchOnce));
    traversing = false;
    await Promise.all(traversals);
  }
  report(`${connections} connection(s), fetch p50`, middle(rates, 'p50Ms'), 'millisec');
  report(`${connections} connection(s), fetch p99`, middle(rates, 'p99Ms'), 'millisec');
  await shared.close();
}

heading('the same fetch, 9 callers, while a tenth asks a host that accepts and stays silent');
const held = new Set<Socket>();
const silent = createServer((socket) => held.add(socket.on('error', () => undefined)));
await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
const silentHost = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
const [quiet, disturbed]: [Rate[], Rate[]] = [[], []];
const asking = new AbortController();
const tenth = async (): Promise<void> => {
  while (!asking.signal.aborted) {
    await pools.open(silentHost).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
for (let round = 0; round < ROUNDS; round++) quiet.push(await measure(9, once));
void tenth();
for (let round = 0; round < ROUNDS; round++) disturbed.push(await measure(9, once));
asking.abort();
report('without the silent host, p99', middle(quiet, 'p99Ms'), 'millisec');
report('beside the silent host, p99', middle(disturbed, 'p99Ms'), 'millisec');
report(
  'p99 beside the silent host, against without',
  middle(disturbed, 'p99Ms') / middle(quiet, 'p99Ms'),
  'ratio',
  BUDGETS.pmcdSilent.limit,
);
pools.destroy(new Error('the benchmark is over'));
for (const socket of held) socket.destroy();
silent.close();
