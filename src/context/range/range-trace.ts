import { FetchResult } from '../../pmapi/index.js';
import type { ValueSet } from '../../pmapi/index.js';
import type { FetchPlan } from '../plans/fetch-plan.js';
import { MetricTrace } from './metric-pipeline.js';
import type { MetricPipeline, PipelineFactors } from './metric-pipeline.js';
import type { RangeMetric } from './range-source.js';

/** Records the last sample of a range, or one fetch, for an explanation. */
export class RangeTrace {
  /** Of a fetch: a copy of the source's values, and their PMIDs. */
  raw = new FetchResult();
  pmids: readonly number[] = [];
  metrics: readonly MetricTrace[] = [];
  factors: readonly (PipelineFactors | undefined)[] = [];

  answered: readonly RangeMetric[] = [];

  setOf(pmid: number): ValueSet | undefined {
    return this.raw.sets[this.pmids.indexOf(pmid)];
  }

  /** Begins with the source's answer to a plan. */
  begin({ base, entries }: Pick<FetchPlan, 'base' | 'entries'>, fetched: FetchResult): void {
    this.pmids = base.map(({ descriptor }) => descriptor.pmid);
    this.metrics = entries.map(() => new MetricTrace());
    this.raw = fetched.copy();
  }

  watch(pipelines: readonly MetricPipeline[]): void {
    this.metrics = pipelines.map((pipeline) => (pipeline.trace = new MetricTrace()));
    this.factors = pipelines.map(({ factors }) => factors);
    this.answered = pipelines.map(({ metric }) => metric);
  }
}
