import { MetricType, secondsBetween, type ValueSet } from '../../../pmapi/index.js';
import type { BoundRate } from '../../semantics/bound-expression.js';
import { deltaType } from '../../semantics/result-metadata.js';
import { laneOperator, type LaneOperator } from './arithmetic.js';
import { leftLane, loadPairs, rightLane, type Kernel } from './lane.js';
import type { History } from '../history.js';

/** delta(): now less the previous sample, for instances in both, in present order. 32 and 64 wrap, without counter logic. */
export function deltaKernel(type: MetricType, singular: boolean, slot: number): Kernel {
  const computeType = deltaType(type);
  const subtract = laneOperator('-', computeType);
  const differ: Differ = (out, now, before) => {
    subtractSamples(out, now, before, singular, computeType, subtract);
  };
  return withPrevious(slot, differ, () => 0);
}

export interface RateSpec extends Pick<BoundRate, 'slot' | 'counter' | 'timeFactor'> {
  /** The operand's type; the difference is computed in it, wrapping, before it becomes a double. */
  readonly type: MetricType;
  readonly singular: boolean;
}

/** rate(): the difference to the previous sample, by the seconds between the two. */
export function rateKernel({ type, singular, slot, counter, timeFactor }: RateSpec): Kernel {
  const subtract = laneOperator('-', type);
  const differ: Differ = (out, now, before, elapsedSec) => {
    const { column } = out;
    column.reset(type); // the difference is of the operand's type; dividing makes doubles of it, in place
    const count = subtractSamples(out, now, before, singular, type, subtract);
    const { numbers } = column;
    for (let i = 0; i < count; i++) numbers[i] = (numbers[i]! / elapsedSec) * timeFactor;
    column.type = MetricType.DOUBLE;
    column.wide = undefined;
    if (counter) dropDecreased(out, count, type);
  };
  return withPrevious(slot, differ, ({ leastSec }) => leastSec);
}

function subtractSamples(
  out: ValueSet,
  now: ValueSet,
  before: ValueSet,
  singular: boolean,
  computeType: MetricType,
  subtract: LaneOperator,
): number {
  const count = loadPairs(out, now, before, { computeType, leftSingular: singular, rightSingular: singular });
  subtract(leftLane, rightLane, out.column, count);
  return count;
}

/** Drops values at which the subtracted samples went down: a counter that was reset. */
function dropDecreased(out: ValueSet, count: number, type: MetricType): void {
  if (leftLane.wide || rightLane.wide) {
    const decreased = decreasedPatterns(count, type);
    dropFrom(out, 0, count, decreased);
    return;
  }
  const [now, before] = [leftLane.numbers, rightLane.numbers];
  for (let i = 0; i < count; i++) {
    if (now[i]! >= before[i]!) continue;
    dropFrom(out, i, count, (k) => now[k]! < before[k]!);
    return;
  }
}

function dropFrom(out: ValueSet, first: number, count: number, drop: (i: number) => boolean): void {
  const { instances } = out;
  const { numbers } = out.column;
  let kept = first;
  for (let i = first; i < count; i++) {
    if (drop(i)) continue;
    numbers[kept] = numbers[i]!;
    instances[kept] = instances[i]!;
    kept++;
  }
  out.status = kept;
  out.column.length = kept;
}

function decreasedPatterns(count: number, type: MetricType): (i: number) => boolean {
  const [now, before] = [leftLane.patterns(count), rightLane.patterns(count)];
  if (type !== MetricType.U64) return (i) => now[i]! < before[i]!;
  return (i) => BigInt.asUintN(64, now[i]!) < BigInt.asUintN(64, before[i]!);
}

type Differ = (out: ValueSet, now: ValueSet, before: ValueSet, elapsedSec: number) => void;

/** A kernel over the current and the previous sample. An error in either is the result, as in libpcp. Too near samples do not count. */
function withPrevious(slot: number, differ: Differ, leastSecOf: (history: History) => number): Kernel {
  return (out, now, _b, _c, sample, history) => {
    const previous = history.samples[slot];
    if (now.status < 0) out.fail(now.status);
    else if (previous && previous.values.status < 0) out.fail(previous.values.status);
    else if (previous) {
      const elapsedSec = secondsBetween(sample.timestamp, previous.timestamp);
      if (elapsedSec >= 0 && elapsedSec < leastSecOf(history)) return;
      differ(out, now, previous.values, elapsedSec);
    }
    history.remember(slot, sample.timestamp, now);
  };
}
