import type { operations } from '../client/index.js';
import type { Route } from './contracts.js';
import { runArchives, runTimeline } from './operations/archives.js';
import { runBatch } from './operations/batch/batch.js';
import { runStreams } from './operations/batch/streams.js';
import { runChanges } from '../features/changes/operations.js';
import { runChildren, runIndom, runMetric } from './operations/metadata/metadata.js';
import {
  runContext,
  runDescribeContext,
  runDestroyContext,
  runDuplicate,
  runListContexts,
  runMode,
  runProfile,
  runReconnect,
} from './operations/contexts/context.js';
import { runConsole, runConsoleFile } from '../features/console/operations.js';
import {
  runDerive,
  runDerivedFunctions,
  runDerivedList,
  runDerivedLoad,
  runDerivedRead,
  runDerivedRegister,
  runDerivedUnregister,
} from './operations/derived/derived.js';
import { runDerivedCheck } from './operations/derived/derived-check.js';
import {
  runDocs,
  runDocsFile,
  runGuide,
  runGuidePage,
  runOpenapiJson,
  runOpenapiYaml,
} from './operations/documentation.js';
import { runFetch } from './operations/values/fetch.js';
import { runGrafanaDashboard } from './operations/grafana.js';
import { runHealthz, runHosts, runReadyz, runWhoami } from './operations/about.js';
import { runMetrics } from './operations/values/metrics.js';
import { runLoggerIndex, runLoggerLabel, runLoggerMeta, runLoggerPing, runLoggerVolume } from '../features/push/operations.js';
import { NDJSON_TYPE, runRecords } from './operations/values/records.js';
import {
  runSearch,
  runSearchIndom,
  runSearchInfo,
  runSearchSuggest,
  runSearchText,
} from '../features/search/operations.js';
import {
  runSeriesDescs,
  runSeriesInstances,
  runSeriesLabels,
  runSeriesLoad,
  runSeriesMetrics,
  runSeriesPing,
  runSeriesQuery,
  runSeriesSources,
  runSeriesValues,
} from '../features/series/operations.js';
import { runRemoteRead } from '../features/series/remote-read/operation.js';
import { runStore, runStoreByGet } from './operations/contexts/store.js';
import { runStream } from './operations/values/stream.js';
import { EVENT_STREAM_TYPE } from './response/writers/event-stream-writer.js';

/** The operation ids of one thing: its name alone, with POST, and below a context. */
type Forms<Name extends string> = Name | `${Name}Post` | `${Name}InContext` | `${Name}InContextPost`;

function inEveryForm<Name extends string>(name: Name, route: Route): Record<Forms<Name>, Route> {
  const rows = ['', 'Post', 'InContext', 'InContextPost'].map((suffix) => [`${name}${suffix}`, route] as const);
  return Object.fromEntries(rows) as Record<Forms<Name>, Route>;
}

function byGetAndPost<Name extends string>(name: Name, route: Route): Record<Name | `${Name}Post`, Route> {
  return { [name]: route, [`${name}Post`]: route } as Record<Name | `${Name}Post`, Route>;
}

/** The same, and in its underscore forms, whose answers have the shapes of older clients. */
function withCompat<Name extends string, Compat extends string>(
  name: Name,
  compat: Compat,
  route: Route,
): Record<Forms<Name>, Route> & Record<Forms<Compat>, Route> {
  return { ...inEveryForm(name, route), ...inEveryForm(compat, { ...route, compat: true }) };
}

const STORE = { effect: 'changes', permission: 'store', isAudited: true } as const;
const DERIVE = { effect: 'changes', permission: 'derive', isAudited: true } as const;
/** Changes of what all contexts have. */
/** One process has the remembered samples of live hosts. */
const DOCUMENT = { isMetadata: true, standsAlone: true, permission: 'none' } as const;
/** Clients end at any refusal: the receiver makes them wait instead, under limits of its own. */
const PUSH = {
  effect: 'changes',
  permission: 'push',
  cost: 'none',
  readsDocument: 'itself',
  standsAlone: true,
} as const;
const PROBE = { cost: 'none', permission: 'none' } as const;

