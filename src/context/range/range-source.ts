import type { PlanEntry } from '../plans/fetch-plan.js';
import type { Batch, RecordedSource } from '../../sources/index.js';

/** A source of ranges: an archive, or remembered samples. Never moves a context's position. */
export type RangeSource = Pick<
  RecordedSource,
  'prepare' | 'batches' | 'estimate' | 'range' | 'neighbours' | 'instances'
>;

/** A metric of a range, with its name and PMID in responses. */
export type RangeMetric = PlanEntry;

/** Samples in time order, with the descriptors of their values after conversion. */
export interface RangeSamples {
  readonly metrics: readonly RangeMetric[];
  /** For decimated samples: how many each metric had, once all are read. */
  readonly counts?: (() => readonly number[]) | undefined;
  /** The samples, one column per metric. May be called once. For single samples: `recordsOf(samples.batches())`. */
  batches(): AsyncIterable<Batch>;
}

/** The distinct PMIDs behind some metrics: their own, or those of their operands. */
export function basePmids(metrics: readonly RangeMetric[]): number[] {
  return [...new Set(metrics.flatMap(({ pmid, computed }) => computed?.operands ?? [pmid]))];
}
