import type { Context, RangeSettings } from '../context/index.js';
import { LiveMemory } from '../context/range/index.js';
import type { Timers } from '../kit/index.js';
import type { Clock } from '../pmapi/index.js';
import { InstanceProfile } from '../sources/index.js';
import { TimelineSource } from '../sources/timeline/index.js';
import { copyTimestamp } from './sample.js';
import type { Window } from './find-culprits.js';

/** Rates over less say little about processes, whose times have steps of 10 ms. */
const APART_MS = 2000;

/** Two samples: the window between them, and where they are if the gateway does not remember any. */
export interface TwoSamples {
  readonly window: Window;
  readonly recorded: RangeSettings['recorded'];
}

/**
 * Fetch metrics of a live host twice, two seconds apart. Metrics that the host does not have are left out. Throws as a fetch does, and the
 * signal's reason.
 */
export async function takeTwoSamples(
  context: Context,
  names: readonly string[],
  {
    timers,
    clock,
    signal,
  }: { readonly timers: Pick<Timers, 'after'>; readonly clock: Clock; readonly signal?: AbortSignal },
): Promise<TwoSamples> {
  const plan = await context.plans.get({ names });
  const kept = context.fetching.remembered ? undefined : new LiveMemory(clock).history();
  const take = (): Promise<Window['start']> =>
    context.fetching.fetch(plan, (result) => {
      kept?.record(plan.entries, result, new InstanceProfile());
      return copyTimestamp(result.timestamp);
    });
  const start = await take();
  await new Promise<void>((resolve) => {
    const cancel = timers.after(APART_MS, resolve);
    signal?.addEventListener('abort', () => {
      cancel();
      resolve();
    });
  });
  signal?.throwIfAborted();
  const window = { start, finish: await take() };
  const part = kept && context.fetching.partOf(kept);
  const now = (): Window['start'] => window.finish;
  const past = { archives: [], hostName: '', timezone: undefined, start, now };
  return { window, recorded: part && new TimelineSource({ ...past, live: part }) };
}
