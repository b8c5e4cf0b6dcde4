/** How soon after its process starts the gateway answers its first fetch. */
import { BUDGETS } from './budgets.js';
import { firstAnswer } from './support/first-answer.js';
import { heading, IS_QUICK, median, report } from './support/report.js';

const ROUNDS = IS_QUICK ? 1 : 7;

heading('from the start of the process to the first answer');
const node: number[] = [];
const npm: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  node.push(await firstAnswer(process.execPath, ['dist/pmgate.js']));
  npm.push(await firstAnswer('npm', ['start', '--']));
}
report({ name: 'node dist/pmgate.js', value: median(node), unit: 'millisec', budget: BUDGETS.start.limit });
report({ name: 'npm start', value: median(npm), unit: 'millisec', budget: BUDGETS.start.limit });
