import { addSeconds, compareTimestamps, secondsBetween } from '../../../pmapi/index.js';
import type { Interval } from './window.js';
import type { SeriesSample } from './series-values.js';

/**
 * Choose from samples, oldest first, the last one before each goal, and the first and the last of all: as pmproxy does, nothing
 * is interpolated. A goal is one interval after the previous one, except after gaps, which move it on.
 */
export function thinOut(samples: readonly SeriesSample[], { sec, start }: Interval): readonly SeriesSample[] {
  const [first] = samples;
  if (!first) return samples;
  const gap = 2 * Math.floor(sec);
  let goal = start ?? first.time;
  const chosen: SeriesSample[] = [];
  for (let i = 0; i + 1 < samples.length; i++) {
    const next = samples[i + 1]!.time;
    if (compareTimestamps(next, goal) <= 0) continue;
    if (secondsBetween(next, goal) > gap) goal = next;
    chosen.push(samples[i]!);
    goal = addSeconds(goal, sec);
  }
  chosen.push(samples.at(-1)!);
  return chosen;
}
