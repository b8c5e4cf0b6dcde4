import { ValueSet } from '../../pmapi/index.js';
import type { FetchResult, MetricType, ParsedUnits, Timestamp } from '../../pmapi/index.js';
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

/** A pipeline with its metric and its units. */
const PIPELINE_BYTES = 700;

/** The way of one metric from what was recorded to what is answered: evaluation, rate, units. */
export class MetricPipeline {
  /** The metric as it is answered. */
  readonly metric: RangeMetric;
  readonly #place: number;
  readonly #derived: DerivedEvaluation | undefined;
  readonly #rate: RateConversion | undefined;
  readonly #units: UnitConversion | undefined;
  /** Made where they are needed: a context may keep pipelines for thousands of metrics. */
  #computed: ValueSet | undefined;
  #rates: ValueSet | undefined;
  #rescaled: ValueSet | undefined;
  #nothing: ValueSet | undefined;

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
  }

  /** An empty set of the metric: what is answered where there is nothing to answer. */
  get values(): ValueSet {
    const { pmid, descriptor } = this.metric;
    return (this.#nothing ??= emptySet(pmid, descriptor.type));
  }

  /** Memory that the pipeline of a metric takes, about, whose values are computed elsewhere. */
  get bytes(): number {
    const sets = [this.#rates, this.#rescaled, this.#nothing];
    return sets.reduce((sum, set) => sum + (set?.bytes ?? 0), PIPELINE_BYTES + (this.#rate?.bytes ?? 0));
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

  /** Whether a record has anything for the metric. */
  isHeldBy(holds: (i: number) => boolean): boolean {
    return this.#derived ? this.#derived.isHeldBy(holds) : holds(this.#place);
  }

  /** The metric's values for a sample. Scratch, and never to be changed: it may be the sample's own set. */
  convert(sample: FetchResult, holds: (i: number) => boolean): ValueSet {
    let set: ValueSet;
    if (!this.isHeldBy(holds)) return this.values;
    if (this.#derived) {
      set = this.#computed ??= emptySet(this.metric.pmid, this.metric.descriptor.type);
      this.#derived.evaluate(sample, set);
    } else {
      set = sample.sets[this.#place]!;
    }
    if (this.#rate) {
      if (this.#derived?.lacksOperands(sample)) this.#rate.reset();
      this.#rates ??= new ValueSet();
      this.#rate.convert(set, sample.timestamp, this.#rates);
      if (this.#derived?.lacksOperands(sample)) this.#rate.reset();
      set = this.#rates;
    }
    if (this.#units) {
      this.#rescaled ??= new ValueSet();
      this.#units.convert(set, this.#rescaled);
      set = this.#rescaled;
    }
    return set;
  }
}

function emptySet(pmid: number, type: MetricType): ValueSet {
  const set = new ValueSet();
  set.reset(pmid, type);
  return set;
}
