import { evaluate, EvaluationTrace, History } from '../../derived/index.js';
import { FetchResult, onPmError, ValueSet } from '../../pmapi/index.js';
import type { InstanceDomain, LinearScale, MetricType, ParsedUnits, Timestamp } from '../../pmapi/index.js';
import { columnOfBlock, columnOfNothing, markAt, timeOfRow } from '../../sources/index.js';
import type { Batch, BatchColumn, NumberBlock, RecordedSource } from '../../sources/index.js';
import type { FetchPlan, PlanEntry } from '../plans/fetch-plan.js';
import { hasRate, RateConversion, UnitConversion, type RateOptions } from './conversion.js';

/** A source of ranges: an archive, or remembered samples. Never moves a context's position. */
export type RangeSource = Pick<
  RecordedSource,
  'prepare' | 'batches' | 'estimate' | 'range' | 'neighbours' | 'instances'
>;

/** A metric of a range, with its name and PMID in responses. */
export type RangeMetric = PlanEntry;

/** Samples in time order, with the descriptors of their values after conversion. */
export interface RangeSamples {
  readonly metrics: readonly RangeMetric[];
  /** For decimated samples: how many each metric had, once all are read. */
  readonly counts?: (() => readonly number[]) | undefined;
  /** The samples, one column per metric. May be called once. For single samples: `recordsOf(samples.batches())`. */
  batches(): AsyncIterable<Batch>;
}

/** The distinct PMIDs behind some metrics: their own, or those of their operands. */
export function basePmids(metrics: readonly RangeMetric[]): number[] {
  return [...new Set(metrics.flatMap(({ pmid, computed }) => computed?.operands ?? [pmid]))];
}

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
      // Converting a row of converted rates again would count it as a new sample.
      if (this.#rate && this.#block) this.#values = columnOfBlock(this.metric.pmid, this.#block).at(row);
      else this.#values = this.holds(row) ? this.#read(this.#first + row) : this.#empty;
    }
    return this.#values;
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

/** Instance domains used by derived metrics of a range, as of the current sample. */
export class RangeInstances {
  readonly indoms: readonly number[];
  readonly #source: RangeSource;
  readonly #domains = new Map<number, InstanceDomain>();

  constructor(source: RangeSource, indoms: Iterable<number>) {
    this.#source = source;
    this.indoms = [...new Set(indoms)];
  }

  /** Lists them as of a moment; unknown ones are empty. */
  async moveTo(at: Timestamp): Promise<void> {
    for (const indom of this.indoms) this.#domains.set(indom, await this.#list(indom, at));
  }

  get(indom: number): InstanceDomain | undefined {
    return this.#domains.get(indom);
  }

  async #list(indom: number, at: Timestamp): Promise<InstanceDomain> {
    const domain = await this.#source.instances(indom, at).catch(onPmError(() => ({ indom, instances: [] })));
    const known = this.#domains.get(indom);
    // The same listing stays the same object: what was decided by name need not be decided again.
    return known && sameInstances(known, domain) ? known : domain;
  }
}

function sameInstances(a: InstanceDomain, b: InstanceDomain): boolean {
  if (a.instances.length !== b.instances.length) return false;
  return a.instances.every(({ id, name }, i) => b.instances[i]!.id === id && b.instances[i]!.name === name);
}

/** One derived metric of one range, with a history of its own. @see pmRegisterDerived(3) */
class DerivedEvaluation {
  readonly #program: NonNullable<RangeMetric['computed']>['program'];
  readonly #history: History;
  readonly #operands: readonly number[];
  readonly #instances: RangeInstances;
  #sequence = 0;

  /** `operands`: their columns in a batch, by operand index; samples closer than `leastSec` make no rate. */
  constructor(
    { program }: NonNullable<RangeMetric['computed']>,
    operands: readonly number[],
    instances: RangeInstances,
    leastSec?: number,
  ) {
    this.#program = program;
    this.#history = new History(program.slots, leastSec);
    this.#operands = operands;
    this.#instances = instances;
  }

  forgetSamples(): void {
    this.#history.forgetSamples();
  }

  /** Whether a record has an operand. Others are not samples: values must not depend on other metrics of the range. */
  isHeldBy(columns: readonly BatchColumn[], row: number): boolean {
    return this.#operands.length === 0 || this.#operands.some((i) => columns[i]!.holds(row));
  }

  /** Whether all operands lack values: what aggregates make of that (sum() is 0) is no counter value. */
  lacksOperands(columns: readonly BatchColumn[], row: number): boolean {
    return this.#operands.length > 0 && this.#operands.every((i) => columns[i]!.status(row) <= 0);
  }

  /** The metric's values for a row of a batch, taken at a moment; rows must come in time order. */
  evaluate(
    columns: readonly BatchColumn[],
    row: number,
    timestamp: Timestamp,
    into: ValueSet,
    trace?: EvaluationTrace,
  ): void {
    const inputs = {
      sequence: ++this.#sequence,
      timestamp,
      operands: this.#operands.map((i) => columns[i]!.at(row)),
      instances: (indom: number) => this.#instances.get(indom),
      trace,
    };
    evaluate(this.#program, inputs, this.#history, into);
  }
}
