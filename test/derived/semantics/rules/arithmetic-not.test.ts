import { arithmeticNot } from '../../../../src/derived/semantics/rules/arithmetic-not.js';
import { instant, operand, text } from '../../support/rule-checks.js';

describe('arithmetic-not', () => {
  it('wants a number after !', () => {
    const failure = arithmeticNot.check({ operator: '!', operand: operand(text) });
    expect(failure?.reason).toBe('Non-arithmetic operand for boolean negation');
    expect(arithmeticNot.check({ operator: '!', operand: operand(instant) })).toBeUndefined();
  });

  it('has no say in functions', () => {
    expect(arithmeticNot.check({ operator: 'count', operand: operand(text) })).toBeUndefined();
  });
});
