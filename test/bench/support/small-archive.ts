import { ArchiveBuilder } from '../../support/archive-builder.js';
import type { BuiltSet } from '../../support/archive-builder.js';

/** What {@link writeSmallArchive} has written. */
export interface SmallArchive {
  readonly base: string;
  readonly metric: string;
}

const INDOM = 0x0f000001;
const PMID = 0x0f000400;
const [U64, DOUBLE] = [3, 5];
const [COUNTER, INSTANT] = [1, 3];
export const START_SEC = 1_700_000_000;
export const INTERVAL_SEC = 10;
/** Of the second metric, where there is one: uneven, as readings are. */
export const gaugeAt = (record: number, id: number): number => ((record * 7919 + id * 104_729) % 10_007) / 16;
export const counterAt = (record: number, id: number): number => record * (1000 + 37 * id) + id;

/** Write an archive of one counter, with so many records and instances, and of a gauge if that is wanted: `small.gauge`. */
export function writeSmallArchive(
  directory: string,
  base: string,
  records: number,
  instances: number,
  hasGauge = false,
): SmallArchive {
  const metric = 'small.counter';
  const ids = Array.from({ length: instances }, (_, id) => id);
  const builder = new ArchiveBuilder({ version: 3, start: [START_SEC, 0] });
  builder.indom(
    [START_SEC, 0],
    INDOM,
    ids.map((id) => [id, `disk${id}`] as const),
  );
  builder.metric({ pmid: PMID, names: [metric], type: U64, indom: INDOM, semantics: COUNTER });
  const gauge = { pmid: PMID + 1, names: ['small.gauge'], type: DOUBLE, indom: INDOM, semantics: INSTANT };
  if (hasGauge) builder.metric(gauge);
  builder.indexEntry([START_SEC, 0]);
  for (let record = 0; record < records; record++) {
    const setOf = (pmid: number, valueAt: typeof gaugeAt): BuiltSet => ({
      pmid,
      values: ids.map((id) => [id, valueAt(record, id)] as const),
    });
    const sets = [setOf(PMID, counterAt), ...(hasGauge ? [setOf(gauge.pmid, gaugeAt)] : [])];
    builder.record([START_SEC + record * INTERVAL_SEC, 0], sets);
  }
  return { base: builder.write(directory, base), metric };
}
