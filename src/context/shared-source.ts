import type { GlobalDefinitions } from '../derived/index.js';
import { BindingCache } from './names/binding-cache.js';
import type { ContextMemory } from './context-memory.js';
import type { FetchPlan } from './plans/fetch-plan.js';
import { BudgetedMap } from './memory-budget.js';
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
