import { evaluate, History } from '../../derived/index.js';
import type { EvaluationTrace } from '../../derived/index.js';
import { onPmError } from '../../pmapi/index.js';
import type { InstanceDomain, Timestamp, ValueSet } from '../../pmapi/index.js';
import type { BatchColumn } from '../../sources/index.js';
import type { RangeMetric, RangeSource } from './range-source.js';

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
export class DerivedEvaluation {
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