/** Which function serves which operation id of openapi.yaml. A row that is missing on either side does not compile. */
export const ROUTES = {
  ...withCompat('fetchValues', 'compatFetch', { run: runFetch, effect: 'moves' }),
  ...withCompat('context', 'compatContext', { run: runContext, effect: 'changes' }),
  ...withCompat('metric', 'compatMetric', { run: runMetric, isMetadata: true }),
  ...withCompat('children', 'compatChildren', { run: runChildren, isMetadata: true }),
  ...withCompat('indom', 'compatIndom', { run: runIndom, isMetadata: true }),
  ...withCompat('profile', 'compatProfile', { run: runProfile, effect: 'changes' }),
  ...withCompat('metrics', 'compatMetrics', { run: runMetrics, effect: 'moves', cost: 'costly' }),
  ...withCompat('derive', 'compatDerive', { run: runDerive, ...DERIVE }),
  ...withCompat('store', 'compatStore', { run: runStore, ...STORE }),
  store: { run: runStoreByGet, ...STORE },
  storeInContext: { run: runStoreByGet, ...STORE },
  compatStore: { run: runStoreByGet, compat: true, ...STORE },
  compatStoreInContext: { run: runStoreByGet, compat: true, ...STORE },
  scrape: { run: runMetrics, effect: 'moves', cost: 'costly' },
  scrapePost: { run: runMetrics, effect: 'moves', cost: 'costly' },
  ...inEveryForm('stream', { run: runStream, contentType: EVENT_STREAM_TYPE, standsAlone: true, isRelayed: true }),
  loggerPing: { run: runLoggerPing, permission: 'push', cost: 'none', standsAlone: true },
  loggerLabel: { run: runLoggerLabel, ...PUSH, isAudited: true },
  loggerMeta: { run: runLoggerMeta, ...PUSH },
  loggerIndex: { run: runLoggerIndex, ...PUSH },
  loggerVolume: { run: runLoggerVolume, ...PUSH },
  contexts: { run: runListContexts },
  describeContext: { run: runDescribeContext },
  duplicateContext: { run: runDuplicate, effect: 'changes' },
  reconnectContext: { run: runReconnect, effect: 'changes' },
  destroyContext: { run: runDestroyContext, effect: 'changes', isAudited: true, cost: 'none' },
  mode: { run: runMode, effect: 'changes' },
  records: { run: runRecords, effect: 'changes', cost: 'costly', contentType: NDJSON_TYPE },
  streams: { run: runStreams, contentType: EVENT_STREAM_TYPE, cost: 'costly', readsDocument: true, standsAlone: true },
  batch: { run: runBatch, cost: 'costly', readsDocument: true, standsAlone: true, permission: 'none' },
  derivedList: { run: runDerivedList, isMetadata: true },
  derivedRead: { run: runDerivedRead, isMetadata: true },
  derivedLoad: { run: runDerivedLoad, ...DERIVE },
  derivedRegister: { run: runDerivedRegister, ...DERIVE },
  derivedUnregister: { run: runDerivedUnregister, ...DERIVE },
  derivedFunctions: { run: runDerivedFunctions, isMetadata: true },
  derivedCheck: { run: runDerivedCheck },
  derivedCheckPost: { run: runDerivedCheck },
  archives: { run: runArchives, cost: 'costly', isMetadata: true },
  whoami: { run: runWhoami },
  hosts: { run: runHosts },
  timeline: { run: runTimeline, cost: 'costly' },
  changes: { run: runChanges, cost: 'costly' },
  search: { run: runSearch, cost: 'costly', asksAll: true },
  searchText: { run: runSearchText, cost: 'costly', asksAll: true },
  searchSuggest: { run: runSearchSuggest, asksAll: true },
  searchIndom: { run: runSearchIndom, asksAll: true },
  searchInfo: { run: runSearchInfo, asksAll: true },
  ...byGetAndPost('seriesQuery', { run: runSeriesQuery, cost: 'costly' }),
  ...byGetAndPost('seriesValues', { run: runSeriesValues, cost: 'costly' }),
  ...byGetAndPost('seriesDescs', { run: runSeriesDescs }),
  ...byGetAndPost('seriesMetrics', { run: runSeriesMetrics }),
  ...byGetAndPost('seriesInstances', { run: runSeriesInstances }),
  ...byGetAndPost('seriesLabels', { run: runSeriesLabels }),
  ...byGetAndPost('seriesSources', { run: runSeriesSources }),
  ...byGetAndPost('seriesLoad', { run: runSeriesLoad }),
  ...byGetAndPost('seriesPing', { run: runSeriesPing, permission: 'none' }),
  remoteRead: { run: runRemoteRead, cost: 'costly', readsDocument: 'bytes', standsAlone: true },
  healthz: { run: runHealthz, ...PROBE },
  readyz: { run: runReadyz, ...PROBE },
  openapiYaml: { run: runOpenapiYaml, ...DOCUMENT },
  openapiJson: { run: runOpenapiJson, ...DOCUMENT },
  docs: { run: runDocs, ...DOCUMENT },
  guide: { run: runGuide, ...DOCUMENT },
  guidePage: { run: runGuidePage, ...DOCUMENT },
  docsFile: { run: runDocsFile, ...DOCUMENT },
  grafanaDashboard: { run: runGrafanaDashboard, ...DOCUMENT },
  consolePage: { run: runConsole, ...DOCUMENT, leavesQuery: true },
  consoleFile: { run: runConsoleFile, ...DOCUMENT, leavesQuery: true },
} satisfies Record<keyof operations, Route>;

/** The route of an operation id; undefined for one that openapi.yaml has and the table has not. */
export function routeOf(operationId: string): Route | undefined {
  return Object.hasOwn(ROUTES, operationId) ? ROUTES[operationId as keyof typeof ROUTES] : undefined;
}

/** The paths that machines ask all the time whether the gateway lives: not worth a line in a log. */
export const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
