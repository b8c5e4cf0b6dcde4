export * from './contracts.js';
export * from './options.js';
export * from './server.js';
export { answerNotHome, handedAnswerer } from './answer-handed.js';
export { addressMatcher, ClientLimits, isLoopback, networkOf, type ClientBounds } from './guards/client-limits.js';
export { OverloadGuard, type Cost, type OverloadLimits } from './guards/overload/overload-guard.js';
export { OperationDirectory } from './operation-directory.js';
export { READING_ROUTES } from './reading-routes.js';
export { repeatedFacts } from './request/request-context.js';
export { parseParameterBody } from './request/read-body.js';
export { DOCUMENT, PROBES } from './routes.js';
export { askOperation } from './operations/batch/batch.js';
export { readGuideFile } from './operations/documentation.js';
export { withSuggestions } from './operations/metadata/named-metrics.js';
export { answerOfAll, asksForPart, listSchema, namesSource, objectSchema } from './request/ask-members.js';
export { pastOfHost, placeOfRange, timelineWarnings } from './request/host-timeline.js';
export type { HostTimeline, RangePlace } from './request/host-timeline.js';
export { rootUrl } from './request/path-prefix.js';
export {
  addressOf,
  contextOf,
  hostspecOf,
  isOnThisMachine,
  sourceParameters,
  untilGone,
  visibilityOf,
} from './request/request-context.js';
export {
  contextHead,
  inPieces,
  isStreamed,
  isSubscribed,
  jsonAnswer,
  largeJsonAnswer,
  leftOutWarning,
  listAnswer,
  missingWarnings,
  NOTHING_RECORDED,
  warningsHeader,
  warningsMember,
  withDamage,
} from './response/answer.js';
export type { Warning } from './response/answer.js';
export { errorBody, viewError } from './response/error-response.js';
export { parseMediaType } from './request/media-type.js';
export { keepCompressed } from './response/representation.js';
export { UniqueNames, labelsOfSample, metricName, type ExposedIndom } from './response/writers/exposition.js';
export { labelText, typeWord, unitsText, writeLabels } from './response/writers/metadata-writer.js';
export { openMetricsNames } from './response/writers/open-metrics.js';
export { expressionId, instanceId, seriesId, sourceId } from './series-id.js';
export type { BodyProgress } from './request/read-body.js';
export { pageForBrowsers } from './response/no-such-path.js';
