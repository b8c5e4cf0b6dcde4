import { DerivedScope, evaluate, History, outdatedIndoms } from '../../derived/index.js';
import type { DerivedDefinition, EvaluationTrace, ParsedDefinitions, Program } from '../../derived/index.js';
import { throughInTurns } from '../../kit/index.js';
import { compareTimestamps, onPmError, secondsBetween, ValueSet, wasClockSetBack } from '../../pmapi/index.js';
import type { InstanceDomain, Timestamp } from '../../pmapi/index.js';
import type { MetricSource } from '../../sources/index.js';
import type { Binding, BindingCache, BoundProgram } from './binding-cache.js';
import type { ComputedMetric } from '../plans/fetch-plan.js';
import { BudgetedMap, type MemoryBudget } from '../memory-budget.js';
import type { SharedSource } from '../shared-source.js';

const MEMORY_BYTES = 400;

interface Memory {
  readonly program: Program;
  readonly history: History;
  /** The values of the last evaluation; overwritten by the next. */
  readonly values: ValueSet;
  evaluatedAt: Timestamp | undefined;
  evaluatedUnder: number;
}

export interface DerivedSample {
  readonly timestamp: Timestamp;
  operand(pmid: number): ValueSet;
  readonly profileVersion: number;
  /** A sample closer than this to the one before leaves rates unchanged. */
  readonly leastSec?: number;
  /** A metric's operands in an earlier sample, where its first rates start. */
  readonly earlier?: (metric: ComputedMetric) => EarlierOperands | undefined;
}

/** The operands of a derived metric at a moment, by operand index. */
export interface EarlierOperands {
  readonly at: Timestamp;
  readonly sets: readonly ValueSet[];
}

/** The derived metrics of one context: what they are here, and their history. @see pmRegisterDerived(3), pmAddDerived(3) */
export class DerivedMetrics {
  readonly scope: DerivedScope;
  readonly #source: MetricSource;
  readonly #bindings: BindingCache;
  /** By PMID; most contexts fetch no derived metrics. */
  #memories: BudgetedMap<number, Memory> | undefined;
  readonly #budget: MemoryBudget;
  /** The version of the definitions that the memories were last compared with. */
  #knownVersion = -1;
  /** Instances of an archive at the last sample. */
  #listed: Map<number, InstanceDomain> | undefined;
  #sequence = 0;
  readonly #instances = (indom: number): InstanceDomain | undefined =>
    this.#source.archive ? this.#listed?.get(indom) : this.#bindings.instances(indom);

  constructor(source: MetricSource, { definitions, bindings, memory }: SharedSource) {
    const budget = memory.definitions.part('derived metrics of the context', memory.definitionBytesPerContext);
    this.scope = new DerivedScope(definitions, { budget });
    this.#budget = memory.kept;
    this.#source = source;
    this.#bindings = bindings;
  }

  get remembered(): number {
    return this.#memories?.size ?? 0;
  }

  bindAll(definitions: readonly DerivedDefinition[], signal?: AbortSignal): Promise<readonly Binding[]> {
    return this.#bindings.bindAll(this.#source, definitions, this.scope, signal);
  }

  compute({ pmid }: DerivedDefinition, { operands, program, bytes }: BoundProgram): ComputedMetric {
    return { pmid, descriptor: { pmid, ...program.meta }, program, operands, bytes };
  }

  /** Add definitions of the context's own, all or none. @see pmAddDerived(3) */
  async add(parsed: ParsedDefinitions, signal?: AbortSignal): Promise<readonly DerivedDefinition[]> {
    const names = parsed.definitions.map(({ operands }) => operands);
    const environment = await this.#bindings.environment(this.#source, names, this.scope, { signal });
    return throughInTurns(this.scope.addInSteps(parsed, environment), signal);
  }

  forget(): void {
    this.#memories?.clear();
  }

  close(): void {
    this.forget();
    this.scope.close();
  }

