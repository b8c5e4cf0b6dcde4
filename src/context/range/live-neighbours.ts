import { compareTimestamps, ValueSet } from '../../pmapi/index.js';
import type { Timestamp } from '../../pmapi/index.js';
import type { InstanceNeighbours, NeighbourOfMoment } from '../../sources/index.js';
import type { LiveInterpolator, LiveNeighbour } from './live-interpolator.js';
import { atomAt } from './value-copy.js';

/** Between which remembered samples a moment lies, for each instance: those that its value is made from. */
export function liveNeighbours(interpolator: LiveInterpolator, at: Timestamp): readonly InstanceNeighbours[] {
  return Array.from(interpolator.neighbourhoods(at), ({ instance, low, high }) => {
    const before = describe(instance, low);
    const isExact = before.kind === 'value' && compareTimestamps(low, at) === 0;
    return { instance, exact: isExact ? [before] : [], low: before, high: describe(instance, high) };
  });
}

function describe(instance: number, { column, index, sec, nsec }: LiveNeighbour): NeighbourOfMoment {
  const timestamp = { sec, nsec };
  if (!column) return Number.isFinite(sec) ? { kind: 'mark', timestamp } : { kind: 'none' };
  const set = new ValueSet();
  set.reset(set.pmid, column.type);
  column.copyValue(index, instance, set);
  return { kind: 'value', timestamp, value: atomAt(set.column, 0) };
}
