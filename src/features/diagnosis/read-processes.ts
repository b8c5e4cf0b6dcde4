import type { Context, RangeSettings } from '../../context/index.js';
import { PROCESS_METRICS } from '../../culprits/index.js';
import type { ProcessSample } from '../../culprits/index.js';
import { recordsOf } from '../../sources/index.js';
import { copyResult } from '../../context/index.js';
import type { FetchResult } from '../../pmapi/index.js';

/** The samples of processes that are recorded or remembered in a window, each valid until the next. Throws as Fetching.range() does. */
export async function* recordedProcesses(
  context: Context,
  window: { readonly start: string; readonly finish: string },
  settings: RangeSettings,
): AsyncGenerator<ProcessSample, void> {
  const plan = await context.plans.get({ names: PROCESS_METRICS });
  if (plan.entries.length === 0) return;
  const places = PROCESS_METRICS.map((wanted) => plan.entries.findIndex(({ name }) => name === wanted));
  const range = await context.fetching.range(plan, window, settings);
  for await (const { timestamp, isMark, result } of recordsOf(range.samples.batches())) {
    settings.signal?.throwIfAborted();
    if (!isMark) yield { at: timestamp, sets: places.map((place) => result.sets[place]) };
  }
}

/** Two samples of processes of a live context, with a pause between. */
export async function measuredProcesses(
  context: Context,
  pause: () => Promise<void>,
): Promise<readonly ProcessSample[]> {
  const plan = await context.plans.get({ names: PROCESS_METRICS });
  if (plan.entries.length === 0) return [];
  const places = PROCESS_METRICS.map((wanted) => plan.entries.findIndex(({ name }) => name === wanted));
  const take = (result: FetchResult): ProcessSample => {
    const { timestamp, sets } = copyResult(result);
    return { at: timestamp, sets: places.map((place) => sets[place]) };
  };
  const first = await context.fetching.fetch(plan, take);
  await pause();
  return [first, await context.fetching.fetch(plan, take)];
}
