/** What is wanted of values: which instances, in what units, how many. One engine for fetches, ranges and streams. */
export { formatLabelSelector, labelTexts, parseLabelSelector } from './label-selector.js';
export type { LabelMatcher, LabelOperator, LabelSelector } from './label-selector.js';
export { compilePattern, compilePatterns, PATTERNS_MAX } from './pattern.js';
export type { Matcher, MatchKind } from './pattern.js';
export { hasFilter, parseSelection, refuseIdle } from './selection.js';
export type { InstanceMatcher, Selection, SelectionParameters } from './selection.js';
export { compareDescending, pickInstances, pickTop } from './pick-values.js';
export { SeriesFilter } from './series-filter.js';
export type { SeriesDirectory } from './series-filter.js';
export { FetchView } from './fetch-view.js';
export type { EarlierLookup, EarlierValues, ViewOptions } from './fetch-view.js';
export { GreatestSeries, greatestByMean, SelectedSamples } from './selected-samples.js';
