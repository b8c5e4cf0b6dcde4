import { ternarySemantics } from '../../../../src/derived/semantics/rules/ternary-semantics.js';
import { counter, instant } from '../../support/rule-checks.js';

describe('ternary-semantics', () => {
  it('wants arms of the same semantics', () => {
    const failure = ternarySemantics.check({ whenTrue: counter, whenFalse: instant });
    expect(failure?.reason).toBe('Different semantics for ternary operands');
    expect(ternarySemantics.check({ whenTrue: counter, whenFalse: counter })).toBeUndefined();
  });
});
