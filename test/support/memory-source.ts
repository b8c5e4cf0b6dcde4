import {
  type Clock,
  type FetchResult,
  INDOM_NULL,
  INSTANCE_NULL,
  type Instance,
  type InstanceDomain,
  type Label,
  type LabelSet,
  type LabelTarget,
  type MetricDescriptor,
  MetricType,
  PM_ERR,
  PmError,
  type Timestamp,
  type ValueSet,
  isArithmeticType,
  isWideType,
} from '../../src/pmapi/index.js';
import type {
  DescriptorResult,
  HelpLevel,
  HelpTarget,
  MetricSource,
  NameResult,
  PmnsChildren,
  PreparedFetch,
  SourceInfo,
} from '../../src/sources/metric-source.js';
import { PmnsTree } from '../../src/sources/pmns-tree.js';
import type { InstanceProfile } from '../../src/sources/profile.js';

/** A value in memory: a number (exact), a bigint (64, U64), a text, or the bytes of an aggregate or event array. */
export type MemoryValue = number | bigint | string | Uint8Array;

/** One metric of a memory source. */
export interface MemoryMetric {
  readonly name: string;
  readonly descriptor: MetricDescriptor;
  readonly oneline?: string;
  readonly help?: string;
  readonly labels?: readonly Label[];
  /**
   * Its values: one value (singular), a map of instance id to value, or a PM_ERR code wrapped as `{ error }`.
   * A function is asked at each fetch.
   */
  readonly values: MemoryValues | ((now: Timestamp) => MemoryValues);
}
/** What a metric has: one value, values by instance, or a PM_ERR code in their place. */
export type MemoryValues = MemoryValue | ReadonlyMap<number, MemoryValue> | { readonly error: number };

/** One instance domain of a memory source. */
export interface MemoryIndom {
  readonly indom: number;
  readonly instances: readonly Instance[];
  readonly oneline?: string;
  readonly help?: string;
  readonly labels?: readonly Label[];
  /** Labels of single instances, by instance id. */
  readonly instanceLabels?: ReadonlyMap<number, readonly Label[]>;
}

/** What a memory source holds. */
export interface MemoryContent {
  readonly hostName?: string;
  readonly metrics: readonly MemoryMetric[];
  readonly indoms?: readonly MemoryIndom[];
  readonly contextLabels?: readonly Label[];
  readonly domainLabels?: ReadonlyMap<number, readonly Label[]>;
}

/**
 * A source whose metrics are given as plain objects: the reference implementation of the seam, for tests and for small
 * sets of metrics that the gateway itself makes. Replacing the content with {@link replace} moves the generation.
 */
export class MemorySource implements MetricSource {
  readonly kind = 'local';
  generation = 1;
  #content: MemoryContent;
  #tree: PmnsTree;
  #byPmid: Map<number, MemoryMetric>;
  readonly #clock: Clock;
  #gone: Error | undefined;

  constructor(content: MemoryContent, clock: Clock) {
    this.#clock = clock;
    this.#content = content;
    this.#tree = PmnsTree.of(content.metrics.map((m) => [m.name, m.descriptor.pmid]));
    this.#byPmid = new Map(content.metrics.map((m) => [m.descriptor.pmid, m]));
  }

  /** Whether the source was closed or destroyed: tests assert that nothing leaks. */
  get isClosed(): boolean {
    return this.#gone !== undefined;
  }

  /** Put other content in place, as an agent that starts or stops does. */
  replace(content: MemoryContent): void {
    this.#content = content;
    this.#tree = PmnsTree.of(content.metrics.map((m) => [m.name, m.descriptor.pmid]));
    this.#byPmid = new Map(content.metrics.map((m) => [m.descriptor.pmid, m]));
    this.generation++;
  }

