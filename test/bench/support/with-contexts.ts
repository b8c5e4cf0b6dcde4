import { loadConfig } from '../../../src/config/index.js';
import { ContextManager } from '../../../src/context/index.js';
import { Archives } from '../../../src/gateway/targets/archives.js';
import { systemClock } from '../../../src/pmapi/index.js';

/** Use contexts on the archives of a directory, as a gateway has them that has read nothing yet; the cache takes what it is given. */
export async function withContexts<T>(
  root: string,
  use: (contexts: ContextManager) => Promise<T>,
  cache: { readonly cacheBytes?: number } = {},
): Promise<T> {
  const archives = new Archives(systemClock, { ...loadConfig({}).archives, roots: [root], ...cache });
  const contexts = new ContextManager({
    sources: { open: (spec) => archives.open({ archive: spec.kind === 'archive' ? spec.archive : '' }) },
    clock: systemClock,
    limits: { contexts: 1, pollTimeoutMs: 3_600_000, maxPollTimeoutMs: 3_600_000 },
  });
  try {
    return await use(contexts);
  } finally {
    await contexts.close();
    await archives.close();
  }
}
