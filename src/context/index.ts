export * from './context.js';
export * from './context-manager.js';
export * from './fetch-plan.js';
export * from './series.js';
export type * from './metadata-cache.js';
export type { DryRun } from './dry-run.js';
export { sourceZone } from './context-range.js';
export type { OpenRange, RangeSettings } from './context-range.js';
export type { ComputedMetric } from './derived-metrics.js';
