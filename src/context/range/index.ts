/** Ranges: samples of metrics over a window of time, of an archive or seen of a live source. See README.md. */
export {
  asksForRange,
  checkRangeCost,
  checkRangeEstimate,
  countMoments,
  moments,
  parseRange,
  parseRangeUnits,
  parseZone,
  DEFAULT_RANGE_LIMITS,
} from './range-request.js';
export type { RangeBounds, RangeParameters, RangeRequest, RangeLimits, DecimationKind } from './range-request.js';
export { countSeries, readRange } from './range-reader.js';
export type { RangeOptions } from './range-reader.js';
export type { RangeMetric, RangeSamples, RangeSource } from './metric-pipeline.js';
export { basePmids } from './metric-pipeline.js';
export { RateConversion, UnitConversion, describeRate, hasRate } from './conversion.js';
export type { RateOptions } from './conversion.js';
export { instanceNames } from './table-layout.js';
export { collectColumns, RangeColumns, isWide } from './columns.js';
export type { ColumnSeries } from './columns.js';
export { layOutTable, TableLayout } from './table-layout.js';
export type { TableColumn } from './table-layout.js';
export { LiveMemory } from './live-ring.js';
export type { LiveHistory, LiveMemoryLimits } from './live-ring.js';
export { LiveRangeSource } from './live-range-source.js';
