import {
  compareTimestamps,
  counterSpan,
  isLess,
  MetricType,
  secondsBetween,
  Semantics,
  shortestDecimal,
} from '../../pmapi/index.js';
import type { AtomValue, MetricDescriptor, Timestamp } from '../../pmapi/index.js';
import { ruleBetween, secondsBehind } from '../../sources/index.js';
import type { InstanceNeighbours, NeighbourOfMoment, ObservedValue } from '../../sources/index.js';
import type { WhyOrigin, WhySample } from './why.js';

/** Facts around one moment of a source. */
export interface MomentFacts {
  readonly at: Timestamp;
  /** The moment that times of interpolated values are counted from. */
  readonly start: Timestamp;
  /** Now, if values have an age. */
  readonly now: Timestamp | undefined;
  /** By PMID and instance; undefined: values are those of the sample itself. */
  readonly neighbours: ReadonlyMap<number, ReadonlyMap<number, InstanceNeighbours>> | undefined;
  readonly wrap: boolean;
}

/** The observations that a value was made from; undefined if they are gone. */
export function explainOrigin(
  descriptor: MetricDescriptor,
  instance: number,
  value: AtomValue,
  facts: MomentFacts,
): WhyOrigin | undefined {
  const { at, neighbours } = facts;
  if (!neighbours) return { rule: 'exact', value, sample: sampleOf({ timestamp: at, value }, descriptor, facts) };
  const around = neighbours.get(descriptor.pmid)?.get(instance);
  if (!around) return undefined;
  const { exact, low, high } = around;
  const recorded = exact.find((one) => String(asWritten(one.value, descriptor.type)) === String(value)) ?? exact[0];
  if (recorded) return { rule: 'exact', value, sample: sampleOf(recorded, descriptor, facts) };
  return low.kind === 'value' ? between(descriptor, value, low, high, facts) : undefined;
}

function between(
  descriptor: MetricDescriptor,
  value: AtomValue,
  low: ObservedValue,
  high: NeighbourOfMoment,
  facts: MomentFacts,
): WhyOrigin {
  const { at, start, wrap } = facts;
  const elapsed = secondsBehind(low.timestamp, at, start);
  if (high.kind !== 'value') return { rule: 'earlier', value, low: sampleOf(low, descriptor, facts), elapsed };
  const span = secondsBehind(low.timestamp, high.timestamp, start);
  const rule = ruleBetween(descriptor, elapsed, span);
  const wrapped = rule === 'line' && wrap && counterSpan(descriptor.type) > 0 && isLess(high.value, low.value);
  return {
    rule,
    value,
    low: sampleOf(low, descriptor, facts),
    high: sampleOf(high, descriptor, facts),
    elapsed,
    span,
    ...(wrapped && { wrapped }),
  };
}

/** Why there is no value of an instance at a moment, in a sentence without a full stop. */
export function explainAbsence(
  { semantics }: MetricDescriptor,
  { low, high }: InstanceNeighbours,
  at: Timestamp,
): string {
  if (low.kind === 'none') return 'nothing was recorded of it up to this moment';
  if (low.kind === 'mark') return interrupted(low, 'before');
  if (high.kind === 'none') return 'nothing was recorded of it after this moment';
  if (high.kind === 'mark') return interrupted(high, 'after');
  if (semantics === Semantics.COUNTER && compareTimestamps(low.timestamp, at) !== 0) {
    return 'a counter has no value at the first moment behind a mark record';
  }
  return 'the record of this moment does not hold it';
}

function interrupted({ damage }: { readonly damage?: string | undefined }, when: string): string {
  if (damage !== undefined) return `the archive is damaged ${when} this moment: ${damage}`;
  return `the recording was interrupted ${when} this moment`;
}

function sampleOf(
  { timestamp, value, record }: ObservedValue,
  { type }: MetricDescriptor,
  { now }: MomentFacts,
): WhySample {
  const age = now && Math.max(0, secondsBetween(now, timestamp));
  return { timestamp, value: asWritten(value, type), ...(age !== undefined && { age }), ...record };
}

/** A value as written in responses: a float with only significant digits. */
export function asWritten(value: AtomValue, type: MetricType): AtomValue {
  return type === MetricType.FLOAT && typeof value === 'number' ? shortestDecimal(value) : value;
}
