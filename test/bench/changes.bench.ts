/**
 * What changed between two windows of an hour, of all 1,000 metrics of a generated recording (60 MB, or BENCH_ARCHIVE_MB). Cold means
 * that nothing of the archive has been read, warm that the same was compared before; both read from the system's page cache, in a
 * process that has compared before.
 */
import { findChanges } from '../../src/features/changes/find-changes.js';
import { measureTwoWindows } from '../../src/features/changes/two-windows.js';
import { throughInTurns } from '../../src/kit/index.js';
import { BUDGETS } from './budgets.js';
import { coldAndWarm, reportRuns } from './support/archive-runs.js';
import { writeMixedArchive } from './support/mixed-archive.js';
import { heading } from './support/report.js';
import { workDirectory } from './support/work-directory.js';

const MEGABYTES = Number(process.env['BENCH_ARCHIVE_MB'] ?? 60);
const INTERVAL_SEC = 10;

const root = workDirectory();
const { records } = writeMixedArchive(root, 'mixed', MEGABYTES);
/** A small archive is shorter than two hours. */
const WINDOW_SEC = Math.min(3600, Math.floor((records * INTERVAL_SEC) / 2));

const runs = await coldAndWarm(root, 'mixed', async (context) => {
  const plan = await context.plans.get({ prefixes: [''], most: 10_000 });
  const chosen = {
    before: { start: `-${2 * WINDOW_SEC}`, finish: `-${WINDOW_SEC}` },
    after: { start: `-${WINDOW_SEC}`, finish: undefined },
  };
  const { before, after } = await measureTwoWindows(context, plan, chosen, {});
  const { compared } = await throughInTurns(findChanges(before, after));
  if (compared < 1000) throw new Error(`only ${compared} series were compared`);
});
heading(`1,000 metrics, two windows of ${Math.round(WINDOW_SEC / 60)} minutes, in an archive of ${MEGABYTES} MB`);
const { changesCold: cold, changesWarm: warm, changesTurn: turn } = BUDGETS;
reportRuns(runs, { cold, warm, turn });
