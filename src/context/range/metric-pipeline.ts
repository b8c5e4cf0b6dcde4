import { ValueSet } from '../../pmapi/index.js';
import type { FetchResult, ParsedUnits, Timestamp } from '../../pmapi/index.js';
import type { BlockColumn, RecordBlock } from '../../sources/index.js';
import { DerivedEvaluation } from './derived-evaluation.js';
import type { RangeInstances } from './derived-evaluation.js';
import type { RangeMetric } from './range-source.js';
import { hasRate, RateConversion } from './rate-conversion.js';
import type { RateOptions } from './rate-conversion.js';
import { UnitConversion } from './unit-conversion.js';

/** What happens to every metric of a range. */
export interface PipelineOptions {
  /** Where in a record the value set of each PMID is. */
  readonly places: ReadonlyMap<number, number>;
  /** Absent where derived metrics are computed already: their values are in the place of their PMID. */
  readonly instances?: RangeInstances | undefined;
  /** Counters become rates. */
  readonly rate: RateOptions | undefined;
  readonly units: ParsedUnits | undefined;
}

/** The way of one metric from what was recorded to what is answered: evaluation, rate, units. */
export class MetricPipeline {
  /** The metric as it is answered. */
  readonly metric: RangeMetric;
  readonly #place: number;
  readonly #derived: DerivedEvaluation | undefined;
  readonly #rate: RateConversion | undefined;
  readonly #units: UnitConversion | undefined;
  readonly #computed = new ValueSet();
  readonly #rates = new ValueSet();
  readonly #rescaled = new ValueSet();
  /** What is answered where there is nothing to answer. */
  readonly #nothing = new ValueSet();

  /** @throws GatewayError CONVERSION when the metric cannot be given in the units */
  constructor(metric: RangeMetric, { places, instances, rate, units }: PipelineOptions) {
    const { name, pmid, computed } = metric;
    this.#place = places.get(pmid) ?? -1;
    if (computed && instances) {
      const operands = computed.operands.map((operand) => places.get(operand)!);
      this.#derived = new DerivedEvaluation(computed, operands, instances);
    }
    let { descriptor } = metric;
    if (rate && hasRate(descriptor)) {
      this.#rate = new RateConversion(descriptor, rate);
      descriptor = this.#rate.descriptor;
    }
    if (units) {
      this.#units = new UnitConversion(name, descriptor, units, this.#rate && metric.descriptor);
      descriptor = this.#units.descriptor;
    }
    this.metric = { ...metric, descriptor };
    this.#nothing.reset(pmid, descriptor.type);
    this.#computed.reset(pmid, metric.descriptor.type);
  }

  /** An empty set of the metric. */
  get values(): ValueSet {
    return this.#nothing;
  }

  /** What comes after a mark cannot be compared with what came before. */
  crossMark(): void {
    this.#derived?.forgetSamples();
    this.#rate?.reset();
  }

  /** Begin with values that were seen before the first sample: there are rates from the first one on. */
  startFrom(set: ValueSet, at: Timestamp): void {
    this.#rate?.startFrom(set, at);
  }

  /** Whether the metric is answered as a rate. */
  get isRate(): boolean {
    return this.#rate !== undefined;
  }

  /** Whether {@link convertBlock} can do it: values that need none of the records around theirs. */
  get takesBlocks(): boolean {
    return !this.#derived && !this.#rate;
  }

  /** The metric's values for a block of samples. */
  convertBlock({ columns, length }: RecordBlock): BlockColumn | undefined {
    const column = columns[this.#place];
    return column && this.#units ? this.#units.convertBlock(column, length) : column;
  }

  /** The metric's values for a sample. Scratch, and never to be changed: it may be the sample's own set. */
  convert(sample: FetchResult, holds: (i: number) => boolean): ValueSet {
    let set: ValueSet;
    if (this.#derived) {
      if (!this.#derived.isHeldBy(holds)) return this.#nothing;
      this.#derived.evaluate(sample, this.#computed);
      set = this.#computed;
    } else {
      if (!holds(this.#place)) return this.#nothing;
      set = sample.sets[this.#place]!;
    }
    if (this.#rate) {
      if (this.#derived?.lacksOperands(sample)) this.#rate.reset();
      this.#rate.convert(set, sample.timestamp, this.#rates);
      if (this.#derived?.lacksOperands(sample)) this.#rate.reset();
      set = this.#rates;
    }
    if (this.#units) {
      this.#units.convert(set, this.#rescaled);
      set = this.#rescaled;
    }
    return set;
  }
}
