/**
 * What changed between two windows of an hour, of all 1,000 metrics of a generated recording (60 MB, or BENCH_ARCHIVE_MB). Cold means
 * that nothing of the archive has been read, warm that the same was compared before; both read from the system's page cache, in a
 * process that has compared before.
 */
import { findChanges } from '../../src/features/changes/find-changes.js';
import { measureTwoWindows } from '../../src/features/changes/two-windows.js';
import type { ContextManager } from '../../src/context/index.js';
import { throughInTurns } from '../../src/kit/index.js';
import { BUDGETS } from './budgets.js';
import { writeMixedArchive } from './support/mixed-archive.js';
import { heading, IS_QUICK } from './support/report.js';
import { reportTook, reportTurns, watchTurns } from './support/turns.js';
import type { Took } from './support/turns.js';
import { withContexts } from './support/with-contexts.js';
import { workDirectory } from './support/work-directory.js';

const MEGABYTES = Number(process.env['BENCH_ARCHIVE_MB'] ?? 60);
const ROUNDS = IS_QUICK ? 1 : 5;
/** Seconds between two records of the archive. */
const INTERVAL_SEC = 10;

const root = workDirectory();
const { records } = writeMixedArchive(root, 'mixed', MEGABYTES);
/** A small archive is shorter than two hours. */
const WINDOW_SEC = Math.min(3600, Math.floor((records * INTERVAL_SEC) / 2));

/** Compare the last two windows of the archive, `times` times, with caches of their own. */
function compare(times: number): Promise<readonly Took[]> {
  return withContexts(root, async (contexts) => {
    const took: Took[] = [];
    for (let i = 0; i < times; i++) took.push(await watchTurns(() => compareOnce(contexts)));
    return took;
  });
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
const [cold, warm]: [Took[], Took[]] = [[], []];
for (let round = 0; round < ROUNDS; round++) {
  const [first, second] = await compare(2);
  cold.push(first!);
  warm.push(second!);
}
heading(`1,000 metrics, two windows of ${Math.round(WINDOW_SEC / 60)} minutes, in an archive of ${MEGABYTES} MB`);
reportTook('cold', cold, BUDGETS.changesCold.limit);
reportTook('warm', warm, BUDGETS.changesWarm.limit);
reportTurns([...cold, ...warm], BUDGETS.changesTurn.limit);
