import type { GlobalDefinitions } from '../derived/index.js';
import { BindingCache } from './binding-cache.js';
import { planCache } from './fetch-plans.js';
import type { PlanCache } from './fetch-plans.js';
import { MetadataCache } from './metadata-cache.js';

/** Metrics in all plans that are kept for the contexts on one source. */
const METRICS_PLANNED = 100_000;

/** What contexts share that see the same of one source. */
export interface SourceCommon {
  /** The origin of their sources, or what stands for it where sources have none. */
  readonly origin: object | string;
  readonly metadata: MetadataCache;
  readonly bindings: BindingCache;
  /** The global definitions that they see. */
  readonly definitions: GlobalDefinitions;
  /** Plans of those without derived metrics of their own. */
  readonly plans: PlanCache;
}

/** What contexts on one source are to share; nothing is known yet. */
export function makeCommon(origin: object | string, definitions: GlobalDefinitions): SourceCommon {
  const metadata = new MetadataCache();
  return { origin, metadata, bindings: new BindingCache(metadata), definitions, plans: planCache(METRICS_PLANNED) };
}
