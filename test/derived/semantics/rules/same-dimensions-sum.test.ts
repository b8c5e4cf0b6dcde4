import { sameDimensionsSum } from '../../../../src/derived/semantics/rules/same-dimensions-sum.js';
import { binary, node } from '../../support/rule-checks.js';

describe('same-dimensions-sum', () => {
  const check = (left: string, operator: '+' | '-' | '*' | '<', right: string): string | undefined =>
    sameDimensionsSum.check(binary(node({ units: left }), operator, node({ units: right })))?.reason;

  it.each([
    ['byte', 'sec'],
    ['byte', ''],
    ['', 'count^2'],
    ['byte', 'count'],
    ['byte', 'byte / sec'],
    ['temperature (C)', ''],
    ['temperature (C)', 'count'],
  ])('refuses to add and subtract %j and %j', (left, right) => {
    expect(check(left, '+', right)).toBe('Dimensions are not the same');
    expect(check(right, '-', left)).toBe('Dimensions are not the same');
  });

  it.each([
    ['byte', 'Kbyte'],
    ['', ''],
    ['', 'count'],
    ['', 'count x 10^3'],
    ['byte / sec', 'Mbyte / hour'],
  ])('adds and subtracts %j and %j', (left, right) => {
    expect(check(left, '+', right)).toBeUndefined();
    expect(check(right, '-', left)).toBeUndefined();
  });

  it('has no say in other operators', () => {
    expect(check('byte', '*', 'sec')).toBeUndefined();
    expect(check('byte', '<', 'sec')).toBeUndefined();
  });
});
