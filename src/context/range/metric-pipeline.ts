import { EvaluationTrace } from '../../derived/index.js';
import { ValueSet } from '../../pmapi/index.js';
import type { LinearScale, MetricType, ParsedUnits, Timestamp } from '../../pmapi/index.js';
import { columnOfNothing, markAt, timeOfRow } from '../../sources/index.js';
import type { Batch, BatchColumn, NumberBlock } from '../../sources/index.js';
import { DerivedEvaluation } from './derived-evaluation.js';
import type { RangeInstances } from './derived-evaluation.js';
import type { RangeMetric } from './range-source.js';
import { RateConversion, UnitConversion, hasRate } from './conversion.js';
import type { RateOptions } from './conversion.js';

/** Steps for every metric of a range. */
export interface PipelineOptions {
  /** For ranges: the batch's column of each PMID. */
  readonly places?: ReadonlyMap<number, number> | undefined;
  /** Absent where derived metrics are computed already, in the place of their PMID. */
  readonly instances?: RangeInstances | undefined;
  readonly rate: RateOptions | undefined;
  readonly units: ParsedUnits | undefined;
  /** Samples closer than this make no rate; 0 by default. */
  readonly leastSec?: number | undefined;
}

export interface PipelineFactors {
  /** Factor of the rise per second; undefined without a rate. */
  readonly rate: number | undefined;
  readonly units: LinearScale | undefined;
}

const PIPELINE_BYTES = 700;

/** A metric's steps from recorded to answered values: evaluation, rate, units. In a range, a column of the current batch. */
export class MetricPipeline implements BatchColumn {
  /** As answered. */
  readonly metric: RangeMetric;
  /** Records the steps, for an explanation. */
  trace: MetricTrace | undefined;
  readonly #place: number;
  readonly #derived: DerivedEvaluation | undefined;
  readonly #rate: RateConversion | undefined;
  readonly #units: UnitConversion | undefined;
  /** Made on demand: a context may keep pipelines for thousands of metrics. */
  #computed: ValueSet | undefined;
  #rates: ValueSet | undefined;
  #rescaled: ValueSet | undefined;
  #nothing: ValueSet | undefined;
  /** The answered rows of a batch, and the result for the row read last. */
  #batch = NO_BATCH;
  #column = columnOfNothing();
  #first = 0;
  #length = 0;
  #row = -1;
  #values: ValueSet | undefined;
  /** Those rows as a block, if possible; computed when read. */
  #block: NumberBlock | undefined;
  #isBlockKnown = false;

  /** @throws GatewayError CONVERSION for the units */
  constructor(metric: RangeMetric, { places, instances, rate, units, leastSec }: PipelineOptions) {
    const { name, pmid, computed } = metric;
    this.#place = places?.get(pmid) ?? -1;
    if (computed && instances && places) {
      const operands = computed.operands.map((operand) => places.get(operand)!);
      this.#derived = new DerivedEvaluation(computed, operands, instances, leastSec);
    }
    let { descriptor } = metric;
    if (rate && hasRate(descriptor)) {
      this.#rate = new RateConversion(descriptor, { ...rate, leastSec });
      descriptor = this.#rate.descriptor;
    }
    if (units) {
      this.#units = new UnitConversion(name, descriptor, units, this.#rate && metric.descriptor);
      descriptor = this.#units.descriptor;
    }
    this.metric = { ...metric, descriptor };
  }

  get #empty(): ValueSet {
    const { pmid, descriptor } = this.metric;
    return (this.#nothing ??= emptySet(pmid, descriptor.type));
  }

