import { MetricType, convertScale, isWideType, scaleRatio, type Units, type ValueSet } from '../../../pmapi/index.js';
import { mapNumbers, sizeLike } from './lane.js';

type RescaleKernel = (out: ValueSet, operand: ValueSet) => void;

/** rescale(): each value in other units, integers rounded as by pmConvScale(3). Throws PmError for inconvertible units. */
export function rescaleKernel(type: MetricType, from: Units, to: Units): RescaleKernel {
  const ratio = scaleRatio(from, to);
  if (!ratio) return oneByOne(type, from, to);
  const [multiply, divide] = [Number(ratio.multiplier), Number(ratio.divisor)];
  switch (type) {
    case MetricType.FLOAT: {
      const factor = Math.fround(Math.fround(multiply) / Math.fround(divide));
      return mapNumbers((value) => Math.fround(value * factor));
    }
    case MetricType.DOUBLE: {
      const factor = multiply / divide;
      return mapNumbers((value) => value * factor);
    }
    default:
      return rescaleIntegers(type, multiply, divide, oneByOne(type, from, to));
  }
}

function rescaleIntegers(type: MetricType, multiply: number, divide: number, exact: RescaleKernel): RescaleKernel {
  const half = Math.floor(divide / 2);
  const wrap = wrapFor(type);
  return (out, operand) => {
    const { column, status: count } = operand;
    const numbers = sizeLike(out, operand);
    let fits = !column.wide;
    for (let i = 0; fits && i < count; i++) {
      const dividend = column.numbers[i]! * multiply + half;
      // Within this bound the double quotient is never rounded up to the next integer.
      fits = Math.abs(dividend) + divide <= Number.MAX_SAFE_INTEGER;
      numbers[i] = wrap(Math.trunc(dividend / divide));
    }
    if (fits) return;
    out.reset(out.pmid, type);
    exact(out, operand);
  };
}

function wrapFor(type: MetricType): (value: number) => number {
  if (type === MetricType.I32) return (value) => value | 0;
  if (type === MetricType.U32) return (value) => value >>> 0;
  return (value) => value + 0; // no -0
}

function oneByOne(type: MetricType, from: Units, to: Units): RescaleKernel {
  const wide = isWideType(type);
  return (out, operand) => {
    for (let i = 0; i < operand.status; i++) {
      const value = wide ? operand.column.integerAt(i) : operand.column.numbers[i]!;
      const converted = convertScale(type, value, from, to);
      if (typeof converted === 'bigint') out.addInteger(operand.instances[i]!, converted);
      else out.addNumber(operand.instances[i]!, converted);
    }
  };
}
