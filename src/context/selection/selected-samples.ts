import { FetchResult, isArithmeticType, ValueSet } from '../../pmapi/index.js';
import type { RangeMetric, RangeSample, RangeSamples } from '../range/index.js';
import { inRuns } from '../range/range-source.js';
import { compareDescending, pickInstances, pickTop } from './pick-values.js';
import type { SeriesFilter } from './series-filter.js';

/** Samples of a range without the values that are not wanted. */
export class SelectedSamples implements RangeSamples {
  readonly metrics: readonly RangeMetric[];
  readonly #samples: RangeSamples;
  readonly #wanted: readonly ((instance: number) => boolean)[] | undefined;
  readonly #top: number | undefined;
  readonly #picked: readonly ValueSet[];
  readonly #greatest: readonly ValueSet[];
  readonly #result = new FetchResult();

  /**
   * @param filter knows all instances that there may be: {@link SeriesFilter.prepareAll}
   * @param top how many values of each metric a sample keeps, the greatest first
   */
  constructor(samples: RangeSamples, filter: SeriesFilter | undefined, top: number | undefined) {
    this.metrics = samples.metrics;
    this.#samples = samples;
    this.#wanted = filter && this.metrics.map((_, m) => (instance) => filter.includes(m, instance));
    this.#top = top;
    this.#picked = this.metrics.map(() => new ValueSet());
    this.#greatest = this.metrics.map(() => new ValueSet());
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RangeSample, void> {
    for await (const run of this.runs()) yield* run;
  }

  async *runs(): AsyncGenerator<Iterable<RangeSample>, void> {
    for await (const run of inRuns(this.#samples.runs?.(), this.#samples)) yield this.#select(run);
  }

  *#select(run: Iterable<RangeSample>): Generator<RangeSample, void> {
    for (const sample of run) yield sample.isMark ? sample : this.#selectFrom(sample);
  }

  #selectFrom({ result, holds }: RangeSample): RangeSample {
    const answer = this.#result;
    answer.timestamp = result.timestamp;
    for (let m = 0; m < result.sets.length; m++) {
      let set = result.sets[m]!;
      if (this.#wanted) set = pickInstances(set, this.#picked[m]!, this.#wanted[m]!);
      if (this.#top !== undefined) set = pickTop(set, this.#greatest[m]!, this.#top);
      answer.sets[m] = set;
    }
    return { isMark: false, result: answer, holds };
  }
}

interface Mean {
  sum: number;
  count: number;
}

/** The instances of each metric whose values have the greatest mean over a range. Metrics whose values are no numbers keep all. */
export class GreatestSeries {
  readonly #metrics: readonly RangeMetric[];
  readonly #means: readonly Map<number, Mean>[];

  constructor(metrics: readonly RangeMetric[]) {
    this.#metrics = metrics;
    this.#means = metrics.map(() => new Map());
  }

  /** Count a sample in. */
  add({ isMark, result }: RangeSample): void {
    if (isMark) return;
    for (let m = 0; m < this.#means.length; m++) {
      const { status, instances, column } = result.sets[m]!;
      if (status <= 0 || !isArithmeticType(column.type)) continue;
      const means = this.#means[m]!;
      for (let i = 0; i < status; i++) {
        const value = column.numbers[i]!;
        let mean = means.get(instances[i]!);
        if (!mean) means.set(instances[i]!, (mean = { sum: 0, count: 0 }));
        if (Number.isNaN(value)) continue;
        mean.sum += value;
        mean.count++;
      }
    }
  }

  /** The greatest of each metric, greatest first; undefined for a metric that keeps all. */
  top(count: number): readonly (readonly number[] | undefined)[] {
    return this.#metrics.map(({ descriptor }, m) =>
      isArithmeticType(descriptor.type) ? greatestByMean(this.#means[m]!, count) : undefined,
    );
  }
}

/** The instances with the greatest means, greatest first, equal ones in their order; those without a number come last. */
export function greatestByMean(means: ReadonlyMap<number, Readonly<Mean>>, count: number): readonly number[] {
  return [...means]
    .map(([instance, { sum, count: n }]) => ({ instance, mean: sum / n }))
    .sort((a, b) => compareDescending(a.mean, b.mean))
    .slice(0, count)
    .map(({ instance }) => instance);
}