  /** Approximate memory, without that of values computed elsewhere. */
  get bytes(): number {
    const sets = [this.#rates, this.#rescaled, this.#nothing];
    return sets.reduce((sum, set) => sum + (set?.bytes ?? 0), PIPELINE_BYTES + (this.#rate?.bytes ?? 0));
  }

  /** Values behind a mark cannot be compared with earlier ones. */
  crossMark(): void {
    this.#derived?.forgetSamples();
    this.#rate?.reset();
  }

  startFrom(set: ValueSet, at: Timestamp): void {
    this.#rate?.startFrom(set, at);
  }

  get factors(): PipelineFactors {
    return { rate: this.#rate?.factor, units: this.#units?.scale };
  }

  get isRate(): boolean {
    return this.#rate !== undefined;
  }

  /** Answers some rows of a batch. They must come in time order. */
  take(batch: Batch, first: number, length: number): void {
    this.#batch = batch;
    if (!this.#derived) this.#column = batch.columns[this.#place]!;
    this.#first = first;
    this.#length = length;
    this.#row = -1;
    this.#block = undefined;
    this.#isBlockKnown = false;
  }

  get block(): NumberBlock | undefined {
    // What was answered by rows, or is to be explained, continues by rows.
    if (!this.#isBlockKnown && this.#row < 0 && !this.trace) {
      this.#isBlockKnown = true;
      this.#block = this.#readBlock();
    }
    return this.#block;
  }

  #readBlock(): NumberBlock | undefined {
    const block = this.#derived ? undefined : this.#column.block;
    if (!block) return undefined;
    if (this.#rate) {
      const rates = this.#rate.convertBlock(block, this.#batch, this.#first, this.#length);
      return rates && this.#units ? this.#units.convertBlock(rates, this.#length) : rates;
    }
    const { numbers, stride } = block;
    const rows = this.#first === 0 ? block : { ...block, numbers: numbers.subarray(this.#first * stride) };
    return this.#units ? this.#units.convertBlock(rows, this.#length) : rows;
  }

  holds(row: number): boolean {
    return this.isHeldBy(this.#batch, this.#first + row);
  }

  isHeldBy({ columns }: Batch, row: number): boolean {
    return this.#derived ? this.#derived.isHeldBy(columns, row) : (columns[this.#place]?.holds(row) ?? false);
  }

  status(row: number): number {
    return this.at(row).status;
  }

  at(row: number): ValueSet {
    if (row !== this.#row || !this.#values) {
      this.#row = row;
      this.trace?.begin();
      if (this.#rate && this.#block) this.#values = this.#readFrom(this.#block, row);
      else this.#values = this.holds(row) ? this.#read(this.#first + row) : this.#empty;
    }
    return this.#values;
  }

  /** A row of converted rates: converting it again would count it as a new sample. */
  #readFrom({ type, instances, numbers, stride, places }: NumberBlock, row: number): ValueSet {
    const set = (this.#rates ??= new ValueSet());
    set.reset(this.metric.pmid, type);
    for (let k = 0; k < instances.length; k++) set.addNumber(instances[k]!, numbers[row * stride + places[k]!]!);
    return set;
  }

  #read(row: number): ValueSet {
    if (!this.#derived && !this.#rate && !this.trace) return this.#rescale(this.#column.at(row));
    const at = timeOfRow(this.#batch, row);
    if (!this.#derived) return this.convert(this.#column.at(row), at);
    const { columns } = this.#batch;
    const set = (this.#computed ??= emptySet(this.metric.pmid, this.metric.descriptor.type));
    this.#derived.evaluate(columns, row, at, set, this.trace?.evaluate());
    const isLost = this.#derived.lacksOperands(columns, row);
    if (isLost) this.#rate?.reset();
    const values = this.convert(set, at);
    if (isLost) this.#rate?.reset();
    return values;
  }

  /** A set as answered. Valid until the next call, never to be changed: it may be the same set. */
  convert(values: ValueSet, at: Timestamp): ValueSet {
    let set = values;
    this.trace?.note(values, this.#rate);
    if (this.#rate) {
      this.#rates ??= new ValueSet();
      this.#rate.convert(set, at, this.#rates);
      set = this.#rates;
    }
    return this.#rescale(set);
  }

  #rescale(set: ValueSet): ValueSet {
    if (!this.#units) return set;
    this.#rescaled ??= new ValueSet();
    this.#units.convert(set, this.#rescaled);
    return this.#rescaled;
  }
}

const NO_BATCH = markAt({ sec: 0, nsec: 0 });

function emptySet(pmid: number, type: MetricType): ValueSet {
  const set = new ValueSet();
  set.reset(pmid, type);
  return set;
}

/** Records what one metric's values go through in one sample. */
export class MetricTrace {
  /** The evaluation of a derived metric. */
  evaluation: EvaluationTrace | undefined;
  /** A copy of the values before rates and units; undefined if the sample lacked the metric. */
  source: ValueSet | undefined;
  /** A copy of the rate's earlier values, with their time; undefined without any. */
  before: RateConversion['previous'];

  begin(): void {
    this.source = undefined;
    this.before = undefined;
  }

  evaluate(): EvaluationTrace {
    return (this.evaluation = new EvaluationTrace());
  }

  note(values: ValueSet, rate: Pick<RateConversion, 'previous'> | undefined): void {
    this.source = values.copy();
    this.before = rate?.previous;
  }
}
