/**
 * Ranges over a generated archive of 100 metrics × 16 instances (60 MB, or BENCH_ARCHIVE_MB), beside PCP's own tools, in turns.
 * Both sides read from the system's page cache: cold means that pmgate has opened the archive just now and knows nothing of it,
 * warm that it was asked for the same before. A tool's time has its start in it, and the printing of its answer (to nowhere);
 * `pmgate` is the reader alone, to columns in memory, in a process that has been running for a while; `over HTTP` is the built
 * gateway in a process of its own, from the request to the last byte of JSON.
 */
import { spawnSync } from 'node:child_process';
import { linkSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import type { RangeColumns, RangeParameters } from '../../src/context/range/index.js';
import { FetchResult, systemClock } from '../../src/pmapi/index.js';
import { ArchiveStore } from '../../src/sources/archive/node/index.js';
import { InstanceProfile } from '../../src/sources/index.js';
import { LinuxCollector } from '../../src/sources/linux/index.js';
import { BUDGETS } from './budgets.js';
import { INSTANCES, INTERVAL_SEC, writeLargeArchive } from './support/large-archive.js';
import { readColumns } from './support/read-columns.js';
import { readWhole, timed, toolMs } from './support/read-whole.js';
import { heading, median, quantile, report, skip } from './support/report.js';
import { startServer } from './support/server-process.js';
import { workDirectory } from './support/work-directory.js';

const MEGABYTES = Number(process.env['BENCH_ARCHIVE_MB'] ?? 60);
const TURNS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const WARM_UP_TURNS = 10;
const PANELS = 20;
const POINTS = 1000;
const EVERYTHING = new InstanceProfile();

const directory = workDirectory();

function generate(): ReturnType<typeof writeLargeArchive> {
  const module = new URL('support/large-archive.ts', import.meta.url).href;
  const script = `const { writeLargeArchive } = await import(${JSON.stringify(module)});
    console.log(JSON.stringify(writeLargeArchive(${JSON.stringify(directory)}, 'large', ${MEGABYTES})));`;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', script],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`no archive: ${stderr}`);
  return JSON.parse(stdout) as ReturnType<typeof writeLargeArchive>;
}

/** One metric, all instances, every record: as `pmval -U` reads it. */
async function oneMetric(): Promise<void> {
  heading(
    `one metric of ${(bytes / 1e6).toFixed(0)} MB, ${records} records, ${INSTANCES} instances; every recorded sample`,
  );
  const name = names[0]!;
  const times = new Map<string, number[]>();
  const note = (what: string, elapsedMs: number): void => {
    times.set(what, [...(times.get(what) ?? []), elapsedMs]);
  };
  await warmUp(name);
  for (let turn = 0; turn < TURNS; turn++) {
    const pmvalMs = toolMs('/usr/bin/pmval', '-r', '-w', '12', '-U', base, name);
    if (pmvalMs !== undefined) note('pmval', pmvalMs);
    // The bound of everything that reads the archive once.
    note('cat', toolMs('/bin/cat', `${base}.0`)!);
    const store = new ArchiveStore({ clock: systemClock });
    for (const heat of ['cold', 'warm', 'warm', 'warm']) {
      note(`pmgate, ${heat}`, await timed(() => whole(store, name, {})));
    }
    await store.close();
    const unseen = anotherName(turn);
    for (const heat of ['cold', 'warm', 'warm', 'warm']) {
      note(`over HTTP, ${heat}`, await timed(() => ask(rangePath(unseen, name, 'samples=1000000'))));
    }
  }
  for (const [what, elapsed] of times) report(what, median(elapsed), 'millisec');
  const ratio = (what: string, tool: string): number => median(times.get(what)!) / median(times.get(tool)!);
  report('cold, against cat of the same bytes', ratio('pmgate, cold', 'cat'), '');
  if (!times.has('pmval')) {
    skip('pmval is not installed: no ratios');
    return;
  }
  report('cold, against pmval', ratio('pmgate, cold', 'pmval'), '', BUDGETS.archiveCold.limit);
  report('warm, against pmval', ratio('pmgate, warm', 'pmval'), '', BUDGETS.archiveWarm.limit);
  for (const heat of ['cold', 'warm']) {
    report(`${heat} over HTTP, against pmval`, ratio(`over HTTP, ${heat}`, 'pmval'), '');
  }
}

/** A gateway has been running for a while when it is asked: let the engine compile what it will. */
async function warmUp(name: string): Promise<void> {
  for (let turn = 0; turn < WARM_UP_TURNS; turn++) {
    const store = new ArchiveStore({ clock: systemClock });
    const step = { interval: `${INTERVAL_SEC}s`, samples: 2500 };
    for (const parameters of [{ samples: 2500 }, { samples: 2500 }, step]) await range(store, name, parameters);
    await store.close();
    const unseen = anotherName(TURNS + turn);
    for (const path of ['samples=2500', 'samples=2500']) await ask(rangePath(unseen, name, path));
  }
}

/** The archive by a name that the gateway has never heard: for it, it is another one, of which it knows nothing. */
function anotherName(turn: number): string {
  const name = `again${turn}`;
  for (const suffix of ['meta', 'index', '0']) linkSync(`${base}.${suffix}`, path.join(directory, `${name}.${suffix}`));
  return name;
}

function rangePath(archive: string, name: string, range: string): string {
  return `/pmapi/fetch?archive=${archive}&names=${name}&format=columns&${range}`;
}

const ask = (path: string): Promise<Buffer> => readWhole(gateway.port, path, { agent });

/** Panels of one metric each, asked for at once, interpolated at so many moments; and live fetches meanwhile. */
async function dashboard(): Promise<void> {
  heading(`${PANELS} panels at ${POINTS} points, over ${(bytes / 1e6).toFixed(0)} MB`);
  const live = new LiveFetches();
  await live.during(() => new Promise((resolve) => setTimeout(resolve, 2000)));
  const alone = live.take();
  const store = new ArchiveStore({ clock: systemClock });
  const panels = names.slice(0, PANELS);
  const all = (parameters: RangeParameters): Promise<unknown> =>
    Promise.all(panels.map((name) => range(store, name, parameters)));
  const moments = { interval: `${Math.floor(((records - 1) * INTERVAL_SEC) / (POINTS - 1))}s`, samples: POINTS };
  const buckets = { points: POINTS };
  for (const [what, parameters] of [
    ['interpolated', moments],
    ['mean of every bucket', buckets],
  ] as const) {
    const cold = await timed(() => all(parameters));
    const warm: number[] = [];
    for (let turn = 0; turn < TURNS; turn++) warm.push(await timed(() => all(parameters)));
    report(`${what}, cold`, cold, 'millisec');
    const budget = what === 'interpolated' ? BUDGETS.archiveDashboard.limit : undefined;
    report(`${what}, warm`, median(warm), 'millisec', budget);
  }
  const archive = path.basename(base);
  const step = Math.floor(((records - 1) * INTERVAL_SEC) / (POINTS - 1));
  const overHttp = (): Promise<unknown> =>
    Promise.all(panels.map((name) => ask(rangePath(archive, name, `interval=${step}s&samples=${POINTS}`))));
  report('interpolated over HTTP, cold', await timed(overHttp), 'millisec');
  const warmOverHttp: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) warmOverHttp.push(await timed(overHttp));
  report('interpolated over HTTP, warm', median(warmOverHttp), 'millisec', BUDGETS.archiveDashboard.limit);
  heading('live fetches of 3 metrics, one every 5 ms');
  await live.during(async () => {
    for (let turn = 0; turn < 3; turn++) {
      await store.close();
      await all(moments);
      await all(buckets);
    }
  });
  const beside = live.take();
  await store.close();
  await live.close();
  report(`p99 alone (${alone.length} fetches)`, quantile(alone, 0.99), 'millisec');
  report(
    `p99 beside dashboards (${beside.length} fetches)`,
    quantile(beside, 0.99),
    'millisec',
    BUDGETS.archiveLive.limit,
  );
}

