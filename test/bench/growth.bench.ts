/**
 * How much more several gateways on one machine answer than one: members of a fleet, each asked for what it is at home for, fetches of a pmcd (the
 * embedded collector where PCP is not installed) and ranges of an archive. Rates on two cores have the load generators in them, which take their
 * share of the cores; CPU times per answer are those of the gateways alone. Each number of gateways is measured in turns with one.
 */
import path from 'node:path';
import { RealFleet, SERVER, THIS_BUILD } from '../fleet/real/real-fleet.js';
import { findPmcd, startPmcd } from '../interop/support/pmcd-process.js';
import { ask } from '../support/plain-request.js';
import { rows } from '../support/rows.js';
import { BUDGETS } from './budgets.js';
import { loadUrl } from './support/load.js';
import { LOAD_GENERATOR } from './support/machine.js';
import { cpuUs } from './support/proc.js';
import { heading, IS_QUICK, median, report, skip } from './support/report.js';
import { noteMemory } from './support/server-process.js';
import { writeSmallArchive } from './support/small-archive.js';
import { workDirectory } from './support/work-directory.js';

const SIZES = IS_QUICK ? [2] : [2, 4, 8];
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 2);
/** So much each gateway has answered before it is measured: until then it mostly compiles, each of eight for longer than one alone. */
const WARM_UP: Readonly<Record<string, number>> = { fetches: IS_QUICK ? 100 : 10_000, ranges: IS_QUICK ? 10 : 300 };
const WARM_UP_MOST_SEC = 60;
/** Of all gateways together. */
const CONNECTIONS = 64;
const FETCH = 'names=kernel.all.load,mem.util.free,disk.dev.read';
const RANGE = 'names=small.counter&format=columns&interval=100&samples=150';

interface Answered {
  readonly rate: number;
  /** CPU time of the gateways for one answer, in microseconds. */
  readonly cpu: number;
}

/** Ask each gateway of a fleet for its own, all at once. */
async function load({ gateways }: RealFleet, urls: readonly string[]): Promise<Answered> {
  const pids = gateways.map(({ part }) => part.pid);
  const before = cpuUs(...pids);
  const loads = await Promise.all(urls.map((url) => loadUrl(url, CONNECTIONS / urls.length, SECONDS)));
  const used = cpuUs(...pids) - before;
  const rate = loads.reduce((sum, one) => sum + one.rate, 0);
  const errors = loads.reduce((sum, one) => sum + one.errors, 0);
  if (errors > 0) throw new Error(`${errors} requests failed`);
  return { rate, cpu: used / (rate * SECONDS) };
}

async function warmUp(fleet: RealFleet, urls: readonly string[], answers: number): Promise<void> {
  const endMs = performance.now() + WARM_UP_MOST_SEC * 1000;
  for (let left = answers * urls.length; left > 0 && performance.now() < endMs;) {
    left -= (await load(fleet, urls)).rate * SECONDS;
  }
}

/** What is asked of each gateway: `query` makes a context there, whose fetches have `parameters`. */
function urlsOf({ gateways }: RealFleet, query: string, parameters: string): Promise<readonly string[]> {
  return Promise.all(
    gateways.map(async ({ port }) => {
      const { body } = await ask(port, `/pmapi/context?polltimeout=600&${query}`);
      const { context } = JSON.parse(body) as { context: number };
      return `http://127.0.0.1:${port}/pmapi/${context}/fetch?${parameters}`;
    }),
  );
}

async function compare(start: (gateways: number) => Promise<RealFleet>, host: string): Promise<void> {
  const one = await start(1);
  for (const size of SIZES) {
    const several = await start(size);
    for (const [what, query, parameters, budget] of rows(
      ['fetches', `hostspec=${host}`, FETCH, BUDGETS.growthHosts.limit],
      ['ranges', 'archive=small', RANGE, BUDGETS.growthArchives.limit],
    )) {
      heading(`${what}, ${size} gateways against one, ${CONNECTIONS} connections`);
      const fleets = [
        [one, await urlsOf(one, query, parameters)],
        [several, await urlsOf(several, query, parameters)],
      ] as const;
      for (const [fleet, urls] of fleets) await warmUp(fleet, urls, WARM_UP[what]!);
      const found: [Answered[], Answered[]] = [[], []];
      // With more gateways than cores only CPU time says something.
      for (let round = 0; round < (size === 2 ? ROUNDS : 1); round++) {
        for (const [i, [fleet, urls]] of fleets.entries()) found[i]!.push(await load(fleet, urls));
      }
      const ratios = (figure: keyof Answered): readonly number[] =>
        found[1].map((each, round) => each[figure] / found[0][round]![figure]);
      for (const [i, each] of found.entries()) {
        report(`rate of ${[1, size][i]}`, median(each.map(({ rate }) => rate)), 'answers/s');
        report(`CPU time of ${[1, size][i]} per answer`, median(each.map(({ cpu }) => cpu)), 'µs');
      }
      report(`rate of ${size}, against one`, ratios('rate'), 'ratio', size === 2 ? budget : undefined);
      report(`CPU time of ${size} per answer, against one`, ratios('cpu'), 'ratio');
    }
    for (const { part } of [...one.gateways, ...several.gateways]) noteMemory(part.pid);
    several.close();
  }
  one.close();
}

if (SERVER === undefined) skip('neither valkey-server nor redis-server is installed');
else if (LOAD_GENERATOR !== 'wrk') skip('wrk is not installed: another load generator takes more than the gateways');
else {
  const directory = workDirectory();
  writeSmallArchive(directory, 'small', 15_000, 16);
  const pmcd = findPmcd() === undefined ? undefined : await startPmcd();
  const host = pmcd ? `127.0.0.1:${pmcd.port}` : 'embedded';
  const start = (gateways: number): Promise<RealFleet> =>
    RealFleet.start({
      ...{ gateways, pmcds: 0, program: THIS_BUILD, isBare: true },
      environment: { PMGATE_ARCHIVES_ROOTS: path.resolve(directory), PMGATE_HOSTS_ALLOW: host },
    });
  try {
    await compare(start, host);
  } finally {
    await pmcd?.stop();
  }
}
process.exit();
