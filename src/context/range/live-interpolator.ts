import { bisect } from '../../kit/index.js';
import { compareTimestamps, Semantics } from '../../pmapi/index.js';
import type { MetricDescriptor, Timestamp, ValueSet } from '../../pmapi/index.js';
import { addValueBetween } from '../../sources/index.js';
import type { InstanceProfile, InterpolationRules, ObservedValues, Observation } from '../../sources/index.js';
import { addSampleValue } from './live-sample.js';
import type { LiveSample } from './live-sample.js';

/** What is remembered of a metric. */
export interface RememberedSamples {
  /** Oldest first. */
  readonly samples: readonly LiveSample[];
  readonly marks: readonly Timestamp[];
}

/** A value next to a moment, if there is one. Used again for the next moment. */
class LiveNeighbour implements Observation, ObservedValues {
  #sample: LiveSample | undefined;
  sec = 0;
  nsec = 0;
  index = -1;

  /** Value `index` of a sample; -1 for none. */
  set(sample: LiveSample | undefined, index: number): void {
    this.#sample = sample;
    this.sec = sample?.timestamp.sec ?? 0;
    this.nsec = sample?.timestamp.nsec ?? 0;
    this.index = index;
  }

  get column(): ObservedValues | undefined {
    return this.index < 0 ? undefined : this;
  }

  get values(): LiveSample {
    return this.#sample!;
  }

  copyValue(index: number, _instance: number, set: ValueSet): void {
    addSampleValue(this.#sample!, index, set);
  }
}

/**
 * Values of one metric between the remembered samples before and after a moment, computed as those of archives. An instance
 * that the later of the two does not have is gone: it has no value between them, unless it is discrete.
 * @see addValueBetween
 */
export class LiveInterpolator {
  readonly #descriptor: MetricDescriptor;
  readonly #samples: readonly LiveSample[];
  readonly #marks: readonly Timestamp[];
  readonly #profile: InstanceProfile;
  readonly #rules: InterpolationRules;
  readonly #low = new LiveNeighbour();
  readonly #high = new LiveNeighbour();
  /** The moment before, where it had values. */
  #lastAt: Timestamp | undefined;

  constructor(
    descriptor: MetricDescriptor,
    { samples, marks }: RememberedSamples,
    profile: InstanceProfile,
    rules: InterpolationRules,
  ) {
    this.#descriptor = descriptor;
    this.#samples = samples;
    this.#marks = marks;
    this.#profile = profile;
    this.#rules = rules;
  }

  /** The values at a moment; moments must come in ascending order for the first counter after a mark to be left out. */
  fill(at: Timestamp, set: ValueSet): void {
    const { pmid, type, semantics } = this.#descriptor;
    set.reset(pmid, type);
    const crosses = this.#lastAt !== undefined && this.#isMarkBetween(this.#lastAt, at);
    if (!crosses || semantics !== Semantics.COUNTER) this.#fill(at, set);
    this.#lastAt = set.status > 0 ? at : undefined;
  }

  #fill(at: Timestamp, set: ValueSet): void {
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
    const { indom } = this.#descriptor;
    for (let i = 0; i < low.instances.length; i++) {
      const instance = low.instances[i]!;
      if (!this.#profile.includes(indom, instance)) continue;
      this.#low.set(low, i);
      this.#high.set(high, high ? placeOf(high, instance, i) : -1);
      addValueBetween(this.#low, this.#high, instance, at, this.#descriptor, this.#rules, set);
    }
  }

  /** Index of the first sample at or after a moment. */
  #firstFrom(at: Timestamp): number {
    return bisect(0, this.#samples.length, (i) => compareTimestamps(this.#samples[i]!.timestamp, at) >= 0);
  }

  /** Whether a mark lies after one moment and not after another. */
  #isMarkBetween(after: Timestamp, upTo: Timestamp): boolean {
    return this.#marks.some((mark) => compareTimestamps(mark, after) > 0 && compareTimestamps(mark, upTo) <= 0);
  }
}

function placeOf(sample: LiveSample, instance: number, likely: number): number {
  return sample.instances[likely] === instance ? likely : sample.instances.indexOf(instance);
}
