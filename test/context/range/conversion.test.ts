import { RateConversion, UnitConversion, describeRate, hasRate } from '../../../src/context/range/index.js';
import type { RateOptions } from '../../../src/context/range/index.js';
import { MetricType, PM_ERR, Semantics, ValueSet, addSeconds, parseUnits } from '../../../src/pmapi/index.js';
import type { MetricDescriptor, Timestamp } from '../../../src/pmapi/index.js';
import fc from '../../support/properties.js';
import { DISKS, fakeMetric } from './support/fake-archive.js';
import { rows } from '../../support/rows.js';

const counter = (rest: Parameters<typeof fakeMetric>[2] = {}): MetricDescriptor =>
  fakeMetric('counter', 1, { semantics: Semantics.COUNTER, type: MetricType.U64, ...rest }).descriptor;
const second = (sec: number): Timestamp => addSeconds({ sec: 1000, nsec: 0 }, sec);

/** The rates of samples, by instance; each sample is a time and its values, or an error code. */
function rates(
  descriptor: MetricDescriptor,
  samples: readonly (readonly [sec: number, values: Readonly<Record<number, bigint | number>> | number])[],
  options: RateOptions = {},
): unknown[] {
  const conversion = new RateConversion(descriptor, options);
  return samples.map(([sec, values]) => {
    const set = new ValueSet();
    set.reset(descriptor.pmid, descriptor.type);
    if (typeof values === 'number') set.fail(values);
    else {
      for (const [instance, value] of Object.entries(values)) {
        if (typeof value === 'bigint') set.addInteger(Number(instance), value);
        else set.addNumber(Number(instance), value);
      }
    }
    const into = new ValueSet();
    conversion.convert(set, second(sec), into);
    if (into.status < 0) return into.status;
    return Object.fromEntries(
      Array.from({ length: into.status }, (_, i) => [into.instances[i]!, into.column.numbers[i]!]),
    );
  });
}

