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
export { countSeries, readRange, type RangeOptions } from './range-reader.js';
export { basePmids, type RangeMetric, type RangeSamples, type RangeSource } from './metric-pipeline.js';
export { RateConversion, UnitConversion, describeRate, hasRate, type RateOptions } from './conversion.js';
export { instanceNames, layOutTable, TableLayout, type TableColumn } from './table-layout.js';
export { collectColumns, RangeColumns, isWide, type ColumnSeries } from './columns.js';
export { LiveMemory, type LiveHistory, type LiveMemoryLimits } from './live-ring.js';
export { LiveRangeSource } from './live-range-source.js';
