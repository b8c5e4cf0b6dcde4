import {
  formatUnits,
  GatewayError,
  isArithmeticType,
  isConvertible,
  linearScale,
  MetricType,
  PmError,
  sameUnits,
} from '../../pmapi/index.js';
import type { LinearScale, MetricDescriptor, ParsedUnits, Units, ValueSet } from '../../pmapi/index.js';
import type { NumberBlock } from '../../sources/index.js';
import { describeRate } from './rate-conversion.js';

/** Rescales the values of one metric, as real numbers. @see pmConvScale(3) */
export class UnitConversion {
  /** What the rescaled values are. */
  readonly descriptor: MetricDescriptor;
  readonly scale: LinearScale;

  /**
   * @param counter the descriptor that a rate was made from: units of the counter itself then stand for those per second
   * @throws GatewayError CONVERSION if the metric is not numeric, or of another dimension
   */
  constructor(name: string, descriptor: MetricDescriptor, wanted: ParsedUnits, counter?: MetricDescriptor) {
    if (!isArithmeticType(descriptor.type)) {
      throw conversionError(name, 'its values are not numbers', wanted);
    }
    const units = counter ? unitsOfRate(descriptor, counter, wanted.units) : wanted.units;
    const { factor, offset } = scaleBetween(name, descriptor.units, units, wanted);
    this.scale = { factor: factor * wanted.multiplier, offset: offset * wanted.multiplier };
    this.descriptor = { ...descriptor, type: MetricType.DOUBLE, units };
  }

  /** The rescaled values, into a set of their own. Errors stay what they are. */
  convert(set: ValueSet, into: ValueSet): void {
    into.reset(set.pmid, MetricType.DOUBLE);
    if (set.status < 0) into.fail(set.status);
    const { factor, offset } = this.scale;
    const { column, instances } = set;
    for (let i = 0; i < set.status; i++) into.addNumber(instances[i]!, column.numbers[i]! * factor + offset);
  }

  /** The rescaled numbers of a block of so many rows. */
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
