import fc from 'fast-check';
import {
  C_NON_FINITE,
  Column,
  formatColumnNumber,
  formatDouble,
  formatFloat,
  formatG,
  formatNumber7,
  formatPrintedNumber,
  JSON_NON_FINITE,
  MetricType,
  OPEN_METRICS_NON_FINITE,
} from '../../../src/pmapi/index.js';

const anyFloat = fc.float({ noNaN: true, noDefaultInfinity: true });

describe('formatFloat', () => {
  it.each([
    [0, '0'],
    [1, '1'],
    [-16_777_216, '-16777216'],
    [1.5, '1.5'],
    [Math.fround(0.1), '0.1'],
    [Math.fround(0.06), '0.06'],
    [Math.fround(1 / 3), '0.33333334'],
    [Math.fround(16_777_217.5), '16777218'],
    [Math.fround(1e10), '10000000000'],
    [Math.fround(3.4028234e38), '3.4028235e+38'],
    [Math.fround(1.4e-45), '1e-45'],
    [Math.fround(1.1754942e-38), '1.1754942e-38'],
  ])('writes %d as %j', (value, text) => {
    expect(formatFloat(value, JSON_NON_FINITE)).toBe(text);
  });

  it('reads back as the same float, in no more digits than needed', () => {
    fc.assert(
      fc.property(anyFloat, (value) => {
        const text = formatFloat(value, JSON_NON_FINITE);
        expect(Math.fround(Number(text)) === value).toBe(true);
        const digits = (JSON.parse(text) as number).toExponential().replace(/e.*$|[-.]/g, '').length;
        if (digits > 1) {
          const shorter = Number(value.toPrecision(digits - 1));
          expect(Math.fround(shorter) === value).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('formatDouble', () => {
  it('reads back as the same double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(formatDouble(value, JSON_NON_FINITE)) === value).toBe(true);
      }),
    );
  });
});

describe('the texts of numbers that are none', () => {
  it.each([
    [NaN, 'null', 'NaN', 'nan'],
    [Infinity, 'null', '+Inf', 'inf'],
    [-Infinity, 'null', '-Inf', '-inf'],
  ])('of %d are %s, %s and %s', (value, json, openMetrics, c) => {
    for (const format of [formatFloat, formatDouble]) {
      expect(format(value, JSON_NON_FINITE)).toBe(json);
      expect(format(value, OPEN_METRICS_NON_FINITE)).toBe(openMetrics);
      expect(format(value, C_NON_FINITE)).toBe(c);
    }
    expect(formatG(value, 8)).toBe(c);
  });
});

describe('formatColumnNumber', () => {
  it('writes integers with every digit, whichever lane they are in', () => {
    const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const small = fc.bigInt({ min: -1000n, max: 1000n });
    fc.assert(
      fc.property(fc.array(fc.oneof(small, integer)), (values) => {
        const column = new Column();
        column.reset(MetricType.I64);
        for (const value of values) column.pushInteger(value);
        expect(values.map((_, i) => formatColumnNumber(column, i, JSON_NON_FINITE))).toEqual(values.map(String));
      }),
    );
  });

  it('writes U64 without sign, FLOAT as float and DOUBLE as double', () => {
    const column = new Column();
    column.reset(MetricType.U64);
    column.pushInteger(2n ** 64n - 1n);
    expect(formatColumnNumber(column, 0, JSON_NON_FINITE)).toBe('18446744073709551615');
    column.reset(MetricType.FLOAT);
    column.pushNumber(Math.fround(0.1));
    expect(formatColumnNumber(column, 0, JSON_NON_FINITE)).toBe('0.1');
    column.reset(MetricType.DOUBLE);
    column.pushNumber(Math.fround(0.1));
    expect(formatColumnNumber(column, 0, JSON_NON_FINITE)).toBe('0.10000000149011612');
    column.reset(MetricType.U32);
    column.pushNumber(4_294_967_295);
    expect(formatColumnNumber(column, 0, JSON_NON_FINITE)).toBe('4294967295');
  });
});

describe('formatG', () => {
  it.each([
    [0, 8, '0'],
    [-0, 8, '-0'],
    [1, 8, '1'],
    [100, 8, '100'],
    [0.1, 16, '0.1'],
    [1 / 3, 8, '0.33333333'],
    [1 / 3, 16, '0.3333333333333333'],
    [123_456_789, 8, '1.2345679e+08'],
    [12_345_678, 8, '12345678'],
    [12_345_678.5, 8, '12345678'],
    [12_345_677.5, 8, '12345678'],
    [-12_345_678.5, 8, '-12345678'],
    [0.0001, 8, '0.0001'],
    [0.00012345678912, 8, '0.00012345679'],
    [0.00001, 8, '1e-05'],
    [99_999_999.9, 8, '1e+08'],
    [1e100, 16, '1e+100'],
    [5e-324, 16, '4.940656458412465e-324'],
    [2.5, 1, '2'],
    [3.5, 1, '4'],
  ])('writes %d with %d digits as %j', (value, precision, text) => {
    expect(formatG(value, precision)).toBe(text);
  });

  it('keeps the value to the digits asked for', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }), (value) => {
        expect(Math.abs(Number(formatG(value, 16)) - value) <= Math.abs(value) * 1e-15).toBe(true);
      }),
    );
  });
});

describe('formatPrintedNumber', () => {
  it.each([
    [2n ** 63n, MetricType.U64, '9223372036854775808'],
    [5, MetricType.U32, '5'],
    [Math.fround(0.1), MetricType.FLOAT, '0.1'],
    [0.1, MetricType.DOUBLE, '0.1'],
  ])('writes %s of type %d as %j', (value, type, text) => {
    expect(formatPrintedNumber(value, type)).toBe(text);
  });
});

describe('formatNumber7', () => {
  it.each([
    [0, '  0.00 '],
    [1, '  1.00 '],
    [-1, ' -1.00 '],
    [-0.001, '  0.00 '],
    [0.125, '  0.12 '],
    [0.375, '  0.38 '],
    [99.995, '100.00 '],
    [-99.99, '-99.99 '],
    [-99.995, ' -0.10K'],
    [-100, ' -0.10K'],
    [999.994, '999.99 '],
    [999.995, '  1.00K'],
    [9999, ' 10.00K'],
    [12_345, ' 12.35K'],
    [-12_345, '-12.35K'],
    [123_456, '123.46K'],
    [999_995, '  1.00M'],
    [1.5e9, '  1.50G'],
    [1e12, '  1.00T'],
    [1e15, ' inf?  '],
    [-1e14, '-inf?  '],
    [Infinity, ' inf?  '],
    [NaN, '  0.00 '],
  ])('writes %d as %j', (value, text) => {
    expect(formatNumber7(value)).toBe(text);
  });

  it('always has seven characters', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        expect(formatNumber7(value)).toHaveLength(7);
      }),
    );
  });
});