  /** Lists instance domains again if the metrics need names of instances that are missing. */
  async prepare(metrics: readonly ComputedMetric[], sample: DerivedSample): Promise<void> {
    if (this.#source.archive) {
      await this.#listAt(metrics, sample.timestamp);
      return;
    }
    const outdated = new Set<number>();
    for (const { program, operands } of metrics) {
      if (program.indoms.length === 0) continue;
      const sets = operands.map((pmid) => sample.operand(pmid));
      for (const indom of outdatedIndoms(program, sets, (id) => this.#bindings.instances(id))) outdated.add(indom);
    }
    if (outdated.size === 0) return;
    await Promise.all([...outdated].map((indom) => this.#bindings.refreshInstances(this.#source, indom)));
  }

  /** The values, valid until the metric's next evaluation; `trace` stays empty if the sample was evaluated before. */
  evaluate(metric: ComputedMetric, sample: DerivedSample, trace?: EvaluationTrace): ValueSet {
    const memory = this.#remember(metric);
    this.#noticeClock(memory, sample);
    if (this.#isKnown(memory, sample)) return memory.values;
    if (memory.evaluatedAt === undefined && metric.program.slots > 0) this.#start(memory, sample.earlier?.(metric));
    memory.evaluatedAt = sample.timestamp;
    memory.evaluatedUnder = sample.profileVersion;
    memory.values.reset(metric.pmid, metric.descriptor.type);
    const inputs = {
      sequence: ++this.#sequence,
      timestamp: sample.timestamp,
      operands: metric.operands.map((pmid) => sample.operand(pmid)),
      instances: this.#instances,
      trace,
    };
    evaluate(metric.program, inputs, memory.history, memory.values);
    this.#memories?.resize(metric.pmid, memory, bytesOf(memory, metric));
    return memory.values;
  }

  #start({ program, history, values }: Memory, earlier: EarlierOperands | undefined): void {
    if (!earlier) return;
    values.reset(0, program.meta.type);
    const { at: timestamp, sets: operands } = earlier;
    evaluate(program, { sequence: ++this.#sequence, timestamp, operands, instances: this.#instances }, history, values);
  }

  /** The values of one derived metric of a live source, without using or changing its history. */
  evaluateAlone(
    { pmid, program }: Pick<ComputedMetric, 'pmid' | 'program'>,
    timestamp: Timestamp,
    operands: readonly ValueSet[],
    into: ValueSet,
  ): void {
    into.reset(pmid, program.meta.type);
    evaluate(
      program,
      { sequence: 1, timestamp, operands, instances: this.#instances },
      new History(program.slots),
      into,
    );
  }

  /** The instances of an archive are those of the sample's moment: numbers may have been reassigned since. */
  async #listAt(metrics: readonly ComputedMetric[], at: Timestamp): Promise<void> {
    const listed = (this.#listed ??= new Map<number, InstanceDomain>());
    for (const indom of new Set(metrics.flatMap(({ program }) => program.indoms))) {
      const domain = await this.#source.instances(indom, at).catch(onPmError(() => undefined));
      if (domain) listed.set(indom, domain);
      else listed.delete(indom);
    }
  }

  /** Repeated, overtaken and too near samples of live sources do not move the history; an archive's always do. */
  #isKnown({ program, evaluatedAt, evaluatedUnder }: Memory, sample: DerivedSample): boolean {
    if (evaluatedAt === undefined || this.#source.archive) return false;
    const order = compareTimestamps(sample.timestamp, evaluatedAt);
    if (program.slots > 0 && secondsBetween(sample.timestamp, evaluatedAt) < (sample.leastSec ?? 0)) return true;
    return order < 0 || (order === 0 && evaluatedUnder === sample.profileVersion);
  }

  /** Starts over when a live source's clock was set back: earlier samples lie in the future. */
  #noticeClock(memory: Memory, { timestamp }: DerivedSample): void {
    const { evaluatedAt, history } = memory;
    if (evaluatedAt === undefined || this.#source.archive || !wasClockSetBack(timestamp, evaluatedAt)) return;
    history.forgetSamples();
    memory.evaluatedAt = undefined;
  }

  #remember(metric: ComputedMetric): Memory {
    const { pmid, program } = metric;
    const known = this.#memories?.get(pmid);
    if (known?.program === program) return known;
    const memories = (this.#memories ??= new BudgetedMap<number, Memory>(this.#budget));
    this.#forgetUnregistered(memories);
    const memory: Memory = {
      program,
      history: new History(program.slots),
      values: new ValueSet(),
      evaluatedAt: undefined,
      evaluatedUnder: 0,
    };
    memories.set(pmid, memory, bytesOf(memory, metric));
    return memory;
  }

  #forgetUnregistered(memories: BudgetedMap<number, Memory>): void {
    if (this.scope.version === this.#knownVersion) return;
    this.#knownVersion = this.scope.version;
    for (const pmid of [...memories.keys()]) if (!this.scope.byPmid(pmid)) memories.delete(pmid);
  }
}

/** The program counts, too: it stays in memory when no one else has it. */
function bytesOf({ history, values }: Memory, { bytes }: ComputedMetric): number {
  return MEMORY_BYTES + bytes + history.bytes + values.bytes;
}
