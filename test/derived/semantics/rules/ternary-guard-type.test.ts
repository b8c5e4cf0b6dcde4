import { ternaryGuardType } from '../../../../src/derived/semantics/rules/ternary-guard-type.js';
import { instant, text } from '../../support/rule-checks.js';

describe('ternary-guard-type', () => {
  it('wants a number for a guard', () => {
    const failure = ternaryGuardType.check({ guard: text, result: instant });
    expect(failure?.reason).toBe('Non-arithmetic operand for ternary guard');
    expect(ternaryGuardType.check({ guard: instant, result: text })).toBeUndefined();
  });
});
