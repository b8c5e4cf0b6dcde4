import { findPmcd } from './pmcd-process.js';

export { startPmcd } from './pmcd-process.js';
export type { PmcdSetup, RunningPmcd } from './pmcd-process.js';

/**
 * `describe` when real PCP is installed, else `describe.skip` with a line on stderr that says so.
 *
 *     describeWithPcp('the embedded collector beside pmcd', () => { … });
 */
export const describeWithPcp: jest.Describe = findPmcd() ? describe : skipLoudly();

function skipLoudly(): jest.Describe {
  process.stderr.write('SKIPPED: interop tests need PCP (apt-get install pcp) and root\n');
  return describe.skip;
}
