import type { operations } from '../client/index.js';
import type { Permission } from '../access/index.js';
import type { Operation } from './operation.js';
import type { Cost } from './guards/overload/overload-guard.js';
import { runArchives } from './operations/archives.js';
import { runBatch } from './operations/batch/batch.js';
import { runChildren } from './operations/metadata/children.js';
import {
  runContext,
  runDescribeContext,
  runDestroyContext,
  runDuplicate,
  runListContexts,
  runReconnect,
} from './operations/contexts/context.js';
import { runDerive } from './operations/derived/derive.js';
import {
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
import { runHealthz, runReadyz } from './operations/health.js';
import { runIndom } from './operations/metadata/indom.js';
import { runMetric } from './operations/metadata/metric.js';
import { runMetrics } from './operations/values/metrics.js';
import { runMode } from './operations/contexts/mode.js';
import { runProfile } from './operations/contexts/profile.js';
import { NDJSON_TYPE, runRecords } from './operations/values/records.js';
import { runSearch, runSearchIndom, runSearchInfo, runSearchSuggest, runSearchText } from './operations/metadata/search.js';
import { runStore, runStoreByGet } from './operations/contexts/store.js';
import { EVENT_STREAM_TYPE, runStream } from './operations/values/stream.js';

/** What serves one operation of openapi.yaml. */
export interface Route extends Operation {
  /** Whether it changes something even with GET: HEAD then answers without running it. */
  readonly changesState?: boolean;
  /** Whether it fetches, which moves a context on an archive along: HEAD then answers without running it. */
  readonly takesSample?: boolean;
  /** What its clients must be permitted: to read when absent; `none` for what tells nothing of any source. */
  readonly permission?: Permission | 'none';
  /** Whether it changes what others see, or the hosts: each call is put down then. */
  readonly isAudited?: boolean;
  /** What such a HEAD answers as; JSON when absent. */
  readonly contentType?: string;
  /** Whether what it answers changes seldom: with GET it has an entity tag then. */
  readonly isMetadata?: boolean;
  /** Whether it reads a JSON body of its own instead of parameters. */
  readonly readsDocument?: boolean;
  /** What it costs when there is too much to do: usual when absent. */
  readonly cost?: Cost;
  /** Whether it cannot be an entry of a batch. */
  readonly standsAlone?: boolean;
  /** Whether it is an underscore form, with the shapes of older clients. */
  readonly compat?: boolean;
}

/** The operation ids of one thing: its name alone, with POST, and below a context. */
type Forms<Name extends string> = Name | `${Name}Post` | `${Name}InContext` | `${Name}InContextPost`;

function inEveryForm<Name extends string>(name: Name, route: Route): Record<Forms<Name>, Route> {
  const rows = ['', 'Post', 'InContext', 'InContextPost'].map((suffix) => [`${name}${suffix}`, route] as const);
  return Object.fromEntries(rows) as Record<Forms<Name>, Route>;
}

/** Which function serves which operation id of openapi.yaml. A row that is missing on either side does not compile. */
export const ROUTES = {
  ...inEveryForm('fetchValues', { run: runFetch, takesSample: true }),
  ...inEveryForm('stream', { run: runStream, contentType: EVENT_STREAM_TYPE, standsAlone: true }),
  ...inEveryForm('context', { run: runContext, changesState: true }),
  ...inEveryForm('metric', { run: runMetric, isMetadata: true }),
  ...inEveryForm('children', { run: runChildren, isMetadata: true }),
  ...inEveryForm('indom', { run: runIndom, isMetadata: true }),
  ...inEveryForm('profile', { run: runProfile, changesState: true }),
  ...inEveryForm('metrics', { run: runMetrics, takesSample: true, cost: 'costly' }),
  ...inEveryForm('derive', { run: runDerive, changesState: true, permission: 'derive', isAudited: true }),
  ...inEveryForm('store', { run: runStore, changesState: true, permission: 'store', isAudited: true }),
  store: { run: runStoreByGet, changesState: true, permission: 'store', isAudited: true },
  storeInContext: { run: runStoreByGet, changesState: true, permission: 'store', isAudited: true },
  scrape: { run: runMetrics, takesSample: true, cost: 'costly' },
  scrapePost: { run: runMetrics, takesSample: true, cost: 'costly' },
  contexts: { run: runListContexts },
  describeContext: { run: runDescribeContext },
  duplicateContext: { run: runDuplicate, changesState: true },
  reconnectContext: { run: runReconnect, changesState: true },
  destroyContext: { run: runDestroyContext, changesState: true, isAudited: true, cost: 'none' },
  ...inEveryForm('compatFetch', { run: runFetch, compat: true, takesSample: true }),
  ...inEveryForm('compatContext', { run: runContext, compat: true, changesState: true }),
  ...inEveryForm('compatMetric', { run: runMetric, compat: true, isMetadata: true }),
  ...inEveryForm('compatChildren', { run: runChildren, compat: true, isMetadata: true }),
  ...inEveryForm('compatIndom', { run: runIndom, compat: true, isMetadata: true }),
  ...inEveryForm('compatProfile', { run: runProfile, compat: true, changesState: true }),
  ...inEveryForm('compatMetrics', { run: runMetrics, compat: true, takesSample: true, cost: 'costly' }),
  ...inEveryForm('compatDerive', {
    run: runDerive,
    compat: true,
    changesState: true,
    permission: 'derive',
    isAudited: true,
  }),
  ...inEveryForm('compatStore', {
    run: runStore,
    compat: true,
    changesState: true,
    permission: 'store',
    isAudited: true,
  }),
  compatStore: { run: runStoreByGet, compat: true, changesState: true, permission: 'store', isAudited: true },
  compatStoreInContext: { run: runStoreByGet, compat: true, changesState: true, permission: 'store', isAudited: true },
  batch: { run: runBatch, cost: 'costly', readsDocument: true, standsAlone: true, permission: 'none' },
  derivedList: { run: runDerivedList, isMetadata: true },
  derivedLoad: { run: runDerivedLoad, permission: 'derive', isAudited: true },
  derivedCheck: { run: runDerivedCheck },
  derivedCheckPost: { run: runDerivedCheck },
  derivedRead: { run: runDerivedRead, isMetadata: true },
  derivedRegister: { run: runDerivedRegister, permission: 'derive', isAudited: true },
  derivedUnregister: { run: runDerivedUnregister, permission: 'derive', isAudited: true },
  archives: { run: runArchives, cost: 'costly', isMetadata: true },
  mode: { run: runMode, changesState: true },
  records: { run: runRecords, cost: 'costly', changesState: true, contentType: NDJSON_TYPE },
  search: { run: runSearch, cost: 'costly' },
  searchText: { run: runSearchText, cost: 'costly' },
  searchSuggest: { run: runSearchSuggest },
  searchIndom: { run: runSearchIndom },
  searchInfo: { run: runSearchInfo },
  healthz: { run: runHealthz, cost: 'none', permission: 'none' },
  readyz: { run: runReadyz, cost: 'none', permission: 'none' },
  openapiYaml: { run: runOpenapiYaml, isMetadata: true, standsAlone: true, permission: 'none' },
  openapiJson: { run: runOpenapiJson, isMetadata: true, standsAlone: true, permission: 'none' },
  docs: { run: runDocs, isMetadata: true, standsAlone: true, permission: 'none' },
  guide: { run: runGuide, isMetadata: true, standsAlone: true, permission: 'none' },
  guidePage: { run: runGuidePage, isMetadata: true, standsAlone: true, permission: 'none' },
  docsFile: { run: runDocsFile, isMetadata: true, standsAlone: true, permission: 'none' },
} satisfies Record<keyof operations, Route>;

/** The route of an operation id; undefined for one that openapi.yaml has and the table has not. */
export function routeOf(operationId: string): Route | undefined {
  return Object.hasOwn(ROUTES, operationId) ? ROUTES[operationId as keyof typeof ROUTES] : undefined;
}

/** The paths that machines ask all the time whether the gateway lives: not worth a line in a log. */
export const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
