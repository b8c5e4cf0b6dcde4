import type { InstanceDomain, LabelSet, LabelTarget, MetricDescriptor, Timestamp, ValueSet } from '../pmapi/index.js';
import type { HelpLevel, HelpTarget, VolatileMetrics } from './metric-source.js';
import type { PmnsTree } from './pmns-tree.js';
import type { InstanceProfile } from './profile.js';

/** The metrics of a fetch that one agent serves, prepared. */
export interface AgentFetch {
  /**
   * Resets and fills one value set for each PMID, in order. Only what was prepared: a PMID that now belongs to another metric has
   * no value.
   * @param now the time of the sample
   */
  fill(sets: readonly ValueSet[], profile: InstanceProfile, now: Timestamp): Promise<void>;
}

/**
 * Metrics in addition to those of a machine's main source, which can come and go: an agent has a domain and a subtree of the
 * namespace of its own. {@link joinAgents} joins both.
 */
export interface MetricAgent extends VolatileMetrics {
  /** The domain of all its PMIDs and instance domains. */
  readonly domain: number;
  /** The first component of all its names, and the value of the label `agent`. */
  readonly name: string;
  /** As of the last {@link look}: changes when names, descriptors, instances, labels or help have changed. */
  readonly generation: number;
  /** The names at present. */
  names(): PmnsTree;
  descriptor(pmid: number): MetricDescriptor | undefined;
  /** Throws PM_ERR_INDOM. */
  instances(indom: number): InstanceDomain;
  /** The labels of one target of its domain, without the label `agent`. */
  labels(target: LabelTarget): readonly LabelSet[];
  helpText(target: HelpTarget, level: HelpLevel): string | undefined;
  prepare(pmids: readonly number[]): AgentFetch;
}