  async info(): Promise<SourceInfo> {
    await this.#ready();
    return { kind: this.kind, hostName: this.#content.hostName ?? 'memory' };
  }

  async lookupNames(names: readonly string[]): Promise<readonly NameResult[]> {
    await this.#ready();
    return names.map((name) => this.#tree.lookup(name));
  }

  async namesOf(pmid: number): Promise<readonly string[]> {
    await this.#ready();
    return this.#tree.namesOf(pmid);
  }

  async children(prefix: string): Promise<PmnsChildren> {
    await this.#ready();
    return this.#tree.children(prefix);
  }

  async traverse(prefix: string): Promise<readonly string[]> {
    await this.#ready();
    return this.#tree.traverse(prefix);
  }

  async describe(pmids: readonly number[]): Promise<readonly DescriptorResult[]> {
    await this.#ready();
    return pmids.map((pmid) => this.#byPmid.get(pmid)?.descriptor ?? PM_ERR.PMID);
  }

  async instances(indom: number): Promise<InstanceDomain> {
    await this.#ready();
    const found = this.#indom(indom);
    if (!found) throw new PmError(PM_ERR.INDOM);
    return found;
  }

  async labels(target: LabelTarget): Promise<readonly LabelSet[]> {
    await this.#ready();
    if (target.kind === 'instances') {
      const found = this.#indom(target.indom)?.instanceLabels ?? new Map<number, readonly Label[]>();
      return [...found].map(([instance, labels]) => ({ instance, labels }));
    }
    const labels = this.#labelsOf(target);
    return labels && labels.length > 0 ? [{ instance: INSTANCE_NULL, labels }] : [];
  }

  async helpText(target: HelpTarget, level: HelpLevel): Promise<string | undefined> {
    await this.#ready();
    const owner = target.kind === 'metric' ? this.#byPmid.get(target.pmid) : this.#indom(target.indom);
    return level === 'oneline' ? owner?.oneline : owner?.help;
  }

  prepare(pmids: readonly number[]): PreparedFetch {
    return { pmids };
  }

  async fetch(prepared: PreparedFetch, profile: InstanceProfile, into: FetchResult): Promise<void> {
    await this.#ready();
    const now = this.#clock.now();
    into.timestamp = now;
    into.resize(prepared.pmids.length);
    prepared.pmids.forEach((pmid, i) => {
      const set = into.sets[i]!;
      const metric = this.#byPmid.get(pmid);
      set.reset(pmid, metric?.descriptor.type ?? MetricType.U32);
      if (metric) fillValueSet(set, metric, profile, now);
      else set.fail(PM_ERR.PMID);
    });
  }

  async close(): Promise<void> {
    await Promise.resolve();
    this.#gone ??= new PmError(PM_ERR.NOCONTEXT);
  }

  destroy(reason: Error): void {
    this.#gone ??= reason;
  }

  #ready(): Promise<void> {
    return this.#gone ? Promise.reject(this.#gone) : Promise.resolve();
  }

  #indom(indom: number): MemoryIndom | undefined {
    return this.#content.indoms?.find((candidate) => candidate.indom === indom);
  }

  #labelsOf(target: Exclude<LabelTarget, { kind: 'instances' }>): readonly Label[] | undefined {
    switch (target.kind) {
      case 'context':
        return this.#content.contextLabels;
      case 'domain':
        return this.#content.domainLabels?.get(target.domain);
      case 'indom':
        return this.#indom(target.indom)?.labels;
      case 'cluster':
        return undefined;
      case 'item':
        return this.#byPmid.get(target.pmid)?.labels;
    }
  }
}

function fillValueSet(set: ValueSet, metric: MemoryMetric, profile: InstanceProfile, now: Timestamp): void {
  const values = typeof metric.values === 'function' ? metric.values(now) : metric.values;
  if (values instanceof Map) {
    for (const [instance, value] of values as ReadonlyMap<number, MemoryValue>) {
      if (profile.includes(metric.descriptor.indom, instance)) addValue(set, metric.descriptor, instance, value);
    }
  } else if (typeof values === 'object' && 'error' in values) {
    set.fail(values.error);
  } else if (metric.descriptor.indom === INDOM_NULL) {
    addValue(set, metric.descriptor, INSTANCE_NULL, values as MemoryValue);
  } else {
    throw new Error(`metric ${metric.name} has instances: give its values as a map`);
  }
}

function addValue(set: ValueSet, descriptor: MetricDescriptor, instance: number, value: MemoryValue): void {
  if (typeof value === 'string') set.addText(instance, value);
  else if (value instanceof Uint8Array) set.addBytes(instance, value);
  else if (!isArithmeticType(descriptor.type)) throw new Error(`a number for a metric of type ${descriptor.type}`);
  else if (isWideType(descriptor.type)) set.addInteger(instance, BigInt(value));
  else set.addNumber(instance, Number(value));
}
