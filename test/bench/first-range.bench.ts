/**
 * The first range of a gateway that has answered nothing but /healthz: every recorded sample of a small archive, from the request to
 * the last byte of JSON, beside pmval, whose time has its start in it. Both print to nowhere, in turns, a new gateway each time.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { BUDGETS } from './budgets.js';
import { heading, IS_QUICK, median, report, skip } from './support/report.js';
import { startServer } from './support/server-process.js';
import { writeSmallArchive } from './support/small-archive.js';
import { workDirectory } from './support/work-directory.js';

const ROUNDS = IS_QUICK ? 1 : 9;
const RECORDS = 2000;
const INSTANCES = 16;
const PMVAL = '/usr/bin/pmval';

const directory = workDirectory();
const { base, metric } = writeSmallArchive(directory, 'small', RECORDS, INSTANCES);
const RANGE = `/pmapi/fetch?archive=small&names=${metric}&format=columns&samples=${RECORDS}`;

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** How long the first range of a gateway takes, and the second. */
async function firstRanges(): Promise<readonly [first: number, second: number]> {
  const gateway = await startServer(['dist/pmgate.js', '--port', '0'], { PMGATE_ARCHIVES_ROOTS: directory });
  const ask = async (target: string): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${gateway.port}${target}`);
    const { byteLength } = await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${target}: ${answer.status}, ${byteLength} bytes`);
  };
  try {
    await ask('/healthz');
    return [await timed(() => ask(RANGE)), await timed(() => ask(RANGE))];
  } finally {
    await gateway.stop();
  }
}

function runPmval(): void {
  const { status } = spawnSync(PMVAL, ['-r', '-w', '12', '-U', base, metric], { stdio: 'ignore' });
  if (status !== 0) throw new Error(`pmval: exit code ${status}`);
}

heading(`the first range over ${RECORDS} records of ${INSTANCES} instances`);
const hasPmval = existsSync(PMVAL);
const first: number[] = [];
const second: number[] = [];
const pmval: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const [cold, warm] = await firstRanges();
  first.push(cold);
  second.push(warm);
  if (hasPmval) pmval.push(await timed(runPmval));
}
report('the first', median(first), 'millisec');
report('the same again', median(second), 'millisec');
if (!hasPmval) skip('pmval is not installed: no ratio');
else {
  report('pmval', median(pmval), 'millisec');
  const ratio = median(first) / median(pmval);
  report('the first, against pmval', ratio, '', BUDGETS.firstRange.limit);
}
