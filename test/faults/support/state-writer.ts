/** Writes ever newer contents to the state file that it is given, until somebody kills it. Says `ready` when the first is written. */
import { StateFile } from '../../../src/kit/node/index.js';

const state = new StateFile(process.argv[2]!);
const filling = 'x'.repeat(50_000);
for (let i = 1; ; i++) {
  await state.write({ i, filling });
  process.stdout.write(i === 1 ? 'ready\n' : `${i}\n`);
}
