import type { FetchPlan } from '../fetch-plan.js';
import type { RangeMetric } from './range-source.js';

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
