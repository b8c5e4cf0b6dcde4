import { MetricType, PM_ERR, parseUnits, Semantics, ValueSet } from '../../../src/pmapi/index.js';
import { describeRate, UnitConversion } from '../../../src/context/range/index.js';
import { fakeMetric } from './support/fake-archive.js';

const KBYTE = { dimSpace: 1, scaleSpace: 1 };

function convert(conversion: UnitConversion, value: bigint | number, type: MetricType = MetricType.U64): ValueSet {
  const [set, into] = [new ValueSet(), new ValueSet()];
  set.reset(7, type);
  if (typeof value === 'bigint') set.addInteger(-1, value);
  else set.addNumber(-1, value);
  conversion.convert(set, into);
  return into;
}

describe('UnitConversion', () => {
  it.each([
    ['Mbyte', 1536, 1.5],
    ['byte', 3, 3072],
    ['10 Mbyte', 10240, 1],
  ])('rescales Kbyte to %s', (units, value, expected) => {
    const { descriptor } = fakeMetric('m', 1, { units: KBYTE, type: MetricType.U64 });
    const conversion = new UnitConversion('m', descriptor, parseUnits(units));
    const into = convert(conversion, value);
    expect(into.type).toBe(MetricType.DOUBLE);
    expect(into.column.numbers[0]).toBeCloseTo(expected, 12);
    expect(conversion.descriptor).toMatchObject({ type: MetricType.DOUBLE, units: parseUnits(units).units });
  });

  it('rescales 64-bit integers of any size', () => {
    const { descriptor } = fakeMetric('m', 1, { units: KBYTE, type: MetricType.U64 });
    expect(convert(new UnitConversion('m', descriptor, parseUnits('Gbyte')), 2n ** 60n).column.numbers[0]).toBe(
      2 ** 40,
    );
  });

  it('takes the units of a counter for those of its rate per second', () => {
    const { descriptor } = fakeMetric('m', 1, { units: KBYTE, semantics: Semantics.COUNTER });
    const rate = describeRate(descriptor);
    const short = new UnitConversion('m', rate, parseUnits('Mbyte'), descriptor);
    const full = new UnitConversion('m', rate, parseUnits('Mbyte / sec'), descriptor);
    const perMinute = new UnitConversion('m', rate, parseUnits('Mbyte / min'), descriptor);
    expect(short.descriptor).toEqual(full.descriptor);
    expect(convert(short, 2048, MetricType.DOUBLE).column.numbers[0]).toBe(2);
    expect(convert(full, 2048, MetricType.DOUBLE).column.numbers[0]).toBe(2);
    expect(convert(perMinute, 2048, MetricType.DOUBLE).column.numbers[0]).toBe(120);
    expect(() => new UnitConversion('m', rate, parseUnits('Mbyte'))).toThrow('"Mbyte"');
  });

  it('refuses other dimensions and values that are no numbers, naming metric and parameter', () => {
    const { descriptor } = fakeMetric('m.x', 1, { units: KBYTE });
    expect(() => new UnitConversion('m.x', descriptor, parseUnits('sec'))).toThrow(
      expect.objectContaining({
        code: 'CONVERSION',
        message: 'm.x cannot be converted to "sec": its units are "Kbyte"',
        details: { parameter: 'units', pmErr: PM_ERR.CONV },
      }) as Error,
    );
    const text = fakeMetric('m.text', 1, { type: MetricType.STRING }).descriptor;
    expect(() => new UnitConversion('m.text', text, parseUnits(''))).toThrow('its values are not numbers');
  });
});
