import fc from '../../support/properties.js';
import {
  convertScale,
  linearScale,
  makeUnits,
  MetricType,
  parseUnits,
  PM_ERR,
  PmError,
} from '../../../src/pmapi/index.js';
import type { Units } from '../../../src/pmapi/index.js';

const { I32, U32, I64, U64, FLOAT, DOUBLE } = MetricType;
const units = (text: string): Units => parseUnits(text).units;

describe('convertScale', () => {
  it.each<[MetricType, number | bigint, string, string, number | bigint]>([
    [I32, 1500, 'byte', 'kbyte', 1],
    [I32, 1536, 'byte', 'kbyte', 2],
    [I32, 512, 'byte', 'kbyte', 1],
    [I32, 511, 'byte', 'kbyte', 0],
    [I32, -1500, 'byte', 'kbyte', 0],
    [I32, -1536, 'byte', 'kbyte', -1],
    [I32, 3_000_000, 'kbyte', 'byte', -1_222_967_296],
    [I32, 1000, 'byte/sec', 'kbyte/hour', 3516],
    [I32, 1, 'hour^2', 'nanosec^2', 1_677_721_600],
    [I32, 5, 'kbyte^-2', 'byte^-2', 0],
    [U32, 59, 'sec', 'min', 1],
    [U32, 4_000_000_000, 'kbyte', 'byte', 2_896_166_912],
    [U32, 1535, 'byte', 'kbyte', 1],
    [I64, 500n, 'ms', 'sec', 1n],
    [I64, 1, 'Ebyte', 'byte', 1_152_921_504_606_846_976n],
    [I64, -1536n, 'byte', 'kbyte', -1n],
    [I64, 10n ** 15n, 'hour', 'nanosec', 874_205_924_393_222_144n],
    [U64, 2n ** 64n - 1n, 'kbyte', 'byte', 18_446_744_073_709_550_592n],
    [U64, 2n ** 64n - 1n, 'byte', 'kbyte', 18_014_398_509_481_984n],
    [FLOAT, 1, 'sec', 'hour', 0.00027777778450399637],
    [DOUBLE, 1, 'sec', 'hour', 1 / 3600],
    [DOUBLE, 1, 'hour', 'ns', 3_600_000_000_000],
    [DOUBLE, 1, 'byte/sec', 'Kbyte/hour', 3.515625],
    [DOUBLE, 1, 'Ebyte/sec', 'byte/hour', 2 ** 60 * 3600],
    [DOUBLE, 1, '/sec^2', '/hour^2', 12_960_000],
    [DOUBLE, 7, '', 'count', 7],
    [DOUBLE, 1, '', 'count x 10^3', 0.001],
    [DOUBLE, 7, 'count x 10', 'count', 70],
    [DOUBLE, 7, 'count x 10^-8', 'count x 10^7', 7e-15],
    [DOUBLE, 20.5, 'temperature (C)', 'temperature (K)', 293.65],
    [DOUBLE, 20, 'temperature (C)', 'temperature (F)', 68],
    [DOUBLE, 68, 'temperature (F)', 'temperature (C)', 20],
    [I32, 20, 'temperature (C)', 'temperature (F)', 68],
    [DOUBLE, 1500, 'voltage (mV)', 'voltage (V)', 1.5],
    [DOUBLE, 5, 'power (W)', 'power (mW)', 5000],
    [U64, 3n, 'current (A)', 'current (uA)', 3_000_000n],
    [DOUBLE, 9, '/ temperature (C)', '/ temperature (F)', 5],
  ])('of type %d: %s %j is %j %s', (type, value, from, to, expected) => {
    expect(convertScale(type, value, units(from), units(to))).toBe(expected);
  });

  it.each([
    ['byte', 'sec', PM_ERR.CONV],
    ['sec', '', PM_ERR.CONV],
    ['temperature (C)', '', PM_ERR.CONV],
    ['temperature (C)', 'voltage (V)', PM_ERR.CONV],
    ['byte / temperature (C)', 'byte temperature (C)', PM_ERR.CONV],
    ['Zbyte', 'byte', PM_ERR.UNIT],
    ['byte', 'Ybyte', PM_ERR.UNIT],
    ['time-6', 'sec', PM_ERR.UNIT],
  ])('refuses %j to %j', (from, to, pmErr) => {
    expect(() => convertScale(DOUBLE, 1, units(from), units(to))).toThrow(new PmError(pmErr));
    expect(() => linearScale(units(from), units(to))).toThrow(new PmError(pmErr));
  });

  it('refuses types that are no numbers', () => {
    expect(() => convertScale(MetricType.STRING, 1, units('byte'), units('byte'))).toThrow('Impossible');
  });

  it('comes back from a finer scale unchanged', () => {
    const scale = fc.integer({ min: 0, max: 3 });
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 32n }), scale, scale, (value, coarse, finer) => {
        const from = makeUnits({ dimSpace: 1, scaleSpace: Math.max(coarse, finer) });
        const to = makeUnits({ dimSpace: 1, scaleSpace: Math.min(coarse, finer) });
        const there = convertScale(I64, value, from, to);
        expect(convertScale(I64, there, to, from)).toBe(value);
      }),
    );
  });
});

describe('linearScale', () => {
  it.each([
    ['byte', 'kbyte', 1 / 1024, 0],
    ['temperature (C)', 'temperature (K)', 1, 273.15],
    ['temperature (C)', 'temperature (F)', 1.8, 32],
    ['voltage (mV)', 'voltage (V)', 0.001, 0],
    ['/ temperature (C)', '/ temperature (F)', 1 / 1.8, 0],
    ['sec', 'sec', 1, 0],
  ])('from %j to %j', (from, to, factor, offset) => {
    const scale = linearScale(units(from), units(to));
    expect(scale.factor).toBeCloseTo(factor, 12);
    expect(scale.offset).toBeCloseTo(offset, 12);
  });

  it('agrees with convertScale for doubles', () => {
    const pairs = [
      ['byte', 'Mbyte'],
      ['hour', 'millisec'],
      ['temperature (F)', 'temperature (K)'],
      ['kbyte temperature (K)', 'byte temperature (F)'],
      ['count x 10^3 / hour', 'count / sec'],
    ].map(([from, to]) => [units(from!), units(to!)] as const);
    fc.assert(
      fc.property(fc.constantFrom(...pairs), fc.integer({ min: -1e6, max: 1e6 }), ([from, to], value) => {
        const { factor, offset } = linearScale(from, to);
        const expected = Number(convertScale(DOUBLE, value, from, to));
        expect(Math.abs(value * factor + offset - expected)).toBeLessThan(1e-9 * (Math.abs(expected) + 1000));
      }),
    );
  });
});
