import { ContextManager, type ContextManagerOptions } from '../../src/context/index.js';
import type { MetricSource } from '../../src/sources/index.js';

/** Ten contexts on one source. */
export function contextsOf(
  source: MetricSource,
  options: Omit<ContextManagerOptions, 'sources' | 'limits'>,
): ContextManager {
  const limits = { contexts: 10, pollTimeoutMs: 5000, maxPollTimeoutMs: 60_000 };
  return new ContextManager({ sources: { open: () => Promise.resolve(source) }, limits, ...options });
}
