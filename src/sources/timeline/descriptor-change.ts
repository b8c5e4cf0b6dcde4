import {
  formatMetricType,
  formatUnits,
  INDOM_NULL,
  isArithmeticType,
  isWideType,
  linearScale,
  MetricType,
  PM_ERR,
  PmError,
  sameUnits,
  scaleRatio,
  Semantics,
} from '../../pmapi/index.js';
import type { MetricDescriptor, ValueSet } from '../../pmapi/index.js';

export interface ValueConversion {
  /** Appends value `i` of a part's set to one of the timeline; omits a value that does not fit. */
  readonly add: (from: ValueSet, i: number, instance: number, into: ValueSet) => void;
}

/** A part describes a metric differently from the timeline. */
export interface DescriptorChange {
  /** What differs, and what happens to the values, as a sentence without a subject. */
  readonly message: string;
  readonly pmErr: number;
  /** Undefined: the values cannot be converted exactly, and are left out. */
  readonly conversion: ValueConversion | undefined;
}

/** The types whose values all fit the type that they are listed under. */
const NARROWER: Partial<Record<MetricType, readonly MetricType[]>> = {
  [MetricType.I64]: [MetricType.I32, MetricType.U32],
  [MetricType.U64]: [MetricType.U32],
  [MetricType.DOUBLE]: [MetricType.I32, MetricType.U32, MetricType.FLOAT],
};

/** The differences between the descriptor of a part and that of the timeline; undefined if the values are compatible. */
export function descriptorChange(from: MetricDescriptor, to: MetricDescriptor): DescriptorChange | undefined {
  if ((from.indom === INDOM_NULL) !== (to.indom === INDOM_NULL)) {
    const is = from.indom === INDOM_NULL ? 'has no instances' : 'has instances';
    return { message: `${is} there; left out`, pmErr: PM_ERR.LOGCHANGEINDOM, conversion: undefined };
  }
  if ((from.semantics === Semantics.COUNTER) !== (to.semantics === Semantics.COUNTER)) {
    const is = from.semantics === Semantics.COUNTER ? 'a counter' : 'no counter';
    return { message: `is ${is} there; left out`, pmErr: PM_ERR.LOGCHANGESEM, conversion: undefined };
  }
  const isSameType = from.type === to.type;
  if (!isSameType && NARROWER[to.type]?.includes(from.type) !== true) {
    const types = `${formatMetricType(from.type)} there, ${formatMetricType(to.type)} later`;
    return { message: `is ${types}; left out`, pmErr: PM_ERR.LOGCHANGETYPE, conversion: undefined };
  }
  if (!sameUnits(from.units, to.units)) return unitsChange(from, to);
  if (isSameType) return undefined;
  const message = `is ${formatMetricType(from.type)} there; converted to ${formatMetricType(to.type)}`;
  return {
    message,
    pmErr: PM_ERR.LOGCHANGETYPE,
    conversion: { add: (set, i, instance, into) => into.addFrom(set, i, instance) },
  };
}

function unitsChange(from: MetricDescriptor, to: MetricDescriptor): DescriptorChange {
  const there = `is in ${formatUnits(from.units) || 'no units'} there`;
  const conversion = unitConversion(from, to);
  const fate = conversion ? `converted to ${formatUnits(to.units)}` : 'left out';
  return { message: `${there}; ${fate}`, pmErr: PM_ERR.LOGCHANGEUNITS, conversion };
}

function unitConversion(from: MetricDescriptor, to: MetricDescriptor): ValueConversion | undefined {
  if (!isArithmeticType(to.type)) return undefined;
  const { type } = to;
  try {
    if (type === MetricType.FLOAT || type === MetricType.DOUBLE) {
      const { factor, offset } = linearScale(from.units, to.units);
      const round = type === MetricType.FLOAT ? Math.fround : Number;
      return {
        add: ({ column }, i, instance, into) => into.addNumber(instance, round(column.numbers[i]! * factor + offset)),
      };
    }
    const ratio = scaleRatio(from.units, to.units);
    if (ratio?.divisor !== 1n) return undefined;
    return { add: (set, i, instance, into) => addMultiple(set, i, instance, ratio.multiplier, into) };
  } catch (error) {
    if (error instanceof PmError) return undefined;
    throw error;
  }
}

function addMultiple(set: ValueSet, i: number, instance: number, multiplier: bigint, into: ValueSet): void {
  const value = set.column.integerAt(i) * multiplier;
  const { type } = into;
  const isSigned = type === MetricType.I32 || type === MetricType.I64;
  const bits = isWideType(type) ? 64 : 32;
  const wrapped = isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
  if (wrapped !== value) return;
  if (bits === 64) into.addInteger(instance, value);
  else into.addNumber(instance, Number(value));
}
