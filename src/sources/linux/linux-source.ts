import { PM_ERR, PmError } from '../../pmapi/index.js';
import type { FetchResult, InstanceDomain, LabelSet, LabelTarget } from '../../pmapi/index.js';
import type {
  DescriptorResult,
  HelpLevel,
  HelpTarget,
  MetricSource,
  NameResult,
  PmnsChildren,
  PreparedFetch,
  SourceInfo,
} from '../metric-source.js';
import type { PmnsTree } from '../pmns-tree.js';
import type { InstanceProfile } from '../profile.js';
import type { BoundMetric, SlowSource } from './cluster.js';
import type { HostIdentity } from './identity.js';
import type { Sample } from './sample.js';

interface SampledMachine {
  readonly generation: number;
  readonly identity: Pick<HostIdentity, 'hostName' | 'timeZone'>;
  readonly pmns: PmnsTree;
  metric(pmid: number): BoundMetric | undefined;
  instances(indom: number): Promise<InstanceDomain>;
  labels(target: LabelTarget): Promise<readonly LabelSet[]>;
  helpText(target: HelpTarget, level: HelpLevel): string | undefined;
  plan(pmids: readonly number[]): SamplingPlan;
  fetch(plan: SamplingPlan, profile: InstanceProfile, into: FetchResult): Promise<void>;
}

/** One context's view of the collector; only knows whether it is still open. Made by `LinuxCollector.open()`. */
export class LinuxSource implements MetricSource {
  readonly kind = 'local';
  readonly #collector: SampledMachine;
  #gone: Error | undefined;

  /** @internal */
  constructor(collector: SampledMachine) {
    this.#collector = collector;
  }

  get generation(): number {
    return this.#collector.generation;
  }

  get origin(): object {
    return this.#collector;
  }

  info(): Promise<SourceInfo> {
    return this.#ask(({ identity: { hostName, timeZone } }) => ({ kind: this.kind, hostName, timezone: timeZone }));
  }

  lookupNames(names: readonly string[]): Promise<readonly NameResult[]> {
    return this.#ask(({ pmns }) => names.map((name) => pmns.lookup(name)));
  }

  namesOf(pmid: number): Promise<readonly string[]> {
    return this.#ask(({ pmns }) => pmns.namesOf(pmid));
  }

  children(prefix: string): Promise<PmnsChildren> {
    return this.#ask(({ pmns }) => pmns.children(prefix));
  }

  traverse(prefix: string): Promise<readonly string[]> {
    return this.#ask(({ pmns }) => pmns.traverse(prefix));
  }

  describe(pmids: readonly number[]): Promise<readonly DescriptorResult[]> {
    return this.#ask((collector) => pmids.map((pmid) => collector.metric(pmid)?.metric.descriptor ?? PM_ERR.PMID));
  }

  instances(indom: number): Promise<InstanceDomain> {
    return this.#ask((collector) => collector.instances(indom));
  }

  labels(target: LabelTarget): Promise<readonly LabelSet[]> {
    return this.#ask((collector) => collector.labels(target));
  }

  helpText(target: HelpTarget, level: HelpLevel): Promise<string | undefined> {
    return this.#ask((collector) => collector.helpText(target, level));
  }

  prepare(pmids: readonly number[]): PreparedFetch {
    return this.#collector.plan(pmids);
  }

  fetch(prepared: PreparedFetch, profile: InstanceProfile, into: FetchResult): Promise<void> {
    if (this.#gone) return Promise.reject(this.#gone);
    const plan = prepared instanceof SamplingPlan ? prepared : this.#collector.plan(prepared.pmids);
    return this.#collector.fetch(plan, profile, into);
  }

  async close(): Promise<void> {
    await Promise.resolve();
    this.#gone ??= new PmError(PM_ERR.NOCONTEXT);
  }

  destroy(reason: Error): void {
    this.#gone ??= reason;
  }

  async #ask<T>(answer: (collector: SampledMachine) => T | Promise<T>): Promise<T> {
    if (this.#gone) throw this.#gone;
    return answer(this.#collector);
  }
}

/** The metrics of a fetch that one slow source answers. */
export interface SlowGroup {
  readonly source: SlowSource;
  /** Item numbers, and the position of each in the fetch. */
  readonly items: readonly number[];
  readonly positions: readonly number[];
}

/** A prepared fetch: each sample and slow source that its metrics need, once. */
export class SamplingPlan implements PreparedFetch {
  readonly pmids: readonly number[];
  readonly metrics: readonly (BoundMetric | undefined)[];
  readonly samples: readonly Sample[];
  readonly slow: readonly SlowGroup[];

  constructor(pmids: readonly number[], find: (pmid: number) => BoundMetric | undefined) {
    this.pmids = pmids;
    this.metrics = pmids.map(find);
    const samples = new Set<Sample>();
    const slow = new Map<SlowSource, { source: SlowSource; items: number[]; positions: number[] }>();
    for (const [position, bound] of this.metrics.entries()) {
      if (bound === undefined) continue;
      const { binding } = bound;
      if (binding.kind === 'quick') {
        for (const sample of binding.samples) samples.add(sample);
        continue;
      }
      const group = slow.get(binding.source) ?? { source: binding.source, items: [], positions: [] };
      group.items.push(binding.item);
      group.positions.push(position);
      slow.set(binding.source, group);
    }
    this.samples = [...samples];
    this.slow = [...slow.values()];
  }
}
