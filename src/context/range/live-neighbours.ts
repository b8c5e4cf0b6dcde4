import { bisect } from '../../kit/index.js';
import { compareTimestamps, ValueSet } from '../../pmapi/index.js';
import type { Timestamp } from '../../pmapi/index.js';
import type { InstanceNeighbours, NeighbourOfMoment, ObservedValue } from '../../sources/index.js';
import type { RememberedSamples } from './live-interpolator.js';
import { addSampleValue } from './live-sample.js';
import type { LiveSample } from './live-sample.js';
import { atomAt } from './value-copy.js';

/** Between which remembered samples a moment lies, for each instance that the nearest ones have. */
export function liveNeighbours({ samples, marks }: RememberedSamples, at: Timestamp): readonly InstanceNeighbours[] {
  const next = bisect(0, samples.length, (i) => compareTimestamps(samples[i]!.timestamp, at) > 0);
  const [low, high] = [samples[next - 1], samples[next]];
  const markBefore = marks.findLast((mark) => compareTimestamps(mark, at) <= 0);
  const markBehind = marks.find((mark) => compareTimestamps(mark, at) > 0);
  const isLowCut = low && markBefore && compareTimestamps(markBefore, low.timestamp) > 0;
  const isHighCut = high && markBehind && compareTimestamps(markBehind, high.timestamp) <= 0;
  const instances = new Set([...(low?.instances ?? []), ...(high?.instances ?? [])]);
  return [...instances].map((instance) => {
    const before = isLowCut ? undefined : low && observed(low, instance);
    const after = isHighCut ? undefined : high && observed(high, instance);
    return {
      instance,
      exact: before && compareTimestamps(before.timestamp, at) === 0 ? [before] : [],
      low: neighbour(before, isLowCut ? markBefore : undefined),
      high: neighbour(after, isHighCut ? markBehind : undefined),
    };
  });
}

function neighbour(value: ObservedValue | undefined, mark: Timestamp | undefined): NeighbourOfMoment {
  if (value) return { kind: 'value', ...value };
  return mark ? { kind: 'mark', timestamp: mark } : { kind: 'none' };
}

function observed(sample: LiveSample, instance: number): ObservedValue | undefined {
  const i = sample.instances.indexOf(instance);
  if (i < 0) return undefined;
  const set = new ValueSet();
  set.reset(set.pmid, sample.type);
  addSampleValue(sample, i, set);
  return { timestamp: sample.timestamp, value: atomAt(set.column, 0) };
}
