import type { Route, Routes } from './contracts.js';
import type { OperationDescription } from './request/openapi.js';
import { runArchives, runTimeline } from './operations/archives.js';
import { runBatch } from './operations/batch/batch.js';
import { runStreams } from './operations/batch/streams.js';
import { runChildren, runIndom, runMetric } from './operations/metadata/metadata.js';
import * as contexts from './operations/contexts/context.js';
import * as derived from './operations/derived/derived.js';
import * as documents from './operations/documentation.js';
import { runFetch } from './operations/values/fetch.js';
import { runGrafanaDashboard } from './operations/grafana.js';
import { runHealthz, runHosts, runReadyz, runWhoami } from './operations/about.js';
import { runMetrics } from './operations/values/metrics.js';
import { NDJSON_TYPE, runRecords } from './operations/values/records.js';
import { runStore } from './operations/contexts/context.js';
import { runStream } from './operations/values/stream.js';
import { EVENT_STREAM_TYPE } from './response/writers/event-stream-writer.js';

const STORE = { effect: 'changes', permission: 'store', isAudited: true } as const;
const DERIVE = { effect: 'changes', permission: 'derive', isAudited: true } as const;
/** What tells nothing of any source. */
export const DOCUMENT = { isMetadata: true, standsAlone: true, permission: 'none' } as const;
const PROBE = { cost: 'none', permission: 'none' } as const;

/** Which function serves which operation, in all its forms, except those of features. */
export const CORE_ROUTES = {
  fetchValues: { run: runFetch, effect: 'moves' },
  createContext: { run: contexts.runContext, effect: 'changes' },
  describeMetrics: { run: runMetric, isMetadata: true },
  listChildren: { run: runChildren, isMetadata: true },
  listInstances: { run: runIndom, isMetadata: true },
  changeProfile: { run: contexts.runProfile, effect: 'changes' },
  deriveMetrics: { run: derived.runDerive, ...DERIVE },
  storeValue: { run: runStore, ...STORE },
  scrapeMetrics: { run: runMetrics, effect: 'moves', cost: 'costly' },
  streamValues: { run: runStream, contentType: EVENT_STREAM_TYPE, standsAlone: true, isRelayed: true },
  listContexts: { run: contexts.runListContexts },
  getContext: { run: contexts.runDescribeContext },
  duplicateContext: { run: contexts.runDuplicate, effect: 'changes' },
  reconnectContext: { run: contexts.runReconnect, effect: 'changes' },
  deleteContext: { run: contexts.runDestroyContext, effect: 'changes', isAudited: true, cost: 'none' },
  setMode: { run: contexts.runMode, effect: 'changes' },
  readRecords: { run: runRecords, effect: 'changes', cost: 'costly', contentType: NDJSON_TYPE },
  streamMany: {
    run: runStreams,
    contentType: EVENT_STREAM_TYPE,
    cost: 'costly',
    readsDocument: true,
    standsAlone: true,
  },
  runBatch: { run: runBatch, cost: 'costly', readsDocument: true, standsAlone: true, permission: 'none' },
  listDerived: { run: derived.runDerivedList, isMetadata: true },
  getDerived: { run: derived.runDerivedRead, isMetadata: true },
  loadDerived: { run: derived.runDerivedLoad, ...DERIVE },
  putDerived: { run: derived.runDerivedRegister, ...DERIVE },
  deleteDerived: { run: derived.runDerivedUnregister, ...DERIVE },
  listFunctions: { run: derived.runDerivedFunctions, isMetadata: true },
  checkExpression: { run: derived.runDerivedCheck, growsWithText: true },
  listArchives: { run: runArchives, cost: 'costly', isMetadata: true },
  getWhoami: { run: runWhoami },
  listHosts: { run: runHosts },
  getTimeline: { run: runTimeline, cost: 'costly' },
  getHealth: { run: runHealthz, ...PROBE },
  getReadiness: { run: runReadyz, ...PROBE },
  getOpenapi: { run: () => documents.yamlFile('openapi.yaml'), ...DOCUMENT },
  // Of other programs, and pages: they are in openapi.compat.yaml only.
  openapiJson: { run: documents.runOpenapiJson, ...DOCUMENT },
  openapiCompatYaml: { run: () => documents.yamlFile('config/openapi.compat.yaml'), ...DOCUMENT },
  favicon: { run: documents.runFavicon, ...DOCUMENT },
  docs: { run: documents.runDocs, ...DOCUMENT },
  guide: { run: documents.runGuide, ...DOCUMENT },
  guidePage: { run: documents.runGuidePage, ...DOCUMENT },
  docsFile: { run: documents.runDocsFile, ...DOCUMENT },
  grafanaDashboard: { run: runGrafanaDashboard, ...DOCUMENT },
} satisfies Routes;

const UNDERSCORE_PATH = /^\/pmapi\/(?:\{context\}\/)?_/;

/** The route of an operation or of any of its forms; undefined for one that is not served. */
export function routeOf(
  routes: Routes,
  { formOf, path }: Pick<OperationDescription, 'formOf' | 'path'>,
): Route | undefined {
  const route = Object.hasOwn(routes, formOf) ? routes[formOf] : undefined;
  return route && UNDERSCORE_PATH.test(path) ? { ...route, compat: true } : route;
}

/** The paths that machines ask all the time whether the gateway lives: not worth a line in a log. */
export const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
