import fc from '../../support/properties.js';
import { MetricType, parseValue, PM_ERR, PmError } from '../../../src/pmapi/index.js';

const { I32, U32, I64, U64, FLOAT, DOUBLE, STRING, AGGREGATE, EVENT, NOSUPPORT } = MetricType;
const ERANGE = -34;

describe('parseValue', () => {
  it.each([
    ['3', I32, 3],
    ['-5', I32, -5],
    ['+5', I32, 5],
    ['0x10', I32, 16],
    ['-0X1f', I32, -31],
    ['010', I32, 8],
    [' 12', I32, 12],
    ['0', I32, 0],
    ['2147483647', I32, 2147483647],
    ['-2147483648', I32, -2147483648],
    ['4294967295', U32, 4294967295],
    ['18446744073709551615', U64, 18446744073709551615n],
    ['0xffffffffffffffff', U64, 18446744073709551615n],
    ['9007199254740993', U64, 9007199254740993n],
    ['-9223372036854775808', I64, -9223372036854775808n],
    ['1.5', FLOAT, 1.5],
    ['0.1', FLOAT, Math.fround(0.1)],
    [' 1.5e300', DOUBLE, 1.5e300],
    ['0x1p3', DOUBLE, 8],
    ['NaN', DOUBLE, Number.NaN],
    ['-inf', FLOAT, -Infinity],
    ['Infinity', DOUBLE, Infinity],
    ['', STRING, ''],
    [' 0x1 ', STRING, ' 0x1 '],
  ])('reads %j as type %i', (text, type, expected) => {
    expect(parseValue(text, type)).toEqual(expected);
  });

  it.each([
    ['', I32, PM_ERR.TYPE],
    ['abc', I32, PM_ERR.TYPE],
    ['12 ', I32, PM_ERR.TYPE],
    ['1.5', I32, PM_ERR.TYPE],
    ['08', I32, PM_ERR.TYPE],
    ['0x', I32, PM_ERR.TYPE],
    ['--1', I32, PM_ERR.TYPE],
    ['2147483648', I32, ERANGE],
    ['99999999999', I32, ERANGE],
    ['-1', U32, ERANGE],
    ['4294967296', U32, ERANGE],
    ['18446744073709551616', U64, ERANGE],
    ['-1', U64, ERANGE],
    ['9'.repeat(100_000), U64, ERANGE],
    ['9223372036854775808', I64, ERANGE],
    ['', DOUBLE, PM_ERR.TYPE],
    ['1.5x', DOUBLE, PM_ERR.TYPE],
    ['1e400', DOUBLE, ERANGE],
    ['1e39', FLOAT, ERANGE],
    ['1', EVENT, PM_ERR.TYPE],
    ['ü', AGGREGATE, PM_ERR.TYPE],
    ['1', NOSUPPORT, PM_ERR.TYPE],
  ])('refuses %.20j as type %i', (text, type, pmErr) => {
    expect(() => parseValue(text, type)).toThrow(expect.objectContaining({ pmErr }) as PmError);
  });

  it('reads what numbers print', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.double({ noNaN: true }),
        (integer, real) => {
          expect(parseValue(String(integer), I64)).toBe(integer);
          expect(parseValue(String(real), DOUBLE)).toBe(Number(String(real)));
        },
      ),
    );
  });
});
