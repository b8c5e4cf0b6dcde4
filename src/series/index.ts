export { Series } from './series.js';
export type { ArchiveVisibility, SeriesOptions } from './series.js';
export { requireIds } from './series-view.js';
export type {
  AnsweredSeries,
  QueryResult,
  SeriesDescription,
  SeriesInstance,
  SeriesLimits,
  SeriesView,
} from './series-view.js';
export { NO_INSTANCE, timeOf } from './evaluation/series-values.js';
export type { SeriesMetadata, SeriesSample, SeriesValue, SeriesValues } from './evaluation/series-values.js';
export { valueText } from './evaluation/value-text.js';
export type { WindowText } from './language/index.js';
export type { RecordedArchive, RecordedArchives, RecordedMetadata } from './recorded-archives.js';
