import { arithmeticNegation } from '../../../../src/derived/semantics/rules/arithmetic-negation.js';
import { instant, operand, text } from '../../support/rule-checks.js';

describe('arithmetic-negation', () => {
  it('wants a number after -', () => {
    const failure = arithmeticNegation.check({ operator: '-', operand: operand(text) });
    expect(failure?.reason).toBe('Non-arithmetic operand for unary negation');
    expect(arithmeticNegation.check({ operator: '-', operand: operand(instant) })).toBeUndefined();
  });

  it('has no say in functions', () => {
    expect(arithmeticNegation.check({ operator: 'count', operand: operand(text) })).toBeUndefined();
  });
});
