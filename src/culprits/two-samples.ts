import type { Context } from '../context/index.js';
import type { Timers } from '../kit/index.js';
import { copyTimestamp } from './sample.js';
import type { Window } from './find-culprits.js';

/** Rates over less say little about processes, whose times have steps of 10 ms. */
const APART_MS = 2000;

/**
 * Fetch metrics of a live host twice, two seconds apart: both samples are remembered, and this is the window between them. Metrics
 * that the host does not have are left out. Throws as a fetch does, and the signal's reason.
 */
export async function takeTwoSamples(
  context: Context,
  names: readonly string[],
  { timers, signal }: { readonly timers: Pick<Timers, 'after'>; readonly signal: AbortSignal },
): Promise<Window> {
  const plan = await context.plans.get({ names });
  const take = (): Promise<Window['start']> =>
    context.fetching.fetch(plan, ({ timestamp }) => copyTimestamp(timestamp));
  const start = await take();
  await pause(APART_MS, timers, signal);
  return { start, finish: await take() };
}

function pause(ms: number, timers: Pick<Timers, 'after'>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const leave = (): void => {
      stop();
      reject(signal.reason as Error);
    };
    const stop = timers.after(ms, () => {
      signal.removeEventListener('abort', leave);
      resolve();
    });
    signal.addEventListener('abort', leave, { once: true });
  });
}
