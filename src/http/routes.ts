import type { Routes } from './contracts.js';
import { DERIVE, READING_ROUTES } from './reading-routes.js';
import { runTimeline } from './operations/archives.js';
import { runBatch } from './operations/batch/batch.js';
import { runStreams } from './operations/batch/streams.js';
import * as contexts from './operations/contexts/context.js';
import * as derived from './operations/derived/derived.js';
import * as documents from './operations/documentation.js';
import { runGrafanaDashboard } from './operations/grafana.js';
import { runHealthz, runReadyz } from './operations/about.js';
import { runMetrics } from './operations/values/metrics.js';
import { NDJSON_TYPE, runRecords } from './operations/values/records.js';
import { runStore } from './operations/contexts/context.js';
import { runStream } from './operations/values/stream.js';
import { EVENT_STREAM_TYPE } from './response/writers/event-stream-writer.js';

const STORE = { effect: 'changes', permission: 'store', isAudited: true } as const;
/** What tells nothing of any source. */
export const DOCUMENT = { isMetadata: true, standsAlone: true, permission: 'none' } as const;
const PROBE = { cost: 'none', permission: 'none' } as const;

/** Which function serves which operation, in all its forms, except those of features. */
export const CORE_ROUTES = {
  ...READING_ROUTES,
  changeProfile: { run: contexts.runProfile, effect: 'changes' },
  listContexts: { run: contexts.runListContexts },
  duplicateContext: { run: contexts.runDuplicate, effect: 'changes' },
  setMode: { run: contexts.runMode, effect: 'changes' },
  getTimeline: { run: runTimeline, cost: 'costly' },
  storeValue: { run: runStore, ...STORE },
  scrapeMetrics: { run: runMetrics, effect: 'moves', cost: 'costly' },
  streamValues: { run: runStream, contentType: EVENT_STREAM_TYPE, standsAlone: true, isRelayed: true },
  reconnectContext: { run: contexts.runReconnect, effect: 'changes' },
  readRecords: { run: runRecords, effect: 'changes', cost: 'costly', contentType: NDJSON_TYPE },
  streamMany: {
    run: runStreams,
    contentType: EVENT_STREAM_TYPE,
    cost: 'costly',
    readsDocument: true,
    standsAlone: true,
  },
  runBatch: { run: runBatch, cost: 'costly', readsDocument: true, standsAlone: true, permission: 'none' },
  loadDerived: { run: derived.runDerivedLoad, ...DERIVE },
  putDerived: { run: derived.runDerivedRegister, ...DERIVE },
  deleteDerived: { run: derived.runDerivedUnregister, ...DERIVE },
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

/** The paths that machines ask all the time whether the gateway lives: not worth a line in a log. */
export const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
