import {
  GatewayError,
  MetricType,
  PmError,
  Semantics,
  ValueSet,
  counterRise,
  counterSpan,
  formatUnits,
  isArithmeticType,
  isConvertible,
  linearScale,
  rateTimeFactor,
  rateUnits,
  sameUnits,
  secondsBetween,
  wasClockSetBack,
} from '../../pmapi/index.js';
import type { LinearScale, MetricDescriptor, ParsedUnits, Timestamp, Units } from '../../pmapi/index.js';
import { timeOfRow, type Batch, type NumberBlock } from '../../sources/index.js';

/** The conversion with its descriptor, and an instance whose place is known. */
const CONVERSION_BYTES = 500;
const PLACE_BYTES = 40;

/** Options of {@link RateConversion}: wrapping, repeated and too near samples. */
export interface RateOptions {
  /** A counter that went down has wrapped, as in PCP's tools with PCP_COUNTER_WRAP. */
  readonly wrap?: boolean | undefined;
  /** A sample of the same moment repeats the rates; an overtaken one changes nothing. */
  readonly repeat?: boolean | undefined;
  /** Samples closer than this make no rate: the later one does not count. 0 by default. */
  readonly leastSec?: number | undefined;
}

/** Whether rate conversion changes a metric: only counters have rates. */
export function hasRate({ semantics, type }: MetricDescriptor): boolean {
  return semantics === Semantics.COUNTER && isArithmeticType(type);
}

/** The descriptor of a counter's rate: DOUBLE per second; of a time counter, a dimensionless utilisation. @see pmval(1) */
export function describeRate(descriptor: MetricDescriptor): MetricDescriptor {
  const units = rateUnits(descriptor.units);
  return { ...descriptor, type: MetricType.DOUBLE, semantics: Semantics.INSTANT, units };
}

/** Converts a counter's samples to rates per instance: none for the first sample, across a mark, or after a decrease. @see pmval(1) */
export class RateConversion {
  readonly descriptor: MetricDescriptor;
  /** Factor of the rise per second: the seconds of the counter's time unit. */
  readonly factor: number;
  readonly #wrap: number;
  readonly #repeats: boolean;
  readonly #leastSec: number;
  readonly #previous = new ValueSet();
  #previousAt: Timestamp | undefined;
  #rates = new Float64Array(0);
  #ratePlaces = new Int32Array(0);
  /** Each instance's place in the previous sample, if not the same. */
  #places: Map<number, number> | undefined;

  constructor(descriptor: MetricDescriptor, options: RateOptions = {}) {
    this.descriptor = describeRate(descriptor);
    this.factor = rateTimeFactor(descriptor.units);
    this.#repeats = options.repeat === true;
    this.#leastSec = options.leastSec ?? 0;
    this.#wrap = options.wrap === true ? counterSpan(descriptor.type) : 0;
  }

  get bytes(): number {
    const rated = this.#rates.byteLength + this.#ratePlaces.byteLength;
    return CONVERSION_BYTES + this.#previous.bytes + rated + PLACE_BYTES * (this.#places?.size ?? 0);
  }

  get previous(): { readonly at: Timestamp; readonly values: ValueSet } | undefined {
    return this.#previousAt && { at: this.#previousAt, values: this.#previous.copy() };
  }

  reset(): void {
    this.#previousAt = undefined;
  }

  startFrom(set: ValueSet, at: Timestamp): void {
    this.#previous.copyFrom(set);
    this.#previousAt = at;
    this.#places = undefined;
  }

