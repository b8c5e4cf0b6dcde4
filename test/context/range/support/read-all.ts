import { timestampToSeconds, UTC_ZONE } from '../../../../src/pmapi/index.js';
import { InstanceProfile, recordsOf } from '../../../../src/sources/index.js';
import { parseRange, readRange } from '../../../../src/context/range/index.js';
import type {
  RangeMetric,
  RangeOptions,
  RangeParameters,
  RangeRequest,
  RangeSamples,
  RangeSource,
} from '../../../../src/context/range/index.js';
import { toRow } from './rows.js';

/** What a test tells of a sample: seconds, then per metric its values by instance, or the error; or 'mark'. */
export type Seen = readonly [sec: number, ...values: unknown[]];

/** A range in the window that runs from second 0 to `endSec`. */
function requestOf(parameters: RangeParameters, endSec = 100): RangeRequest {
  const end = { sec: endSec, nsec: 0 };
  return parseRange(parameters, { start: { sec: 0, nsec: 0 }, end, now: end, zone: UTC_ZONE });
}

/** Options for reading a range of everything. */
export function rangeOf(
  source: RangeSource,
  metrics: readonly RangeMetric[],
  parameters: RangeParameters = {},
  more: Partial<RangeOptions> = {},
): RangeSamples {
  return readRange({ source, metrics, profile: new InstanceProfile(), request: requestOf(parameters), ...more });
}

/** All samples: a singular value as it is, several as an object by instance id, nothing as undefined. */
export async function readAll(samples: RangeSamples): Promise<Seen[]> {
  const seen: Seen[] = [];
  for await (const sample of recordsOf(samples.batches())) {
    const sec = timestampToSeconds(sample.result.timestamp);
    if (sample.isMark) seen.push([sec, 'mark']);
    else seen.push([sec, ...toRow(sample, samples.metrics).values.map(shown)]);
  }
  return seen;
}

function shown({ pmErr, instances }: ReturnType<typeof toRow>['values'][number]): unknown {
  if (pmErr < 0) return { error: pmErr };
  if (instances.length === 0) return undefined;
  if (instances[0]!.instance === -1) return instances[0]!.value;
  return Object.fromEntries(instances.map(({ instance, value }) => [instance, value]));
}
