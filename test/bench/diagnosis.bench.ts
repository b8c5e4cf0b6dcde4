/**
 * What is wrong at the end of an hour of a host's recording, every ten seconds: of 60 processes and 20 control groups, and of 2,000 groups. One process takes
 * all in the last ten minutes, so that the beginning and who it is are looked for, too. Cold means that nothing of the archive has been
 * read, warm that the same was asked before; both read from the system's page cache, in a process that has diagnosed before.
 */
import type { ContextManager } from '../../src/context/index.js';
import { diagnose } from '../../src/features/diagnosis/operations.js';
import { readRules } from '../../src/features/diagnosis/rules.js';
import { addSeconds } from '../../src/pmapi/index.js';
import { BUDGETS } from './budgets.js';
import { writeHostHour } from './support/host-hour.js';
import { heading, IS_QUICK, report } from './support/report.js';
import { reportTook, reportTurns, watchTurns } from './support/turns.js';
import type { Took } from './support/turns.js';
import { withContexts } from './support/with-contexts.js';
import { workDirectory } from './support/work-directory.js';

const ROUNDS = IS_QUICK ? 1 : 5;
const PROCESSES = 60;
const [FEW_GROUPS, MANY_GROUPS] = [20, 2000];
const WINDOW_SEC = 60;

const root = workDirectory();
const { rules } = readRules([]);

interface Diagnosed extends Took {
  /** How much more memory was in use than before, at the most. */
  readonly heapBytes: number;
}

/** Diagnoses the end of the archive, `times` times, with caches of their own. */
function run(name: string, times: number): Promise<readonly Diagnosed[]> {
  return withContexts(root, async (contexts) => {
    const took: Diagnosed[] = [];
    for (let i = 0; i < times; i++) {
      globalThis.gc?.();
      const before = process.memoryUsage().heapUsed;
      let most = before;
      const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().heapUsed)), 10);
      const one = await watchTurns(() => once(contexts, name));
      clearInterval(watch);
      took.push({ ...one, heapBytes: most - before });
    }
    return took;
  });
}

async function once(contexts: ContextManager, name: string): Promise<void> {
  const context = await contexts.shared({ kind: 'archive', archive: name });
  const plan = await context.plans.ofExpressions(rules.map(({ when }) => when));
  const { end: finish } = await context.fetching.bounds(plan);
  const { findings } = await diagnose(context, rules, { start: addSeconds(finish, -WINDOW_SEC), finish }, {});
  const [{ trouble, culprits } = {}] = findings;
  if (trouble?.rule.resource !== 'processor' || trouble.since === undefined || culprits?.who[0]?.pid !== 1) {
    throw new Error(`found ${findings.map((one) => one.trouble.rule.name).join(', ')}`);
  }
}

for (const groups of [FEW_GROUPS, MANY_GROUPS]) {
  const name = `hour-${groups}`;
  writeHostHour(root, name, PROCESSES, groups);
  if (!IS_QUICK) await run(name, 2);
  const [cold, warm]: [Diagnosed[], Diagnosed[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const [first, second] = await run(name, 2);
    cold.push(first!);
    warm.push(second!);
  }
  const all = [...cold, ...warm];
  heading(`an hour of ${PROCESSES} processes and ${groups} control groups`);
  reportTook('cold', cold, BUDGETS.diagnosisCold.limit);
  reportTook('warm', warm, BUDGETS.diagnosisWarm.limit);
  reportTurns(all, BUDGETS.diagnosisTurn.limit);
  report(
    'more memory in use meanwhile, at the most',
    Math.max(...all.map(({ heapBytes }) => heapBytes)) / 1e6,
    'Mbyte',
  );
}
