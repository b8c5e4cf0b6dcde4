/**
 * Ranges: samples of metrics over a window of time, from an archive or from what was seen of a live source. See README.md for
 * the calls in their order.
 */
export {
  asksForRange,
  checkRangeCost,
  checkRangeEstimate,
  countMoments,
  moments,
  parseRange,
  parseRangeUnits,
  parseZone,
} from './range-request.js';
export type { RangeBounds, RangeParameters, RangeRequest } from './range-request.js';
export { DEFAULT_RANGE_LIMITS } from './range-limits.js';
export type { RangeLimits } from './range-limits.js';
export { DECIMATIONS } from './decimation-kind.js';
export type { Decimation, DecimationKind } from './decimation-kind.js';
export { countSeries, readRange } from './range-reader.js';
export type { RangeOptions } from './range-reader.js';
export type { RangeMetric, RangeRecord, RangeSample, RangeSamples, RangeSource } from './range-source.js';
export { basePmids, metricsOfPlan } from './range-metrics.js';
export { describeRate, hasRate, RateConversion } from './rate-conversion.js';
export type { RateOptions } from './rate-conversion.js';
export { UnitConversion } from './unit-conversion.js';
export { decimate } from './decimate.js';
export type { DecimatedWindow } from './decimate.js';
export { collectColumns, RangeColumns } from './columns.js';
export type { ColumnOptions, ColumnSeries } from './columns.js';
export { GrowingSeries } from './growing-series.js';
export { rows, toRow } from './rows.js';
export type { RangeRow, RowMetric } from './rows.js';
export { layOutTable, TableLayout } from './table-layout.js';
export type { TableColumn, TableSelection } from './table-layout.js';
export { DEFAULT_LIVE_MEMORY_LIMITS, LiveMemory } from './live-ring.js';
export type { LiveHistory, LiveMemoryLimits } from './live-ring.js';
export { LiveRangeSource } from './live-range-source.js';
export { EventLoopTurns, eventLoopTurns, inTurns, throughInTurns } from '../../sources/index.js';
export { isWide } from './wide-sample.js';