describe('RateConversion', () => {
  it('divides by the seconds between samples, and has no rate for the first', () => {
    expect(rates(counter(), [[0, { 0: 100n }], [2, { 0: 110n }], [2.5, { 0: 111n }]])).toEqual([{}, { 0: 5 }, { 0: 2 }]); // prettier-ignore
  });

  it('has no rate for an instance that either sample lacks, wherever the instances are', () => {
    const samples = rows([0, { 1: 10, 2: 20 }], [1, { 2: 21, 3: 30 }], [2, { 1: 12, 2: 23, 3: 33 }]);
    expect(rates(counter({ indom: DISKS }), samples)).toEqual([{}, { 2: 1 }, { 2: 2, 3: 3 }]);
  });

  it('has no rate after an error, which stays what it is', () => {
    const samples = [[0, { 0: 1 }], [1, PM_ERR.AGAIN], [2, { 0: 9 }], [3, { 0: 10 }]] as const; // prettier-ignore
    expect(rates(counter(), samples)).toEqual([{}, PM_ERR.AGAIN, {}, { 0: 1 }]);
  });

  it('has no rate for a counter that went down, and goes on from there', () => {
    const samples = [[0, { 0: 100 }], [1, { 0: 3 }], [2, { 0: 4 }]] as const; // prettier-ignore
    expect(rates(counter({ type: MetricType.U32 }), samples)).toEqual([{}, {}, { 0: 1 }]);
  });

  it.each([
    ['U32', MetricType.U32, 2 ** 32 - 10, 10, 20],
    ['32', MetricType.I32, 2 ** 31 - 10, -(2 ** 31) + 10, 20],
    ['U64', MetricType.U64, 2n ** 64n - 4096n, 4096n, 8192],
    ['64', MetricType.I64, 2n ** 63n - 4096n, -(2n ** 63n) + 4096n, 8192],
  ])('takes a %s that went down for one that wrapped when told so', (_, type, before, after, rate) => {
    const samples = [[0, { 0: before }], [1, { 0: after }]] as const; // prettier-ignore
    expect(rates(counter({ type }), samples, { wrap: true })).toEqual([{}, { 0: rate }]);
    expect(rates(counter({ type }), samples)).toEqual([{}, {}]);
  });

  it('does not take a real number for one that wrapped', () => {
    expect(rates(counter({ type: MetricType.DOUBLE }), [[0, { 0: 5 }], [1, { 0: 1 }]], { wrap: true })).toEqual([{}, {}]); // prettier-ignore
  });

  it('subtracts 64-bit integers exactly', () => {
    const start = 2n ** 63n;
    expect(rates(counter(), [[0, { 0: start }], [1, { 0: start + 1n }]])).toEqual([{}, { 0: 1 }]); // prettier-ignore
    expect(rates(counter(), [[0, { 0: 2 ** 53 - 1 }], [1, { 0: 2n ** 53n + 1n }]])).toEqual([{}, { 0: 2 }]); // prettier-ignore
  });

  it('has no rate between samples of the same time, or back in time', () => {
    const samples = [[1, { 0: 1 }], [1, { 0: 5 }], [0, { 0: 9 }], [2, { 0: 11 }]] as const; // prettier-ignore
    expect(rates(counter(), samples)).toEqual([{}, {}, {}, { 0: 1 }]);
  });

  it('leaves samples out that are too near to the one before', () => {
    const samples = [[0, { 0: 0 }], [1, { 0: 10 }], [1.1, { 0: 15 }], [1.2, { 0: 17 }], [1.5, { 0: 20 }]] as const; // prettier-ignore
    expect(rates(counter(), samples, { leastSec: 0.25 })).toEqual([{}, { 0: 10 }, {}, {}, { 0: 20 }]);
  });

  it('forgets the sample before on reset', () => {
    const descriptor = counter();
    const conversion = new RateConversion(descriptor);
    const [set, into] = [new ValueSet(), new ValueSet()];
    set.reset(descriptor.pmid, descriptor.type);
    set.setNumber(1);
    conversion.convert(set, second(0), into);
    conversion.reset();
    conversion.convert(set, second(1), into);
    expect(into.status).toBe(0);
    conversion.convert(set, second(2), into);
    expect(into.column.numbers[0]).toBe(0);
  });

  it.each([
    ['nothing', {}, 1, { dimTime: -1, scaleTime: 3 }],
    ['Kbyte', { dimSpace: 1, scaleSpace: 1 }, 1, { dimSpace: 1, scaleSpace: 1, dimTime: -1, scaleTime: 3 }],
    ['millisec', { dimTime: 1, scaleTime: 2 }, 0.001, { dimTime: 0, scaleTime: 0 }],
    ['hour', { dimTime: 1, scaleTime: 5 }, 3600, { dimTime: 0, scaleTime: 0 }],
    ['count / min', { dimCount: 1, dimTime: -1, scaleTime: 4 }, 1 / 60, { dimCount: 1, dimTime: -2, scaleTime: 3 }],
    ['microsec^2', { dimTime: 2, scaleTime: 1 }, 1e-12, { dimTime: 1, scaleTime: 3 }],
  ])('gives a counter of %s per second, times as a share of time', (_, units, rate, rateUnits) => {
    const descriptor = counter({ units });
    expect(new RateConversion(descriptor).descriptor.units).toMatchObject(rateUnits);
    const [, { 0: seen }] = rates(descriptor, [[0, { 0: 0 }], [1, { 0: 1 }]]) as [unknown, Record<number, number>]; // prettier-ignore
    expect(seen).toBeCloseTo(rate, 15);
  });

  it('gives the slope of any counter that grows evenly, whatever the times', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.integer({ min: 0, max: 1000 }),
        fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 2, maxLength: 20 }),
        (start, slope, stepsMs) => {
          let ms = 0;
          const samples = stepsMs.map((stepMs) => {
            ms += stepMs;
            return [ms / 1000, { 0: start * 1000 + slope * ms }] as const;
          });
          const [first, ...others] = rates(counter(), samples) as Record<number, number>[];
          expect(first).toEqual({});
          for (const rate of others) expect(rate[0]).toBeCloseTo(slope * 1000, 3);
        },
      ),
    );
  });
});

describe('hasRate', () => {
  it('is true of counters that are numbers', () => {
    expect(hasRate(counter())).toBe(true);
    expect(hasRate(counter({ semantics: Semantics.INSTANT }))).toBe(false);
    expect(hasRate(counter({ type: MetricType.STRING }))).toBe(false);
  });
});

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
