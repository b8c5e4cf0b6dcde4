import { ContextManager } from '../../../src/context/index.js';
import { type FetchResult, systemClock } from '../../../src/pmapi/index.js';
import type { InstanceProfile, PreparedFetch } from '../../../src/sources/index.js';
import { type MemoryGateway, TEST_CONTENT } from '../../support/memory-gateway.js';
import { MemorySource } from '../../support/memory-source.js';

/** A gateway whose sources answer fetches only when they are let go. */
export interface HeldGateway extends MemoryGateway {
  readonly asked: () => number;
  /** Resolves when so many fetches wait. */
  waiting(count: number): Promise<void>;
  release(): void;
}

/** Make such a gateway. */
export function heldGateway(): HeldGateway {
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  const watchers = new Set<() => void>();
  let count = 0;
  class HeldSource extends MemorySource {
    override async fetch(prepared: PreparedFetch, profile: InstanceProfile, into: FetchResult): Promise<void> {
      count++;
      for (const look of [...watchers]) look();
      await gate;
      return super.fetch(prepared, profile, into);
    }
  }
  const contexts = new ContextManager({
    sources: { open: () => Promise.resolve(new HeldSource(TEST_CONTENT, systemClock)) },
    clock: systemClock,
    limits: { contexts: 100, pollTimeoutMs: 60_000, maxPollTimeoutMs: 60_000 },
  });
  return {
    contexts,
    opened: [],
    sources: [],
    asked: () => count,
    waiting: (wanted) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (count < wanted) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
    release,
  };
}
