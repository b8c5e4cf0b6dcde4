/**
 * What is wrong at the end of an hour of a host's recording, every ten seconds: of 60 processes and 20 control groups, and of 2,000 groups. One process takes
 * all in the last ten minutes, so that the beginning and who it is are looked for, too. Cold means that nothing of the archive has been
 * read, warm that the same was asked before; both read from the system's page cache, in a process that has diagnosed before.
 */
import { diagnose } from '../../src/features/diagnosis/operations.js';
import { readRules } from '../../src/features/diagnosis/rules.js';
import { addSeconds } from '../../src/pmapi/index.js';
import { BUDGETS } from './budgets.js';
import { coldAndWarm, reportRuns } from './support/archive-runs.js';
import { writeHostHour } from './support/host-hour.js';
import { heading, report } from './support/report.js';
import { workDirectory } from './support/work-directory.js';

const PROCESSES = 60;
const [FEW_GROUPS, MANY_GROUPS] = [20, 2000];
const WINDOW_SEC = 60;

const root = workDirectory();
const { rules } = readRules([]);
const { diagnosisCold: cold, diagnosisWarm: warm, diagnosisTurn: turn } = BUDGETS;

for (const groups of [FEW_GROUPS, MANY_GROUPS]) {
  const name = `hour-${groups}`;
  writeHostHour(root, name, PROCESSES, groups);
  const heaps: number[] = [];
  const runs = await coldAndWarm(root, name, async (context) => {
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().heapUsed)), 10);
    const plan = await context.plans.ofExpressions(rules.map(({ when }) => when));
    const { end: finish } = await context.fetching.bounds(plan);
    const { findings } = await diagnose(context, rules, { start: addSeconds(finish, -WINDOW_SEC), finish }, {});
    clearInterval(watch);
    heaps.push(most - before);
    const [{ trouble, culprits } = {}] = findings;
    if (trouble?.rule.resource !== 'processor' || trouble.since === undefined || culprits?.who[0]?.pid !== 1) {
      throw new Error(`found ${findings.map((one) => one.trouble.rule.name).join(', ')}`);
    }
  });
  heading(`an hour of ${PROCESSES} processes and ${groups} control groups`);
  reportRuns(runs, { cold, warm, turn });
  report('more memory in use meanwhile, at the most', Math.max(...heaps) / 1e6, 'Mbyte');
}
