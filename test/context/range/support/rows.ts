import type { AtomValue, Timestamp } from '../../../../src/pmapi/index.js';
import { type RecordedSample, recordsOf } from '../../../../src/sources/index.js';
import type { RangeMetric, RangeSamples } from '../../../../src/context/range/index.js';

/** One sample on its own, independent of the reader's buffers. */
export interface RangeRow {
  readonly timestamp: Timestamp;
  readonly values: readonly RowMetric[];
}

/** The values of one metric in a row. */
export interface RowMetric {
  readonly name: string;
  readonly pmid: number;
  /** The PM_ERR code in place of values; 0 when there is none. */
  readonly pmErr: number;
  readonly instances: readonly { readonly instance: number; readonly value: AtomValue }[];
}

/**
 * A range as rows, marks left out. For answers that are written at once, the samples themselves do, and cost less: each one's
 * `result` is what a fetch writer takes.
 */
export async function* rows(samples: RangeSamples): AsyncGenerator<RangeRow, void> {
  for await (const sample of recordsOf(samples.batches())) if (!sample.isMark) yield toRow(sample, samples.metrics);
}

/** One sample as a row. */
export function toRow({ result }: RecordedSample, metrics: readonly RangeMetric[]): RangeRow {
  return {
    timestamp: result.timestamp,
    values: metrics.map(({ name, pmid }, i) => {
      const set = result.sets[i]!;
      const instances: { instance: number; value: AtomValue }[] = [];
      for (let k = 0; k < set.status; k++) {
        instances.push({ instance: set.instances[k]!, value: set.column.atomAt(k) });
      }
      return { name, pmid, pmErr: Math.min(set.status, 0), instances };
    }),
  };
}
