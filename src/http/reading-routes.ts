import type { Routes } from './contracts.js';
import { runHosts, runWhoami } from './operations/about.js';
import { runArchives } from './operations/archives.js';
import * as contexts from './operations/contexts/context.js';
import * as derived from './operations/derived/derived.js';
import { runChildren, runIndom, runMetric } from './operations/metadata/metadata.js';
import { runFetch } from './operations/values/fetch.js';

export const DERIVE = { effect: 'changes', permission: 'derive', isAudited: true } as const;

/** What the console asks of archives: served in a page, too, for those that it was given. */
export const READING_ROUTES = {
  fetchValues: { run: runFetch, effect: 'moves' },
  createContext: { run: contexts.runContext, effect: 'changes' },
  describeMetrics: { run: runMetric, isMetadata: true },
  listChildren: { run: runChildren, isMetadata: true },
  listInstances: { run: runIndom, isMetadata: true },
  deriveMetrics: { run: derived.runDerive, ...DERIVE },
  getContext: { run: contexts.runDescribeContext },
  deleteContext: { run: contexts.runDestroyContext, effect: 'changes', isAudited: true, cost: 'none' },
  listDerived: { run: derived.runDerivedList, isMetadata: true },
  getDerived: { run: derived.runDerivedRead, isMetadata: true },
  listFunctions: { run: derived.runDerivedFunctions, isMetadata: true },
  checkExpression: { run: derived.runDerivedCheck, growsWithText: true },
  listArchives: { run: runArchives, cost: 'costly', isMetadata: true },
  getWhoami: { run: runWhoami },
  listHosts: { run: runHosts },
} satisfies Routes;
