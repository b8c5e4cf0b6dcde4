/**
 * Damaged MMV files: 10,000 of them, of all versions, with bytes flipped, numbers replaced, records copied over others and ends cut off. Everything
 * is asked of each, beside a sound file, and it is replaced and cut off while it is in use. An error, or harm to the sound file, ends the run.
 * PMGATE_FUZZ_RUNS changes how many there are, PMGATE_FUZZ_SEED repeats a run.
 */
import { randomNumbers, SOUND_FILE, survive } from '../features/mmv/support/damage.js';
import { MmvFixture } from '../features/mmv/support/mmv-fixture.js';
import { BUDGETS } from './budgets.js';
import { heading, report } from './support/report.js';

const RUNS = Number(process.env['PMGATE_FUZZ_RUNS'] ?? 10_000);
const SEED = Number(process.env['PMGATE_FUZZ_SEED'] ?? Date.now() % 1_000_000);

heading(`${RUNS} damaged MMV files (seed ${SEED})`);
const mmv = new MmvFixture();
mmv.put('good', SOUND_FILE);
let longestMs = 0;
for (let i = 0; i < RUNS; i++) {
  const startMs = performance.now();
  try {
    await survive(mmv, randomNumbers(SEED + i));
  } catch (error) {
    throw new Error(`case ${i} of seed ${SEED}`, { cause: error });
  }
  longestMs = Math.max(longestMs, performance.now() - startMs);
}
await mmv.close();
report('longest time of one file', longestMs, 'ms', BUDGETS.mmvFuzzTime.limit);
