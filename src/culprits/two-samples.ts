import type { Context, RangeSettings } from '../context/index.js';
import { LiveMemory } from '../context/range/index.js';
import { pause, type Timers } from '../kit/index.js';
import type { Clock } from '../pmapi/index.js';
import { InstanceProfile, SharedWorks } from '../sources/index.js';
import { TimelineSource } from '../sources/timeline/index.js';
import { IDENTITY } from './recipes.js';
import type { Window } from './find-culprits.js';

/** Rates over less say little about processes, whose times have steps of 10 ms. */
const APART_MS = 2000;

/** What a process is does not change, and takes files of their own to read. */
const SAID_ONCE: readonly string[] = [IDENTITY.user, IDENTITY.groups, IDENTITY.container];

/** Two samples: the window between them, and where they are if the gateway does not remember any. */
export interface TwoSamples {
  readonly window: Window;
  readonly recorded: RangeSettings['recorded'];
}

export interface MeasureOptions {
  readonly timers: Pick<Timers, 'after'>;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/** Fetch metrics of a live host twice, two seconds apart; unknown ones are left out. Throws as a fetch does, and the signal's reason. */
export async function takeTwoSamples(
  context: Context,
  names: readonly string[],
  { timers, clock, signal }: MeasureOptions,
): Promise<TwoSamples> {
  const kept = context.fetching.remembered ? undefined : new LiveMemory(clock).history();
  const take = async (some: readonly string[]): Promise<Window['start']> => {
    const plan = await context.plans.get({ names: some });
    return context.fetching.fetch(plan, (result) => {
      kept?.record(plan.entries, result, new InstanceProfile());
      return { ...result.timestamp };
    });
  };
  const start = await take(names.filter((name) => !SAID_ONCE.includes(name)));
  await pause(APART_MS, timers, signal);
  signal?.throwIfAborted();
  const window = { start, finish: await take(names) };
  const part = kept && context.fetching.partOf(kept);
  const now = (): Window['start'] => window.finish;
  const past = { archives: [], hostName: '', timezone: undefined, start, now };
  return { window, recorded: part && new TimelineSource({ ...past, live: part }) };
}

/** Measures as {@link takeTwoSamples}: clients that come meanwhile wait for the same measurement, which stops when all have left. */
export type Measure = (context: Context, names: readonly string[], signal: AbortSignal) => Promise<TwoSamples>;

export function sharedMeasure(options: Pick<MeasureOptions, 'timers' | 'clock'>): Measure {
  const underWay = new SharedWorks<Context, TwoSamples>();
  return (context, names, signal) =>
    underWay.join(context, (stop) => takeTwoSamples(context, names, { ...options, signal: stop }), signal);
}
