/**
 * Appends samples to the archive given as argument, going on in it if it is there, and prints the second of each one once it is
 * written: for tests that kill it. Samples are a second apart and begin after the last one, whatever the clock says.
 */
import { existsSync, writeSync } from 'node:fs';
import { MetricType } from '../../../../src/pmapi/index.js';
import { ArchiveWriter } from '../../../../src/sources/archive/writing/index.js';
import { descriptor, valueSet } from './support.js';

const [, , base = ''] = process.argv;
const [PMID, INDOM] = [0x0f000001, 0x0f000001];
const metric = descriptor(PMID, MetricType.U64, { indom: INDOM });
const writer = existsSync(`${base}.0`)
  ? await ArchiveWriter.resume(base)
  : ArchiveWriter.create(base, { pid: 1, hostName: 'host', timezone: 'UTC', zoneinfo: '' });
writer.describe(metric, ['test.m']);
for (let sec = (writer.end?.sec ?? 1_700_000_000) + 1; ; sec++) {
  const timestamp = { sec, nsec: 0 };
  if (sec % 50 === 0) await writer.rotate();
  const instances = [sec % 7, 10 + (sec % 3)].map((id) => ({ id, name: `n${id}` }));
  writer.instances(INDOM, instances);
  await writer.append({
    timestamp,
    sets: [
      valueSet(
        metric,
        instances.map(({ id }) => [id, sec] as const),
      ),
    ],
  });
  writeSync(1, `${sec}\n`);
}
