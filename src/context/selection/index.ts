/** Selections: which instances, which units, how many. One engine for fetches, ranges and streams. */
export { compilePatterns } from './selection.js';
export { compileCondition, PATTERNS_SIZE_MAX, patternSize, type LabelMatcher } from './label-selector.js';
export { hasFilter, parseSelection, refuseIdle } from './selection.js';
export type { RestKind, Selection, SelectionParameters } from './selection.js';
export { GreatestSeries, greatestByMean, pickInstances, pickTop, restOf, selectSamples } from './selected-samples.js';
export { SeriesFilter, type SeriesDirectory } from './series-filter.js';
export { FetchView, type EarlierLookup } from './fetch-view.js';
