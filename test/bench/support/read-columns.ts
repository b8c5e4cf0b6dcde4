import { collectColumns, parseRange, readRange } from '../../../src/context/range/index.js';
import type { RangeColumns, RangeParameters } from '../../../src/context/range/index.js';
import { UTC_ZONE } from '../../../src/pmapi/index.js';
import type { MetricDescriptor } from '../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../src/sources/index.js';
import type { RecordedSource } from '../../../src/sources/index.js';

/** What a request for a range of one metric does, without its text: look up, read, collect in columns. */
export async function readColumns(
  source: RecordedSource,
  name: string,
  parameters: RangeParameters,
): Promise<RangeColumns> {
  const pmids = await source.lookupNames([name]);
  const [descriptor] = (await source.describe(pmids)) as MetricDescriptor[];
  const { start, end } = await source.info();
  const request = parseRange(parameters, { start: start!, end: end!, now: end!, zone: UTC_ZONE });
  const metrics = [{ name, pmid: pmids[0]!, descriptor: descriptor! }];
  return collectColumns(readRange({ source, profile: new InstanceProfile(), metrics, request }));
}
