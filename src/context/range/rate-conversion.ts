import {
  counterSpan,
  isArithmeticType,
  linearScale,
  makeUnits,
  MetricType,
  secondsBetween,
  Semantics,
  ValueSet,
  wasClockSetBack,
} from '../../pmapi/index.js';
import type { MetricDescriptor, Timestamp } from '../../pmapi/index.js';
import { copyOfSet, copyValueSet } from './value-copy.js';

const SEC = 3;
/** The conversion with its descriptor, and an instance whose place is known. */
const CONVERSION_BYTES = 500;
const PLACE_BYTES = 40;

/** How rates are made. */
export interface RateOptions {
  /** Take a counter that went down for one that wrapped, as PCP's tools do when PCP_COUNTER_WRAP is set. */
  readonly wrap?: boolean | undefined;
  /** A sample of the same moment has the same rates once more, instead of none; one that was overtaken changes nothing. */
  readonly repeat?: boolean | undefined;
}

/** Whether rate conversion changes a metric: only counters have rates. */
export function hasRate({ semantics, type }: MetricDescriptor): boolean {
  return semantics === Semantics.COUNTER && isArithmeticType(type);
}

/**
 * The descriptor of a counter's rate: a DOUBLE for the moment, per second. A time counter becomes a utilisation, without
 * dimension: seconds per second, whatever its scale. @see pmval(1)
 */
export function describeRate(descriptor: MetricDescriptor): MetricDescriptor {
  const dimTime = descriptor.units.dimTime - 1;
  const units = makeUnits({ ...descriptor.units, dimTime, scaleTime: dimTime === 0 ? 0 : SEC });
  return { ...descriptor, type: MetricType.DOUBLE, semantics: Semantics.INSTANT, units };
}

/**
 * Turns the samples of one counter into rates, instance by instance: the difference to the sample before by the seconds
 * between. There is none for the first sample, across a mark, for an instance that either sample lacks, or when the counter
 * went down.
 * @see pmval(1), pmrep(1)
 */
export class RateConversion {
  /** What the rates are. */
  readonly descriptor: MetricDescriptor;
  /** What the rise per second is multiplied with: the seconds of the counter's unit of time. */
  readonly factor: number;
  readonly #wrap: number;
  readonly #repeats: boolean;
  readonly #previous = new ValueSet();
  #previousAt: Timestamp | undefined;
  /** Where in the previous sample each instance is; made when the instances are not simply in the same places. */
  #places: Map<number, number> | undefined;

  /** @param descriptor of the counter: {@link hasRate} */
  constructor(descriptor: MetricDescriptor, options: RateOptions = {}) {
    this.descriptor = describeRate(descriptor);
    const { units } = descriptor;
    this.factor = units.dimTime === 0 ? 1 : linearScale(units, makeUnits({ ...units, scaleTime: SEC })).factor;
    this.#repeats = options.repeat === true;
    this.#wrap = options.wrap === true ? counterSpan(descriptor.type) : 0;
  }

  /** Memory that it takes, about. */
  get bytes(): number {
    return CONVERSION_BYTES + this.#previous.bytes + PLACE_BYTES * (this.#places?.size ?? 0);
  }

  /** A copy of the sample before; undefined when there was none. */
  get previous(): { readonly at: Timestamp; readonly values: ValueSet } | undefined {
    return this.#previousAt && { at: this.#previousAt, values: copyOfSet(this.#previous) };
  }

  /** Forget the sample before, as at a mark. */
  reset(): void {
    this.#previousAt = undefined;
  }

  /** Take a sample for the one before. */
  startFrom(set: ValueSet, at: Timestamp): void {
    copyValueSet(set, this.#previous);
    this.#previousAt = at;
    this.#places = undefined;
  }

  /** The rates of a sample, into a set of its own, which must be the same every time. Errors stay what they are. */
  convert(set: ValueSet, at: Timestamp, into: ValueSet): void {
    const seconds = this.#previousAt ? secondsBetween(at, this.#previousAt) : 0;
    const isSame = this.#repeats && this.#previousAt !== undefined && seconds === 0 && set.status >= 0;
    if (isSame && into.pmid === set.pmid && into.status >= 0) return;
    into.reset(set.pmid, MetricType.DOUBLE);
    if (this.#repeats && seconds < 0 && !wasClockSetBack(at, this.#previousAt!)) return;
    if (set.status < 0) into.fail(set.status);
    else if (seconds > 0 && set.type === this.#previous.type) this.#divide(set, seconds, into);
    this.startFrom(set, at);
  }

  #divide(set: ValueSet, seconds: number, into: ValueSet): void {
    for (let i = 0; i < set.status; i++) {
      const instance = set.instances[i]!;
      const j = this.#placeOf(instance, i);
      if (j === undefined) continue;
      const delta = difference(set, i, this.#previous, j, this.#wrap);
      if (delta >= 0) into.addNumber(instance, (delta * this.factor) / seconds);
    }
  }

  #placeOf(instance: number, likely: number): number | undefined {
    const { instances, status } = this.#previous;
    if (likely < status && instances[likely] === instance) return likely;
    if (!this.#places) {
      this.#places = new Map();
      for (let i = 0; i < status; i++) this.#places.set(instances[i]!, i);
    }
    return this.#places.get(instance);
  }
}

/** `a[i] - b[j]`, with `wrap` added when it is below 0; exact before it is rounded to a double. */
function difference(a: ValueSet, i: number, b: ValueSet, j: number, wrap: number): number {
  if (a.column.wide || b.column.wide) {
    const delta = a.column.integerAt(i) - b.column.integerAt(j);
    return Number(delta < 0n ? delta + BigInt(wrap) : delta);
  }
  const delta = a.column.numbers[i]! - b.column.numbers[j]!;
  return delta < 0 ? delta + wrap : delta;
}
