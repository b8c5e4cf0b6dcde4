import type { MetricDescriptor } from '../../pmapi/index.js';
import type { Program } from '../../derived/index.js';
import type { Batch, RecordedSource } from '../../sources/index.js';
import type { FetchPlan } from '../plans/fetch-plan.js';

/**
 * What ranges are read from: an archive, or remembered samples of a live source. An archive's source already is one.
 * Nothing here moves a context's position.
 */
export type RangeSource = Pick<
  RecordedSource,
  'prepare' | 'batches' | 'estimate' | 'range' | 'neighbours' | 'instances'
>;

/** A metric of a range. The name and PMID are what answers say; a derived metric brings its program. */
export interface RangeMetric {
  readonly name: string;
  readonly pmid: number;
  readonly descriptor: MetricDescriptor;
  /** For a derived metric: what computes it, the PMIDs of its operands by operand index, and the memory that the program takes. */
  readonly computed?:
    { readonly program: Program; readonly operands: readonly number[]; readonly bytes?: number } | undefined;
}

/** Samples in time order, and what their values are: rates and rescaled values have descriptors of their own. */
export interface RangeSamples {
  readonly metrics: readonly RangeMetric[];
  /** Of decimated samples: how many each metric had before, once all are read. */
  readonly counts?: (() => readonly number[]) | undefined;
  /**
   * The samples, with one column per metric: what a fetch of these metrics would answer. May be called once. For one sample at a
   * time: `recordsOf(samples.batches())`.
   */
  batches(): AsyncIterable<Batch>;
}

/** The metrics of a fetch plan as those of a range, in order; derived ones bring their programs. */
export function metricsOfPlan(plan: Pick<FetchPlan, 'entries' | 'computation'>): RangeMetric[] {
  return plan.entries.map(({ name, pmid, descriptor }, i) => {
    const computed = plan.computation?.entries[i];
    return { name, pmid, descriptor, ...(typeof computed === 'object' ? { computed } : {}) };
  });
}

/** The PMIDs that the values of some metrics are read from, each once: their own, or those of their operands. */
export function basePmids(metrics: readonly RangeMetric[]): number[] {
  return [...new Set(metrics.flatMap(({ pmid, computed }) => computed?.operands ?? [pmid]))];
}
