/**
 * The first range of a gateway that has answered nothing but /healthz: every recorded sample of a small and of a middle archive, from the request
 * to the last byte of JSON, beside pmval, and beside cat of the same bytes, whose times have their starts in them. All print to nowhere, in turns,
 * a new gateway each time.
 */
import { existsSync } from 'node:fs';
import http from 'node:http';
import { BUDGETS } from './budgets.js';
import { readWhole, timed, toolMs } from './support/read-whole.js';
import { heading, IS_QUICK, median, report, skip } from './support/report.js';
import { startServer } from './support/server-process.js';
import { writeSmallArchive } from './support/small-archive.js';
import { workDirectory } from './support/work-directory.js';

const ROUNDS = IS_QUICK ? 1 : 9;
const SIZES = [2000, 15_000];
const INSTANCES = 16;
const PMVAL = '/usr/bin/pmval';

const directory = workDirectory();
const agent = new http.Agent({ keepAlive: true });

/** How long the first range of a gateway takes, and the second. */
async function firstRanges(range: string): Promise<readonly [first: number, second: number]> {
  const gateway = await startServer(['dist/pmgate.js', '--port', '0'], { PMGATE_ARCHIVES_ROOTS: directory });
  const ask = (path: string): Promise<unknown> => readWhole(gateway.port, path, { agent });
  try {
    await ask('/healthz');
    return [await timed(() => ask(range)), await timed(() => ask(range))];
  } finally {
    await gateway.stop();
  }
}

const hasPmval = existsSync(PMVAL);
if (!hasPmval) skip('pmval is not installed: no ratio');
for (const records of SIZES) {
  const archive = `of${records}`;
  const { base, metric } = writeSmallArchive(directory, archive, records, INSTANCES);
  const range = `/pmapi/fetch?archive=${archive}&names=${metric}&format=columns&samples=${records}`;
  heading(`the first range over ${records} records of ${INSTANCES} instances`);
  const first: number[] = [];
  const second: number[] = [];
  const pmval: number[] = [];
  const cat: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [cold, warm] = await firstRanges(range);
    first.push(cold);
    second.push(warm);
    if (hasPmval) pmval.push(toolMs(PMVAL, '-r', '-w', '12', '-U', base, metric)!);
    cat.push(toolMs('/bin/cat', `${base}.0`)!);
  }
  report('the first', first, 'millisec');
  report('the same again', second, 'millisec');
  report('cat of the same bytes', cat, 'millisec');
  if (!hasPmval) continue;
  report('pmval', pmval, 'millisec');
  report('the first, against pmval', median(first) / median(pmval), '', BUDGETS.firstRange.limit);
}
agent.destroy();
