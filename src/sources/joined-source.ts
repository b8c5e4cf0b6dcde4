import { addTo } from '../kit/index.js';
import { indomDomain, INSTANCE_NULL, makeLabel, PM_ERR, PmError, pmidDomain } from '../pmapi/index.js';
import type {
  Clock,
  FetchResult,
  InstanceDomain,
  LabelSet,
  LabelTarget,
  MetricDescriptor,
  Timestamp,
  ValueSet,
} from '../pmapi/index.js';
import type {
  DescriptorResult,
  HelpLevel,
  HelpTarget,
  MetricSource,
  NameResult,
  PmnsChildren,
  PreparedFetch,
  SourceInfo,
  SourceKind,
  VolatileMetrics,
} from './metric-source.js';
import type { PmnsTree } from './pmns-tree.js';
import type { InstanceProfile } from './profile.js';

export interface SourceOpening {
  open(): MetricSource;
}

/** A fetch without metrics of agents goes directly to the source. @param clock for samples from agents alone; otherwise the source sets the time */
export function joinAgents(main: SourceOpening, agents: readonly MetricAgent[], clock: Clock): SourceOpening {
  if (agents.length === 0) return main;
  const joint: Joint = {
    origin: {},
    all: agents,
    agents: new Map(agents.map((agent) => [agent.domain, agent])),
    subtrees: new Map(agents.map((agent) => [agent.name, agent])),
    clock,
  };
  return { open: () => new JoinedSource(main.open(), joint) };
}

/** Shared by the sources of one machine. */
interface Joint {
  readonly origin: object;
  readonly all: readonly MetricAgent[];
  readonly agents: ReadonlyMap<number, MetricAgent>;
  readonly subtrees: ReadonlyMap<string, MetricAgent>;
  readonly clock: Clock;
}

interface AgentPart {
  readonly positions: readonly number[];
  readonly fetch: AgentFetch;
}

interface JoinedFetch extends PreparedFetch {
  /** The whole fetch, in which agents' PMIDs are unknown; undefined without others. */
  readonly main: PreparedFetch | undefined;
  readonly parts: readonly AgentPart[];
}

class JoinedSource implements MetricSource {
  readonly kind: SourceKind;
  readonly volatile: VolatileMetrics;
  readonly #main: MetricSource;
  readonly #joint: Joint;
  #gone: Error | undefined;

