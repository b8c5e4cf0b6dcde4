export { Series } from './series.js';
export { requireIds } from './series-view.js';
export type { AnsweredSeries, SeriesDescription, SeriesLimits, SeriesView } from './series-view.js';
export { NO_INSTANCE, timeOf } from './evaluation/series-values.js';
export { valueText } from './evaluation/value-text.js';
export type { WindowText } from './language/index.js';
export type { RecordedArchives } from './recorded-archives.js';
