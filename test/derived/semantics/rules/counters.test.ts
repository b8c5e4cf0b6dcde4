import { counters } from '../../../../src/derived/semantics/rules/counters.js';
import { binary, counter, instant } from '../../support/rule-checks.js';

describe('counters', () => {
  it.each(['*', '/'] as const)('refuses two counters: %s', (operator) => {
    const failure = counters.check(binary(counter, operator, counter));
    expect(failure?.reason).toBe('Illegal operator for counters');
  });

  it.each(['+', '-', '<', '==', '&&'] as const)('takes two counters: %s', (operator) => {
    const failure = counters.check(binary(counter, operator, counter));
    expect(failure).toBeUndefined();
  });

  it.each(['*', '/'] as const)('leaves a counter and another alone: %s', (operator) => {
    const failure = counters.check(binary(counter, operator, instant));
    expect(failure).toBeUndefined();
  });
});
