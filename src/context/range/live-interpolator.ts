import {
  compareTimestamps,
  counterSpan,
  isArithmeticType,
  isWideType,
  MetricType,
  secondsBetween,
  Semantics,
  wideCounterBetween,
  wrapCounter,
} from '../../pmapi/index.js';
import type { MetricDescriptor, Timestamp, ValueSet } from '../../pmapi/index.js';
import type { InstanceProfile } from '../../sources/index.js';
import { addSampleValue, integerOf } from './live-sample.js';
import type { LiveSample } from './live-sample.js';

/**
 * Values of one metric between remembered samples, by the rules of archives: counters lie on the line between the samples
 * before and after, other numbers are those of the nearer one (the earlier at a tie), all else those of the earlier; nothing
 * but a discrete value is made up beyond the last sample or across a mark.
 * @see pmSetMode(3), PM_MODE_INTERP
 */
export class LiveInterpolator {
  readonly #descriptor: MetricDescriptor;
  readonly #samples: readonly LiveSample[];
  readonly #marks: readonly Timestamp[];
  readonly #profile: InstanceProfile;
  readonly #wrap: boolean;
  #lastAt: Timestamp | undefined;

  /**
   * @param samples oldest first
   * @param wrap counters that go down have wrapped
   */
  constructor(
    descriptor: MetricDescriptor,
    samples: readonly LiveSample[],
    marks: readonly Timestamp[],
    profile: InstanceProfile,
    wrap: boolean,
  ) {
    this.#descriptor = descriptor;
    this.#samples = samples;
    this.#marks = marks;
    this.#profile = profile;
    this.#wrap = wrap;
  }

  /** The values at a moment; moments must come in ascending order for the first counter after a mark to be left out. */
  fill(at: Timestamp, set: ValueSet): void {
    const { pmid, type, semantics } = this.#descriptor;
    set.reset(pmid, type);
    const crosses = this.#lastAt !== undefined && this.#isMarkBetween(this.#lastAt, at);
    this.#lastAt = at;
    if (crosses && semantics === Semantics.COUNTER) return;
    const next = this.#firstFrom(at);
    const high = this.#samples[next];
    if (high && compareTimestamps(high.timestamp, at) === 0) {
      this.#fillExact(high, set);
      return;
    }
    const low = this.#samples[next - 1];
    if (!low || this.#isMarkBetween(low.timestamp, at)) return;
    const isBounded = high !== undefined && !this.#isMarkBetween(low.timestamp, high.timestamp);
    this.#fillBetween(low, isBounded ? high : undefined, at, set);
  }

  #fillExact(sample: LiveSample, set: ValueSet): void {
    if (sample.status < 0) set.fail(sample.status);
    for (let i = 0; i < sample.instances.length; i++) {
      if (this.#profile.includes(this.#descriptor.indom, sample.instances[i]!)) addSampleValue(sample, i, set);
    }
  }

  #fillBetween(low: LiveSample, high: LiveSample | undefined, at: Timestamp, set: ValueSet): void {
    const { type, semantics, indom } = this.#descriptor;
    const isNumeric = isArithmeticType(type);
    const elapsed = secondsBetween(at, low.timestamp);
    const span = high ? secondsBetween(high.timestamp, low.timestamp) : 0;
    for (let i = 0; i < low.instances.length; i++) {
      const instance = low.instances[i]!;
      if (!this.#profile.includes(indom, instance)) continue;
      const j = high ? placeOf(high, instance, i) : -1;
      if (!high || j < 0) {
        if (semantics === Semantics.DISCRETE) addSampleValue(low, i, set);
      } else if (semantics === Semantics.COUNTER && isNumeric) {
        addOnLine([low, i], [high, j], elapsed, span, this.#wrap, set);
      } else {
        const isLater = isNumeric && elapsed > span / 2;
        addSampleValue(isLater ? high : low, isLater ? j : i, set);
      }
    }
  }

  /** Index of the first sample at or after a moment. */
  #firstFrom(at: Timestamp): number {
    let low = 0;
    let high = this.#samples.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareTimestamps(this.#samples[middle]!.timestamp, at) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether a mark lies after one moment and not after another. */
  #isMarkBetween(after: Timestamp, upTo: Timestamp): boolean {
    return this.#marks.some((mark) => compareTimestamps(mark, after) > 0 && compareTimestamps(mark, upTo) <= 0);
  }
}

function placeOf(sample: LiveSample, instance: number, likely: number): number {
  return sample.instances[likely] === instance ? likely : sample.instances.indexOf(instance);
}

/** A value of a sample. */
type Place = readonly [sample: LiveSample, index: number];

/** The counter's value on the line between two samples, so many seconds after the first; integers are rounded. */
function addOnLine(
  [low, i]: Place,
  [high, j]: Place,
  elapsed: number,
  span: number,
  wrap: boolean,
  set: ValueSet,
): void {
  const instance = low.instances[i]!;
  const { type } = set;
  if (isWideType(type)) {
    set.addInteger(instance, wideCounterBetween(integerOf(low, i), integerOf(high, j), elapsed / span, wrap, type));
    return;
  }
  const from = low.numbers[i]!;
  const rise = high.numbers[j]! - from;
  // In this order, as archives do it: another one gives other last digits.
  const value = from + (elapsed * (rise + (wrap && rise < 0 ? counterSpan(type) : 0))) / span;
  if (type === MetricType.DOUBLE) set.addNumber(instance, value);
  else if (type === MetricType.FLOAT) set.addNumber(instance, Math.fround(value));
  else set.addNumber(instance, wrapCounter(Math.trunc(value + 0.5), type));
}
