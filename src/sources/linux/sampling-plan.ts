import type { PreparedFetch } from '../metric-source.js';
import type { BoundMetric, SlowSource } from './cluster.js';
import type { Sample } from './sample.js';

/** The metrics of one fetch that one slow source answers. */
export interface SlowGroup {
  readonly source: SlowSource;
  /** Item numbers, and the position of each in the fetch. */
  readonly items: readonly number[];
  readonly positions: readonly number[];
}

/**
 * A prepared fetch: each sample and each slow source that its metrics need occurs once, so that nothing is read twice and nothing
 * is read in vain.
 */
export class SamplingPlan implements PreparedFetch {
  readonly pmids: readonly number[];
  /** In the order of {@link pmids}; undefined for unknown PMIDs. */
  readonly metrics: readonly (BoundMetric | undefined)[];
  readonly samples: readonly Sample[];
  readonly slow: readonly SlowGroup[];

  constructor(pmids: readonly number[], find: (pmid: number) => BoundMetric | undefined) {
    this.pmids = pmids;
    this.metrics = pmids.map(find);
    const samples = new Set<Sample>();
    const slow = new Map<SlowSource, { source: SlowSource; items: number[]; positions: number[] }>();
    for (const [position, bound] of this.metrics.entries()) {
      if (bound === undefined) continue;
      const { binding } = bound;
      if (binding.kind === 'quick') {
        for (const sample of binding.samples) samples.add(sample);
        continue;
      }
      const group = slow.get(binding.source) ?? { source: binding.source, items: [], positions: [] };
      group.items.push(binding.item);
      group.positions.push(position);
      slow.set(binding.source, group);
    }
    this.samples = [...samples];
    this.slow = [...slow.values()];
  }
}