  /** The rates of a sample, into the same separate set every time. Errors are unchanged. */
  convert(set: ValueSet, at: Timestamp, into: ValueSet): void {
    const seconds = this.#previousAt ? secondsBetween(at, this.#previousAt) : 0;
    const isNear = this.#previousAt !== undefined && seconds >= 0 && seconds < this.#leastSec && set.status >= 0;
    const isSame = this.#previousAt !== undefined && seconds === 0 && set.status >= 0;
    if (this.#repeats && (isSame || isNear) && into.pmid === set.pmid && into.status >= 0) return;
    into.reset(set.pmid, MetricType.DOUBLE);
    if (isNear) return;
    if (this.#repeats && seconds < 0 && !wasClockSetBack(at, this.#previousAt!)) return;
    if (set.status < 0) into.fail(set.status);
    else if (seconds > 0 && set.type === this.#previous.type) this.#divide(set, seconds, into);
    this.startFrom(set, at);
  }

  /** Rates of some rows, valid until the next call; undefined, without effect, if one has none: {@link convert} goes row by row. */
  convertBlock(block: NumberBlock, batch: Batch, first: number, rows: number): NumberBlock | undefined {
    const { instances, numbers, stride, places } = block;
    const { length: width } = instances;
    if (width === 0 || this.#repeats || !this.#isBefore(block)) return undefined;
    if (this.#rates.length < rows * width) this.#rates = new Float64Array(rows * width);
    const rates = this.#rates;
    let before = this.#previousAt!;
    for (let row = 0; row < rows; row++) {
      const at = timeOfRow(batch, first + row);
      const seconds = secondsBetween(at, before);
      if (seconds <= 0 || seconds < this.#leastSec) return undefined;
      before = at;
      for (let k = 0; k < width; k++) {
        const place = (first + row) * stride + places[k]!;
        const was = row === 0 ? this.#previous.column.numbers[k]! : numbers[place - stride]!;
        const rate = (counterRise(was, numbers[place]!, this.#wrap) * this.factor) / seconds;
        if (!(rate >= 0)) return undefined;
        rates[row * width + k] = rate;
      }
    }
    this.#rememberRow(block, first + rows - 1, before);
    if (this.#ratePlaces.length !== width) this.#ratePlaces = Int32Array.from(instances.keys());
    return { type: MetricType.DOUBLE, instances, numbers: rates, stride: width, places: this.#ratePlaces };
  }

  /** Whether the previous sample has exactly a block's instances, and exact numbers. */
  #isBefore({ type, instances }: NumberBlock): boolean {
    const { status, column, instances: known } = this.#previous;
    if (!this.#previousAt || status !== instances.length || column.wide || this.#previous.type !== type) return false;
    for (let k = 0; k < status; k++) if (known[k] !== instances[k]) return false;
    return true;
  }

  #rememberRow({ instances, numbers, stride, places }: NumberBlock, row: number, at: Timestamp): void {
    const { numbers: own } = this.#previous.column;
    for (let k = 0; k < instances.length; k++) own[k] = numbers[row * stride + places[k]!]!;
    this.#previousAt = at;
  }

  #divide(set: ValueSet, seconds: number, into: ValueSet): void {
    for (let i = 0; i < set.status; i++) {
      const instance = set.instances[i]!;
      const j = this.#placeOf(instance, i);
      if (j === undefined) continue;
      const delta = counterRise(numberAt(this.#previous, j), numberAt(set, i), this.#wrap);
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

function numberAt({ column }: ValueSet, i: number): number | bigint {
  return column.wide ? column.integerAt(i) : column.numbers[i]!;
}

/** Rescales the values of one metric, as real numbers. @see pmConvScale(3) */
export class UnitConversion {
  readonly descriptor: MetricDescriptor;
  readonly scale: LinearScale;

  /** With `counter`, units may mean those per second. Throws CONVERSION if not numeric, or of another dimension. */
  constructor(name: string, descriptor: MetricDescriptor, wanted: ParsedUnits, counter?: MetricDescriptor) {
    if (!isArithmeticType(descriptor.type)) {
      throw conversionError(name, 'its values are not numbers', wanted);
    }
    const units = counter ? unitsOfRate(descriptor, counter, wanted.units) : wanted.units;
    const { factor, offset } = scaleBetween(name, descriptor.units, units, wanted);
    this.scale = { factor: factor * wanted.multiplier, offset: offset * wanted.multiplier };
    this.descriptor = { ...descriptor, type: MetricType.DOUBLE, units };
  }

  convert(set: ValueSet, into: ValueSet): void {
    into.reset(set.pmid, MetricType.DOUBLE);
    if (set.status < 0) into.fail(set.status);
    const { factor, offset } = this.scale;
    const { column, instances } = set;
    for (let i = 0; i < set.status; i++) into.addNumber(instances[i]!, column.numbers[i]! * factor + offset);
  }

  convertBlock({ instances, numbers, stride, places }: NumberBlock, rows: number): NumberBlock {
    const { factor, offset } = this.scale;
    const rescaled = new Float64Array(rows * stride);
    for (let i = 0; i < rescaled.length; i++) rescaled[i] = numbers[i]! * factor + offset;
    return { type: MetricType.DOUBLE, instances, numbers: rescaled, stride, places };
  }
}

/** As in pmrep(1), a counter's unit will do for its rate: `Mbyte` is `Mbyte / sec` then. */
function unitsOfRate(rate: MetricDescriptor, counter: MetricDescriptor, wanted: Units): Units {
  if (isConvertible(rate.units, wanted) || !isConvertible(counter.units, wanted)) return wanted;
  return describeRate({ ...counter, units: wanted }).units;
}

function scaleBetween(name: string, from: Units, to: Units, wanted: ParsedUnits): LinearScale {
  if (sameUnits(from, to)) return { factor: 1, offset: 0 };
  try {
    return linearScale(from, to);
  } catch (error) {
    if (!(error instanceof PmError)) throw error;
    throw conversionError(name, `its units are ${quote(from)}`, wanted, error);
  }
}

function conversionError(name: string, reason: string, wanted: ParsedUnits, cause?: PmError): GatewayError {
  const message = `${name} cannot be converted to ${quote(wanted.units)}: ${reason}`;
  const details = { parameter: 'units', ...(cause ? { pmErr: cause.pmErr } : {}) };
  return new GatewayError('CONVERSION', message, details, cause ? { cause } : {});
}

function quote(units: Units): string {
  return JSON.stringify(formatUnits(units));
}
