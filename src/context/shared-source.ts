import type { GlobalDefinitions } from '../derived/index.js';
import { BindingCache } from './names/binding-cache.js';
import type { ContextMemory } from './context-memory.js';
import type { FetchPlan } from './plans/fetch-plan.js';
import { BudgetedMap } from './memory-budget.js';
import { MetadataCache } from './names/metadata-cache.js';

/** What contexts on the same view of one source share. */
export interface SharedSource {
  /** The origin of their sources, or what stands for it if sources have none. */
  readonly origin: object | string;
  readonly metadata: MetadataCache;
  readonly bindings: BindingCache;
  /** The global definitions that they see. */
  readonly definitions: GlobalDefinitions;
  /** Plans of contexts without derived metrics of their own, by {@link FetchPlan.key}. */
  readonly plans: BudgetedMap<string, FetchPlan>;
  /** The budget, shared with all other contexts. */
  readonly memory: ContextMemory;
}

/** What contexts on one source share; empty at first. */
export function makeSharedSource(
  origin: object | string,
  definitions: GlobalDefinitions,
  memory: ContextMemory,
): SharedSource {
  const metadata = new MetadataCache(memory.metadata);
  const bindings = new BindingCache(metadata, memory.programs);
  return { origin, metadata, bindings, definitions, plans: new BudgetedMap(memory.kept), memory };
}

/** The last context on the source is closed. */
export function closeSharedSource({ metadata, bindings, plans }: SharedSource): void {
  metadata.close();
  bindings.close();
  plans.clear();
}
