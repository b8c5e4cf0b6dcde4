import type { Context } from '../context/index.js';
import type { Timers } from '../kit/index.js';
import { copyTimestamp } from './sample.js';
import type { Window } from './find-culprits.js';

/** Rates over less say little about processes, whose times have steps of 10 ms. */
const APART_MS = 2000;

/**
 * Fetch metrics of a live host twice, two seconds apart: both samples are remembered, and this is the window between them. Metrics
 * that the host does not have are left out. Throws as a fetch does.
 */
export async function takeTwoSamples(
  context: Context,
  names: readonly string[],
  { timers }: { readonly timers: Pick<Timers, 'after'> },
): Promise<Window> {
  const plan = await context.plans.get({ names });
  const take = (): Promise<Window['start']> =>
    context.fetching.fetch(plan, ({ timestamp }) => copyTimestamp(timestamp));
  const start = await take();
  await new Promise<void>((resolve) => void timers.after(APART_MS, resolve));
  return { start, finish: await take() };
}
