/**
 * The past of a host over daily archives (a record of 20 metrics each minute), read as one timeline. A week of one metric, every sample, beside
 * pmrep over the same files, in turns: pmrep's time has its start and its printing in it. Cold means archives and timeline that were opened just
 * now, warm that the same was asked before; both sides read from the system's page cache. Then a month as a dashboard of 20 panels.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type RangeParameters, collectColumns, parseRange, readRange } from '../../src/context/range/index.js';
import { type MetricDescriptor, type Timestamp, UTC_ZONE, systemClock } from '../../src/pmapi/index.js';
import { ArchiveStore } from '../../src/sources/archive/node/index.js';
import { InstanceProfile } from '../../src/sources/index.js';
import { type ArchivePart, TimelineSource } from '../../src/sources/timeline/index.js';
import { ArchiveBuilder } from '../support/archive-builder.js';
import { BUDGETS } from './budgets.js';
import { heading, IS_QUICK, median, report, skip } from './support/report.js';
import { workDirectory } from './support/work-directory.js';

const ROUNDS = IS_QUICK ? 1 : 5;
const DAYS = IS_QUICK ? 7 : 30;
const [WEEK, PANELS, POINTS] = [7, 20, 1000];
const START = 1_700_006_400;
const DAY_SEC = 86_400;
const INTERVAL_SEC = 60;
const NAMES = Array.from({ length: PANELS }, (_, i) => `day.metric${i}`);
const PMREP = ['/usr/bin/python3', '/usr/bin/pmrep'];

const directory = workDirectory();
const bases = Array.from({ length: DAYS }, (_, day) => writeDay(day));

/** A day's archive: half of the metrics are counters. */
function writeDay(day: number): string {
  const start = START + day * DAY_SEC;
  const builder = new ArchiveBuilder({ version: 3, start: [start, 0], hostName: 'web1' });
  for (const [i, name] of NAMES.entries())
    builder.metric({ pmid: 1 + i, names: [name], type: 1, semantics: i % 2 ? 1 : 3 });
  for (let sec = start; sec < start + DAY_SEC; sec += INTERVAL_SEC) {
    if ((sec - start) % 3600 === 0) builder.indexEntry([sec, 0]);
    const value = (i: number): number => (i % 2 ? (sec - START) * (i + 1) : (sec * 7919 * (i + 1)) % 100_003);
    builder.record(
      [sec, 0],
      NAMES.map((_, i) => ({ pmid: 1 + i, values: [[-1, value(i)]] })),
    );
  }
  return builder.write(directory, `day${String(day).padStart(2, '0')}`);
}

async function openTimeline(store: ArchiveStore, days: number): Promise<TimelineSource> {
  const archives: ArchivePart[] = [];
  for (const base of bases.slice(0, days)) {
    const source = await store.open([base]);
    const { start, end } = await source.info();
    archives.push({ name: path.basename(base), origin: 'archive', source, start: start!, end: end! });
  }
  const now: Timestamp = { sec: START + days * DAY_SEC, nsec: 0 };
  const [{ start }] = archives as [ArchivePart];
  return new TimelineSource({ archives, live: undefined, hostName: 'web1', timezone: 'UTC', start, now: () => now });
}

/** A range over it, into columns; the number of samples. */
async function read(source: TimelineSource, name: string, parameters: RangeParameters): Promise<number> {
  const pmids = await source.lookupNames([name]);
  const [descriptor] = (await source.describe(pmids)) as MetricDescriptor[];
  const { start, end } = await source.info();
  const request = parseRange(parameters, { start: start!, end: end!, now: systemClock.now(), zone: UTC_ZONE });
  const metrics = [{ name, pmid: pmids[0]!, descriptor: descriptor! }];
  return (await collectColumns(readRange({ source, profile: new InstanceProfile(), metrics, request }))).length;
}

async function timed(work: () => Promise<number>, expected: number): Promise<number> {
  const start = performance.now();
  const found = await work();
  const elapsedMs = performance.now() - start;
  if (found < expected) throw new Error(`${found} samples, not ${expected}`);
  return elapsedMs;
}

function runPmrep(): number {
  const [python, ...script] = PMREP as [string, string];
  const start = performance.now();
  const archives = bases.slice(0, WEEK).join(',');
  const { status } = spawnSync(python, [...script, '-r', '-u', '-o', 'csv', '-a', archives, NAMES[0]!], {
    stdio: 'ignore',
  });
  if (status !== 0) throw new Error(`pmrep: exit code ${status}`);
  return performance.now() - start;
}

const samples = (WEEK * DAY_SEC) / INTERVAL_SEC;
heading(`one metric of a week, ${WEEK} archives, ${samples} samples`);
const hasPmrep = PMREP.every((tool) => existsSync(tool));
const times = { cold: [] as number[], warm: [] as number[], pmrep: [] as number[] };
for (let round = -1; round < ROUNDS; round++) {
  const store = new ArchiveStore({ clock: systemClock });
  let source!: TimelineSource;
  const week = (): Promise<number> => read(source, NAMES[0]!, { samples });
  const cold = await timed(async () => {
    source = await openTimeline(store, WEEK);
    return week();
  }, samples);
  const warm = await timed(week, samples);
  await source.close();
  await store.close();
  // The first round lets the engine compile.
  if (round < 0) continue;
  times.cold.push(cold);
  times.warm.push(warm);
  if (hasPmrep) times.pmrep.push(runPmrep());
}
report('cold', median(times.cold), 'millisec');
report('warm', median(times.warm), 'millisec');
if (!hasPmrep) skip('pmrep is not installed: no ratios');
else {
  const ratio = (one: readonly number[]): number => median(one) / median(times.pmrep);
  report('pmrep', median(times.pmrep), 'millisec');
  report('cold, against pmrep', ratio(times.cold), '', BUDGETS.timelineCold.limit);
  report('warm, against pmrep', ratio(times.warm), '', BUDGETS.timelineWarm.limit);
}

heading(`${DAYS} days as a dashboard of ${PANELS} panels at ${POINTS} points`);
const store = new ArchiveStore({ clock: systemClock });
const source = await openTimeline(store, DAYS);
const interval = `${Math.floor((DAYS * DAY_SEC - INTERVAL_SEC) / (POINTS - 1))}s`;
const dashboard = async (): Promise<number> => {
  const panels = await Promise.all(NAMES.map((name) => read(source, name, { interval, samples: POINTS })));
  return panels.reduce((sum, length) => sum + length, 0);
};
report('cold', await timed(dashboard, PANELS * POINTS), 'millisec');
const warm: number[] = [];
for (let round = 0; round < ROUNDS; round++) warm.push(await timed(dashboard, PANELS * POINTS));
report('warm', median(warm), 'millisec', BUDGETS.timelineDashboard.limit);
await source.close();
await store.close();
