import type { InstanceDomain, LabelSet, LabelTarget, MetricDescriptor, Timestamp, ValueSet } from '../pmapi/index.js';
import type { HelpLevel, HelpTarget, VolatileMetrics } from './metric-source.js';
import type { PmnsTree } from './pmns-tree.js';
import type { InstanceProfile } from './profile.js';

/** The metrics of a fetch that one agent answers, made ready. */
export interface AgentFetch {
  /**
   * Reset and fill one value set for each PMID, in order. It holds what was prepared and nothing else: a PMID that has become that of
   * another metric since has no value.
   * @param now the time of the sample
   */
  fill(sets: readonly ValueSet[], profile: InstanceProfile, now: Timestamp): Promise<void>;
}

/**
 * Metrics beside those of a machine's main source, which can come and go: an agent has a domain and a subtree of the namespace to itself.
 * {@link joinAgents} puts both together.
 */
export interface MetricAgent extends VolatileMetrics {
  /** The domain of all its PMIDs and instance domains. */
  readonly domain: number;
  /** The first component of all its names, and the value of the label `agent`. */
  readonly name: string;
  /** Moves when names, descriptors, instances, labels or help changed. Reading it must cost next to nothing: every request does. */
  readonly generation: number;
  /** The names at present. */
  names(): PmnsTree;
  descriptor(pmid: number): MetricDescriptor | undefined;
  /** Throws PM_ERR_INDOM. */
  instances(indom: number): InstanceDomain;
  /** The labels of one target of its domain; what the agent is called is none of them. */
  labels(target: LabelTarget): readonly LabelSet[];
  helpText(target: HelpTarget, level: HelpLevel): string | undefined;
  prepare(pmids: readonly number[]): AgentFetch;
}
