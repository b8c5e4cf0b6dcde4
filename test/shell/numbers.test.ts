import { readableNumber, readableValue } from '../../src/shell/output/numbers.js';

describe('readableNumber', () => {
  it.each([
    [0, '0'],
    [-1234567, '-1,234,567'],
    [0.51, '0.51'],
    [1.5, '1.5'],
    [15.7349, '15.73'],
    [1234.567, '1,235'],
    [999.96, '1,000'],
    [0.000123456, '0.000123'],
    [1e-9, '1.00e-9'],
    [1e300, '1e+300'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    ['18446744073709551615', '18,446,744,073,709,551,615'],
    ['a text, 1234', 'a text, 1234'],
  ])('%p is %s', (value, text) => {
    expect(readableNumber(value)).toBe(text);
  });
});

describe('readableValue', () => {
  it.each([
    [23_987_772, 'Kbyte', '22.88', 'Gbyte'],
    [1023, 'byte', '1,023', 'byte'],
    [1024, 'byte', '1', 'Kbyte'],
    [0.5, 'Kbyte', '512', 'byte'],
    [-4096, 'Kbyte', '-4', 'Mbyte'],
    [0, 'Kbyte', '0', 'Kbyte'],
    [2048, 'Kbyte / sec', '2', 'Mbyte / sec'],
    [1500, 'millisec', '1.5', 'sec'],
    [90_000, 'sec', '90,000', 'sec'],
    [1234567, 'count', '1,234,567', 'count'],
    [3, 'none', '3', ''],
    ['18446744073709551615', 'byte', '16', 'Ebyte'],
    ['linux', '', 'linux', ''],
  ])('%p %s is %s %s', (value, units, text, scaled) => {
    expect(readableValue(value, units)).toEqual({ text, units: scaled });
  });
});
