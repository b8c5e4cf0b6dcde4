import { FetchResult } from '../../pmapi/index.js';
import type { ValueSet } from '../../pmapi/index.js';
import type { FetchPlan } from '../plans/fetch-plan.js';
import { MetricTrace } from './metric-pipeline.js';
import type { MetricPipeline, PipelineFactors } from './metric-pipeline.js';
import type { RangeMetric } from './range-source.js';
import { copyResult } from './value-copy.js';

/** What the last sample of a range, or one fetch, went through: for those who explain it. */
export class RangeTrace {
  /** Of a fetch, a copy of what the source gave, and the PMIDs of its value sets. */
  raw = new FetchResult();
  pmids: readonly number[] = [];
  /** What each metric's values went through, in the order of the metrics. */
  metrics: readonly MetricTrace[] = [];
  /** What each metric's values were multiplied with. */
  factors: readonly (PipelineFactors | undefined)[] = [];

  /** The metrics as they are answered. */
  answered: readonly RangeMetric[] = [];

  /** What the source gave of a metric. */
  setOf(pmid: number): ValueSet | undefined {
    return this.raw.sets[this.pmids.indexOf(pmid)];
  }

  /** A fetch of a plan was answered by the source. */
  begin({ base, entries }: Pick<FetchPlan, 'base' | 'entries'>, fetched: FetchResult): void {
    this.pmids = base.map(({ descriptor }) => descriptor.pmid);
    this.metrics = entries.map(() => new MetricTrace());
    this.raw = copyResult(fetched);
  }

  /** Watch what the pipelines of a range do with the values of each sample. */
  watch(pipelines: readonly MetricPipeline[]): void {
    this.metrics = pipelines.map((pipeline) => (pipeline.trace = new MetricTrace()));
    this.factors = pipelines.map(({ factors }) => factors);
    this.answered = pipelines.map(({ metric }) => metric);
  }
}
