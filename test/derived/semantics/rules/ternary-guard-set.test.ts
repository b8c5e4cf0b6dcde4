import { ternaryGuardSet } from '../../../../src/derived/semantics/rules/ternary-guard-set.js';
import { instant, node } from '../../support/rule-checks.js';

describe('ternary-guard-set', () => {
  it('does not let a set choose between singular values', () => {
    const set = node({ indom: 1 });
    const failure = ternaryGuardSet.check({ guard: set, result: instant });
    expect(failure?.reason).toBe('Non-scalar ternary guard with scalar expressions');
    expect(ternaryGuardSet.check({ guard: set, result: set })).toBeUndefined();
    expect(ternaryGuardSet.check({ guard: instant, result: instant })).toBeUndefined();
  });
});
