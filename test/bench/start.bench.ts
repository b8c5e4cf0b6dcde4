/**
 * How soon after its process starts the gateway answers its first fetch: with what an earlier start compiled, and without. Beside it the same of a
 * server of Express alone, in turns.
 */
import path from 'node:path';
import { BUDGETS } from './budgets.js';
import type { Limit } from './budgets.js';
import { firstAnswer } from './support/first-answer.js';
import type { FirstAnswer } from './support/first-answer.js';
import { toolMs } from './support/read-whole.js';
import { heading, IS_QUICK, median, report } from './support/report.js';
import { workDirectory } from './support/work-directory.js';

const ROUNDS = IS_QUICK ? 1 : 9;
const PROGRAM = ['dist/pmgate.js'];
const EXPRESS = ['test/bench/support/express-server.js'];

const directory = workDirectory();
const env = { XDG_CACHE_HOME: path.join(directory, 'cache'), PMGATE_STATE_DIRECTORY: path.join(directory, 'state') };
await firstAnswer(process.execPath, PROGRAM, { env, isKept: true });
const later: FirstAnswer[] = [];
const first: FirstAnswer[] = [];
const express: FirstAnswer[] = [];
const bare: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  bare.push(toolMs(process.execPath, '-e', '0')!);
  express.push(await firstAnswer(process.execPath, EXPRESS));
  later.push(await firstAnswer(process.execPath, PROGRAM, { env }));
  first.push(await firstAnswer(process.execPath, PROGRAM, { env: { ...env, XDG_CACHE_HOME: '/dev/null' } }));
}

heading('from the start of the process to the first answer');
const ms = (name: string, values: readonly number[], budget?: Limit): void => report(name, values, 'millisec', budget);
ms(
  'node dist/pmgate.js',
  later.map((each) => each.ms),
  BUDGETS.start.limit,
);
ms(
  'the first start of a build',
  first.map((each) => each.ms),
);
ms(
  'a server of Express alone',
  express.map((each) => each.ms),
);
ms('node -e 0, until it ends', bare);

heading('CPU time until then, against a server of Express alone');
const cpu = (values: readonly FirstAnswer[]): number => median(values.map(({ cpuMs }) => cpuMs));
const ofExpress = cpu(express);
report('Express alone', ofExpress, 'millisec');
report('node dist/pmgate.js', cpu(later) / ofExpress, '', BUDGETS.startCpu.limit);
report('the first start of a build', cpu(first) / ofExpress, '', BUDGETS.startFirstCpu.limit);
