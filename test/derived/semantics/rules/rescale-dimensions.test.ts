import { rescaleDimensions } from '../../../../src/derived/semantics/rules/rescale-dimensions.js';
import { parseUnits } from '../../../../src/pmapi/index.js';
import { node, operand } from '../../support/rule-checks.js';

describe('rescale-dimensions', () => {
  const reasonOf = (from: string, to: string): string | undefined =>
    rescaleDimensions.check({
      operator: 'rescale',
      operand: operand(node({ units: from })),
      target: parseUnits(to).units,
    })?.reason;

  it.each([
    ['byte', 'Gbyte'],
    ['byte / sec', 'Mbyte / hour'],
    ['', 'count'],
    ['count', ''],
    ['temperature (C)', 'temperature (K)'],
  ])('converts %j to %j', (from, to) => {
    expect(reasonOf(from, to)).toBeUndefined();
  });

  it.each([
    ['byte', 'sec'],
    ['byte', 'byte / sec'],
    ['', 'byte'],
    ['Zbyte', 'byte'],
    ['temperature (C)', 'voltage (V)'],
  ])('does not convert %j to %j', (from, to) => {
    expect(reasonOf(from, to)).toBe('Incompatible dimensions');
  });
});
