import { dimensionlessNonCounter } from '../../../../src/derived/semantics/rules/dimensionless-non-counter.js';
import { binary, counter, instant, node } from '../../support/rule-checks.js';

describe('dimensionless-non-counter', () => {
  const bytes = node({ units: 'byte' });

  it.each(['*', '/', '<', '=='] as const)('wants what meets a counter to be a plain number: %s', (operator) => {
    const reasonOf = (left: typeof bytes, right: typeof bytes): string | undefined =>
      dimensionlessNonCounter.check(binary(left, operator, right))?.reason;
    expect(reasonOf(counter, bytes)).toBe('Non-counter and not dimensionless for right operand');
    expect(reasonOf(bytes, counter)).toBe('Non-counter and not dimensionless for left operand');
    expect(reasonOf(counter, instant)).toBeUndefined();
    expect(reasonOf(bytes, bytes)).toBeUndefined();
    expect(reasonOf(counter, counter)).toBeUndefined();
  });

  it.each(['+', '-', '&&', '||'] as const)('has no say in %s', (operator) => {
    expect(dimensionlessNonCounter.check(binary(counter, operator, bytes))).toBeUndefined();
  });
});
