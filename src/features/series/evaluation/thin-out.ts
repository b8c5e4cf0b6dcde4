import { addSeconds, compareTimestamps, secondsBetween } from '../../../pmapi/index.js';
import type { InSteps } from '../../../kit/index.js';
import type { Interval } from './window.js';
import type { SeriesSample } from './series-values.js';

const LOOKED_AT_ONCE = 2048;

/** Thins samples out as pmproxy: the last before each goal, the first and the last. Goals are an interval apart, but move on after gaps. */
export function* thinOut(samples: readonly SeriesSample[], { sec, start }: Interval): InSteps<readonly SeriesSample[]> {
  const [first] = samples;
  if (!first) return samples;
  const gap = 2 * Math.floor(sec);
  let goal = start ?? first.time;
  const chosen: SeriesSample[] = [];
  for (let i = 0; i + 1 < samples.length; i++) {
    if (i % LOOKED_AT_ONCE === 0) yield;
    const next = samples[i + 1]!.time;
    if (compareTimestamps(next, goal) <= 0) continue;
    if (secondsBetween(next, goal) > gap) goal = next;
    chosen.push(samples[i]!);
    goal = addSeconds(goal, sec);
  }
  chosen.push(samples.at(-1)!);
  return chosen;
}
