import { ArchiveBuilder } from '../../support/archive-builder.js';

/** What {@link writeSmallArchive} has written. */
export interface SmallArchive {
  readonly base: string;
  readonly metric: string;
}

const INDOM = 0x0f000001;
const PMID = 0x0f000400;
const [U64, COUNTER] = [3, 1];
const START_SEC = 1_700_000_000;
const INTERVAL_SEC = 10;

/** Write an archive of one counter, with so many records and instances. */
export function writeSmallArchive(directory: string, base: string, records: number, instances: number): SmallArchive {
  const metric = 'small.counter';
  const ids = Array.from({ length: instances }, (_, id) => id);
  const builder = new ArchiveBuilder({ version: 3, start: [START_SEC, 0] });
  builder.indom(
    [START_SEC, 0],
    INDOM,
    ids.map((id) => [id, `disk${id}`] as const),
  );
  builder.metric({ pmid: PMID, names: [metric], type: U64, indom: INDOM, semantics: COUNTER });
  builder.indexEntry([START_SEC, 0]);
  for (let record = 0; record < records; record++) {
    const values = ids.map((id) => [id, record * (1000 + 37 * id) + id] as const);
    builder.record([START_SEC + record * INTERVAL_SEC, 0], [{ pmid: PMID, values }]);
  }
  return { base: builder.write(directory, base), metric };
}