/** A range of which every record is wanted. */
async function whole(...asked: Parameters<typeof range>): Promise<void> {
  const { length } = await range(...asked);
  if (length !== records) throw new Error(`${length} rows instead of ${records}`);
}

/** What an HTTP range does, from opening the archive, or sharing it. */
async function range(store: ArchiveStore, name: string, parameters: RangeParameters): Promise<RangeColumns> {
  const source = await store.open([base]);
  try {
    return await readColumns(source, name, parameters);
  } finally {
    await source.close();
  }
}

/** A fetch every few milliseconds; its time counts from when it was due. */
class LiveFetches {
  readonly #collector = new LinuxCollector({ clock: systemClock, snapshotMs: 0 });
  #elapsed: number[] = [];

  async during(work: () => Promise<unknown>): Promise<void> {
    const source = this.#collector.open();
    const pmids = await source.lookupNames(['kernel.all.load', 'mem.util.free', 'disk.dev.read']);
    const prepared = source.prepare(pmids);
    const into = new FetchResult();
    let dueMs = performance.now() + 5;
    let isFetching = false;
    const timer = setInterval(() => {
      if (isFetching) return;
      isFetching = true;
      const startMs = Math.min(dueMs, performance.now());
      void source.fetch(prepared, EVERYTHING, into).then(() => {
        this.#elapsed.push(performance.now() - startMs);
        dueMs = performance.now() + 5;
        isFetching = false;
      });
    }, 5);
    await work();
    clearInterval(timer);
  }

  take(): readonly number[] {
    const taken = this.#elapsed;
    this.#elapsed = [];
    return taken;
  }

  close(): Promise<void> {
    return this.#collector.close();
  }
}

// In a process of its own: what the generator needs in memory is none of the reader's.
const { base, names, records, bytes } = generate();
const agent = new http.Agent({ keepAlive: true });
const gateway = await startServer(['dist/pmgate.js', '--port', '0'], {
  PMGATE_ARCHIVES_ROOTS: directory,
  PMGATE_LOG_LEVEL: 'info',
});
try {
  await oneMetric();
  await dashboard();
} finally {
  agent.destroy();
  await gateway.stop();
}
