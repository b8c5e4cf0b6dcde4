/**
 * What changed between two windows of an hour, of all 1,000 metrics of a generated recording (60 MB, or BENCH_ARCHIVE_MB). Cold means
 * that nothing of the archive has been read, warm that the same was compared before; both read from the system's page cache, in a
 * process that has compared before.
 */
import { findChanges } from '../../src/features/changes/find-changes.js';
import { measureTwoWindows } from '../../src/features/changes/two-windows.js';
import { loadConfig } from '../../src/config/index.js';
import { ContextManager } from '../../src/context/index.js';
import { Archives } from '../../src/gateway/targets/archives.js';
import { throughInTurns } from '../../src/kit/index.js';
import { systemClock } from '../../src/pmapi/index.js';
import { BUDGETS } from './budgets.js';
import { writeMixedArchive } from './support/mixed-archive.js';
import { heading, IS_QUICK, median, report } from './support/report.js';
import { watchTurns } from './support/turns.js';
import type { Took } from './support/turns.js';
import { workDirectory } from './support/work-directory.js';

const MEGABYTES = Number(process.env['BENCH_ARCHIVE_MB'] ?? 60);
const ROUNDS = IS_QUICK ? 1 : 5;
/** Seconds between two records of the archive. */
const INTERVAL_SEC = 10;

const root = workDirectory();
const { records } = writeMixedArchive(root, 'mixed', MEGABYTES);
/** A small archive is shorter than two hours. */
const WINDOW_SEC = Math.min(3600, Math.floor((records * INTERVAL_SEC) / 2));

interface Comparison extends Took {
  /** CPU time of the process: others use this machine, too. */
  readonly cpuMs: number;
}

/** Compare the last two windows of the archive, `times` times, with caches of their own. */
async function compare(times: number): Promise<readonly Comparison[]> {
  const archives = new Archives(systemClock, { ...loadConfig({}).archives, roots: [root] });
  const contexts = new ContextManager({
    sources: { open: (spec) => archives.open({ archive: spec.kind === 'archive' ? spec.archive : '' }) },
    clock: systemClock,
    limits: { contexts: 1, pollTimeoutMs: 3_600_000, maxPollTimeoutMs: 3_600_000 },
  });
  const took: Comparison[] = [];
  for (let i = 0; i < times; i++) {
    const start = process.cpuUsage();
    const { ms, turnMs } = await watchTurns(() => compareOnce(contexts));
    const { user, system } = process.cpuUsage(start);
    took.push({ ms, turnMs, cpuMs: (user + system) / 1000 });
  }
  await contexts.close();
  await archives.close();
  return took;
}

async function compareOnce(contexts: ContextManager): Promise<void> {
  const context = await contexts.shared({ kind: 'archive', archive: 'mixed' });
  const plan = await context.plans.get({ prefixes: [''], most: 10_000 });
  const chosen = {
    before: { start: `-${2 * WINDOW_SEC}`, finish: `-${WINDOW_SEC}` },
    after: { start: `-${WINDOW_SEC}`, finish: undefined },
  };
  const { before, after } = await measureTwoWindows(context, plan, chosen, {});
  const { compared } = await throughInTurns(findChanges(before, after));
  if (compared < 1000) throw new Error(`only ${compared} series were compared`);
}

// The engine compiles what runs often: a gateway has been running for a while.
if (!IS_QUICK) await compare(2);
const cold: Comparison[] = [];
const warm: Comparison[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const [first, second] = await compare(2);
  cold.push(first!);
  warm.push(second!);
}
heading(`1,000 metrics, two windows of ${Math.round(WINDOW_SEC / 60)} minutes, in an archive of ${MEGABYTES} MB`);
report('cold', median(cold.map(({ ms }) => ms)), 'millisec', BUDGETS.changesCold.limit);
report('cold, CPU time', median(cold.map(({ cpuMs }) => cpuMs)), 'ms CPU');
report('warm', median(warm.map(({ ms }) => ms)), 'millisec', BUDGETS.changesWarm.limit);
report('warm, CPU time', median(warm.map(({ cpuMs }) => cpuMs)), 'ms CPU');
report(
  'longest turn of the event loop meanwhile, median of runs',
  median([...cold, ...warm].map(({ turnMs }) => turnMs)),
  'millisec',
  BUDGETS.changesTurn.limit,
);
