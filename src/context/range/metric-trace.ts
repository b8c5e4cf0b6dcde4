import { EvaluationTrace } from '../../derived/index.js';
import type { ValueSet } from '../../pmapi/index.js';
import type { RateConversion } from './rate-conversion.js';
import { copyOfSet } from './value-copy.js';

/** What one metric's values went through in one sample, taken down for those who explain them. */
export class MetricTrace {
  /** The evaluation of a derived metric. */
  evaluation: EvaluationTrace | undefined;
  /** A copy of the values before rates and units; undefined when the sample did not hold the metric. */
  source: ValueSet | undefined;
  /** What the rate is since: a copy, and when it was taken; undefined when there was nothing before. */
  before: RateConversion['previous'];

  /** A sample begins. */
  begin(): void {
    this.source = undefined;
    this.before = undefined;
  }

  /** What is to be taken down of an evaluation. */
  evaluate(): EvaluationTrace {
    return (this.evaluation = new EvaluationTrace());
  }

  /** Values are to become a rate, or other units. */
  note(values: ValueSet, rate: Pick<RateConversion, 'previous'> | undefined): void {
    this.source = copyOfSet(values);
    this.before = rate?.previous;
  }
}
