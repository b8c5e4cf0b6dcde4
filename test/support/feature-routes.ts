import { loadConfig } from '../../src/config/index.js';
import type { ContextManager } from '../../src/context/index.js';
import { FEATURES, type Surroundings } from '../../src/features/index.js';
import type { ArchiveDirectory, Routes } from '../../src/http/index.js';
import { systemTimers } from '../../src/kit/index.js';
import type { Log } from '../../src/log/index.js';
import type { SampleStores } from '../../src/sources/index.js';

const CONFIG = loadConfig({
  flags: {
    'record.enabled': 'false',
    'push.enabled': 'false',
    'console.enabled': 'false',
    'local.mmvDirectory': 'null',
  },
});

const ignore = (): void => undefined;
const SILENT: Log = { level: 'error', debug: ignore, info: ignore, warn: ignore, error: ignore, reply: ignore };

/** What the features of a gateway serve that neither records nor receives archives. */
export function routesOfFeatures(contexts: ContextManager, archives?: ArchiveDirectory): Routes {
  const none: SampleStores = {
    find: () => Promise.resolve([]),
    readMetadata: () => Promise.reject(new Error('there are no archives')),
    openStore: () => Promise.reject(new Error('there are no archives')),
  };
  const surroundings: Surroundings = {
    config: CONFIG,
    log: SILENT,
    clock: contexts.clock,
    timers: systemTimers,
    contexts,
    archives: archives && 'openStore' in archives ? (archives as unknown as SampleStores) : none,
    stateDirectory: '/nonexistent',
    recordedRoot: '/nonexistent',
    ownHost: 'localhost',
  };
  return Object.assign({}, ...FEATURES.map((feature) => feature.make(surroundings).routes)) as Routes;
}
