import { MemoryQuota, type GlobalDefinitions } from '../derived/index.js';
import { BindingCache, type ProgramCache } from './names/binding-cache.js';
import type { FetchPlan } from './plans/fetch-plan.js';
import { BudgetedMap, MemoryBudget } from './memory-budget.js';
import { MetadataCache } from './names/metadata-cache.js';

/** State shared by contexts on the same view of one source. */
export interface SharedSource {
  /** The origin of their sources, or a substitute. */
  readonly origin: object | string;
  readonly metadata: MetadataCache;
  readonly bindings: BindingCache;
  readonly definitions: GlobalDefinitions;
  /** Plans of contexts without derived metrics of their own, by {@link FetchPlan.key}. */
  readonly plans: BudgetedMap<string, FetchPlan>;
  /** The budget, shared with all other contexts. */
  readonly memory: ContextMemory;
}

export function makeSharedSource(
  origin: object | string,
  definitions: GlobalDefinitions,
  memory: ContextMemory,
): SharedSource {
  const metadata = new MetadataCache(memory.metadata);
  const bindings = new BindingCache(metadata, memory.programs);
  return { origin, metadata, bindings, definitions, plans: new BudgetedMap(memory.kept), memory };
}

export function closeSharedSource({ metadata, bindings, plans }: SharedSource): void {
  metadata.close();
  bindings.close();
  plans.clear();
}

/** The memory budgets of all contexts together, in bytes. */
export interface ContextMemoryLimits {
  /** Fetch plans, views of fetches, and the histories of derived metrics. */
  readonly kept: number;
  readonly programs: number;
  /** Names, descriptors, help texts and labels of all sources. */
  readonly metadata: number;
  /** Definitions of contexts' own derived metrics; one context may use a quarter of it. */
  readonly definitions: number;
  /** Instance profiles; one context may use a quarter of it. */
  readonly profiles: number;
}

const MIB = 1024 * 1024;
const DEFAULTS: ContextMemoryLimits = {
  kept: 64 * MIB,
  programs: 32 * MIB,
  metadata: 80 * MIB,
  definitions: 16 * MIB,
  profiles: 16 * MIB,
};
const PARTS = 4;

/** Memory of a gateway's contexts for their clients, in one budget. */
export class ContextMemory {
  /** Evicted when there is no room, and rebuilt when needed. */
  readonly kept: MemoryBudget;
  readonly programs: ProgramCache;
  /** Evicted when there is no room, and requested again. */
  readonly metadata: MemoryBudget;
  /** Definitions cannot be evicted: one for which there is no room is rejected. */
  readonly definitions: MemoryQuota;
  readonly definitionBytesPerContext: number;
  /** Neither can instance profiles. */
  readonly profiles: MemoryQuota;
  readonly profileBytesPerContext: number;

  constructor(limits: Partial<ContextMemoryLimits> = {}) {
    const { kept, programs, metadata, definitions, profiles } = { ...DEFAULTS, ...limits };
    this.kept = new MemoryBudget(kept);
    this.programs = new BudgetedMap(new MemoryBudget(programs));
    this.metadata = new MemoryBudget(metadata);
    this.definitions = new MemoryQuota('derived metrics of all contexts', definitions);
    this.definitionBytesPerContext = definitions / PARTS;
    this.profiles = new MemoryQuota('instance profiles of all contexts', profiles);
    this.profileBytesPerContext = profiles / PARTS;
  }
}
