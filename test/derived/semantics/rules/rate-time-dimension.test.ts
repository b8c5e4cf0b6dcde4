import { rateTimeDimension } from '../../../../src/derived/semantics/rules/rate-time-dimension.js';
import { node, operand } from '../../support/rule-checks.js';

describe('rate-time-dimension', () => {
  const reasonOf = (units: string, operator = 'rate'): string | undefined =>
    rateTimeDimension.check({ operator, operand: operand(node({ units })) })?.reason;

  it.each(['', 'byte', 'millisec', 'count sec'])('takes %j', (units) => {
    expect(reasonOf(units)).toBeUndefined();
  });

  it.each(['byte / sec', 'sec^2', '/ hour'])('refuses %j', (units) => {
    expect(reasonOf(units)).toBe('Incorrect time dimension for operand');
    expect(reasonOf(units, 'delta')).toBeUndefined();
  });
});