  constructor(main: MetricSource, joint: Joint) {
    this.kind = main.kind;
    this.#main = main;
    this.#joint = joint;
    this.volatile = {
      covers: (subject) => this.#joint.all.some((agent) => agent.covers(subject)),
      look: () => {
        for (const agent of this.#joint.all) agent.look();
      },
    };
  }

  /** Generations only increase, and so does their sum. */
  get generation(): number {
    let sum = this.#main.generation;
    for (const agent of this.#joint.all) sum += agent.generation;
    return sum;
  }

  get origin(): object {
    return this.#joint.origin;
  }

  info(): Promise<SourceInfo> {
    return this.#main.info();
  }

  async lookupNames(names: readonly string[]): Promise<readonly NameResult[]> {
    const results = [...(await this.#main.lookupNames(names))];
    for (const [i, name] of names.entries()) {
      const agent = this.#agentAt(name);
      if (agent) results[i] = agent.names().lookup(name);
    }
    return results;
  }

  async namesOf(pmid: number): Promise<readonly string[]> {
    const agent = this.#agentOf(pmid);
    return agent ? this.#ready(() => agent.names().namesOf(pmid)) : this.#main.namesOf(pmid);
  }

  async children(prefix: string): Promise<PmnsChildren> {
    const agent = this.#agentAt(prefix);
    if (agent) return this.#ready(() => agent.names().children(prefix));
    const main = await this.#main.children(prefix);
    if (prefix !== '') return main;
    const more = this.#joint.all.map((each) => each.names().children(''));
    return {
      leaf: [...main.leaf, ...more.flatMap(({ leaf }) => leaf)],
      nonleaf: [...main.nonleaf, ...more.flatMap(({ nonleaf }) => nonleaf)],
    };
  }

  async traverse(prefix: string): Promise<readonly string[]> {
    const agent = this.#agentAt(prefix);
    if (agent) return this.#ready(() => agent.names().traverse(prefix));
    const main = await this.#main.traverse(prefix);
    return prefix === '' ? [...main, ...this.#joint.all.flatMap((each) => each.names().traverse(''))] : main;
  }

  async describe(pmids: readonly number[]): Promise<readonly DescriptorResult[]> {
    const results = [...(await this.#main.describe(pmids))];
    for (const [i, pmid] of pmids.entries()) {
      const agent = this.#agentOf(pmid);
      if (agent) results[i] = agent.descriptor(pmid) ?? PM_ERR.PMID;
    }
    return results;
  }

  async instances(indom: number, at?: Timestamp): Promise<InstanceDomain> {
    const agent = this.#joint.agents.get(indomDomain(indom));
    return agent ? this.#ready(() => agent.instances(indom)) : this.#main.instances(indom, at);
  }

  async labels(target: LabelTarget, at?: Timestamp): Promise<readonly LabelSet[]> {
    const domain = domainOf(target);
    const agent = domain === undefined ? undefined : this.#joint.agents.get(domain);
    if (!agent) return this.#main.labels(target, at);
    if (target.kind !== 'domain') return this.#ready(() => agent.labels(target));
    return this.#ready(() => [{ instance: INSTANCE_NULL, labels: [makeLabel('agent', agent.name)] }]);
  }

  async helpText(target: HelpTarget, level: HelpLevel): Promise<string | undefined> {
    const domain = target.kind === 'metric' ? pmidDomain(target.pmid) : indomDomain(target.indom);
    const agent = this.#joint.agents.get(domain);
    return agent ? this.#ready(() => agent.helpText(target, level)) : this.#main.helpText(target, level);
  }

  prepare(pmids: readonly number[]): PreparedFetch {
    const positions = new Map<MetricAgent, number[]>();
    let count = 0;
    for (const [i, pmid] of pmids.entries()) {
      const agent = this.#agentOf(pmid);
      if (!agent) continue;
      count++;
      addTo(positions, agent, i);
    }
    if (count === 0) return this.#main.prepare(pmids);
    const parts = [...positions].map(([agent, own]) => ({
      positions: own,
      fetch: agent.prepare(own.map((i) => pmids[i]!)),
    }));
    const joined: JoinedFetch = { pmids, main: count < pmids.length ? this.#main.prepare(pmids) : undefined, parts };
    return joined;
  }

  async fetch(prepared: PreparedFetch, profile: InstanceProfile, into: FetchResult): Promise<void> {
    if (!('parts' in prepared)) return this.#main.fetch(prepared, profile, into);
    if (this.#gone) throw this.#gone;
    const { main, parts } = prepared as JoinedFetch;
    if (main) await this.#main.fetch(main, profile, into);
    else {
      into.timestamp = this.#joint.clock.now();
      into.resize(prepared.pmids.length);
    }
    const now = this.#joint.clock.now();
    for (const { positions, fetch } of parts) {
      const sets = positions.map((i) => into.sets[i]!);
      await fetch.fill(sets, profile, now);
    }
  }

  close(): Promise<void> {
    this.#gone ??= new PmError(PM_ERR.NOCONTEXT);
    return this.#main.close();
  }

  destroy(reason: Error): void {
    this.#gone ??= reason;
    this.#main.destroy(reason);
  }

  #agentOf(pmid: number): MetricAgent | undefined {
    return this.#joint.agents.get(pmidDomain(pmid));
  }

  #agentAt(name: string): MetricAgent | undefined {
    const dot = name.indexOf('.');
    return this.#joint.subtrees.get(dot < 0 ? name : name.slice(0, dot));
  }

  #ready<T>(answer: () => T): T {
    if (this.#gone) throw this.#gone;
    return answer();
  }
}

/** The domain of requested labels; undefined for those of the context. */
function domainOf(target: LabelTarget): number | undefined {
  if ('pmid' in target) return pmidDomain(target.pmid);
  if ('indom' in target) return indomDomain(target.indom);
  return target.kind === 'domain' ? target.domain : undefined;
}

/** The metrics of a fetch that one agent serves, prepared. */
export interface AgentFetch {
  /** Resets and fills a value set per PMID. A PMID that now belongs to another metric has no value. @param now the sample's time */
  fill(sets: readonly ValueSet[], profile: InstanceProfile, now: Timestamp): Promise<void>;
}

/** Additional metrics of a machine, which can come and go, with their own domain and subtree. See {@link joinAgents}. */
export interface MetricAgent extends VolatileMetrics {
  /** The domain of all its PMIDs and instance domains. */
  readonly domain: number;
  /** The first component of all its names, and the value of the label `agent`. */
  readonly name: string;
  /** As of the last {@link look}: changes when names, descriptors, instances, labels or help have changed. */
  readonly generation: number;
  names(): PmnsTree;
  descriptor(pmid: number): MetricDescriptor | undefined;
  /** Throws PM_ERR_INDOM. */
  instances(indom: number): InstanceDomain;
  /** The labels of one target of its domain, without the label `agent`. */
  labels(target: LabelTarget): readonly LabelSet[];
  helpText(target: HelpTarget, level: HelpLevel): string | undefined;
  prepare(pmids: readonly number[]): AgentFetch;
}
