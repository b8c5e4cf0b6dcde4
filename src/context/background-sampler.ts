import type { Timers } from '../kit/index.js';
import type { Clock } from '../pmapi/index.js';
import type { ContextManager } from './context-manager.js';
import type { Context } from './context.js';
import { planAnew } from './plans/fetch-plan.js';
import { Ticker } from './stream/index.js';

export interface BackgroundSamplerOptions {
  readonly contexts: Pick<ContextManager, 'shared'>;
  readonly hosts: readonly string[];
  /** Whether another gateway of the fleet samples a host; called at each sample. */
  readonly isElsewhere?: (hostspec: string) => boolean;
  /** Metrics and subtrees; those that a host does not have are left out. */
  readonly metrics: readonly string[];
  readonly clock: Pick<Clock, 'now'>;
  readonly timers: Timers;
  readonly isStrained: () => boolean;
  /** Receives errors: once per host, until it has succeeded again. */
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

const INTERVAL_MS = 1000;
/** How long a host is left alone after a failure. */
const RETRY_MS = 30_000;
const MAX_METRICS = 1000;

/** Fetches a few metrics every second, to be remembered before the first client comes. Only operands: clients' rates must not move. */
export function startBackgroundSampler(options: BackgroundSamplerOptions) {
  const isClosed = new AbortController();
  const busy = new Set<string>();
  const retryAtMs = new Map<string, number>();
  const ticker = new Ticker(options.clock, options.timers);
  const stop = options.metrics.length === 0 ? () => undefined : ticker.every(INTERVAL_MS, () => tick());
  if (options.metrics.length > 0) tick();

  function close(): void {
    isClosed.abort();
    stop();
  }

  function tick(): void {
    const { hosts, timers, isStrained, isElsewhere } = options;
    if (isStrained()) return;
    for (const host of hosts) {
      if (isElsewhere?.(host) === true) continue;
      if (busy.has(host) || timers.nowMs() < (retryAtMs.get(host) ?? -Infinity)) continue;
      busy.add(host);
      void sample(host).finally(() => busy.delete(host));
    }
  }

  async function sample(hostspec: string): Promise<void> {
    const { contexts, metrics, timers, warn } = options;
    const signal = (): AbortSignal => isClosed.signal;
    try {
      const context = await contexts.shared({ kind: 'host', hostspec }, signal);
      await planAnew(async () => {
        const pmids = await basePmids(context, metrics, signal);
        const plan = await context.plans.get({ pmids }, signal);
        if (pmids.length > 0) await context.fetching.fetch(plan, () => undefined);
      });
      retryAtMs.delete(hostspec);
    } catch (error) {
      if (isClosed.signal.aborted) return;
      if (!retryAtMs.has(hostspec))
        warn('cannot sample a host for contexts.remember', {
          hostspec,
          reason: (error as Error).message,
        });
      retryAtMs.set(hostspec, timers.nowMs() + RETRY_MS);
    }
  }
  return { close };
}

async function basePmids(
  { plans }: Context,
  prefixes: readonly string[],
  signal: () => AbortSignal,
): Promise<readonly number[]> {
  const plan = await plans.get({ prefixes, most: MAX_METRICS }, signal);
  return plan.base.map(({ descriptor: { pmid } }) => pmid);
}
