import { counterAndNonCounter } from '../../../../src/derived/semantics/rules/counter-and-non-counter.js';
import { binary, counter, instant } from '../../support/rule-checks.js';

describe('counter-and-non-counter', () => {
  it.each(['+', '-'] as const)('refuses a counter on the left: %s', (operator) => {
    const failure = counterAndNonCounter.check(binary(counter, operator, instant));
    expect(failure?.reason).toBe('Illegal operator for counter and non-counter');
  });

  it.each(['*', '/', '<', '||'] as const)('takes a counter on the left: %s', (operator) => {
    const failure = counterAndNonCounter.check(binary(counter, operator, instant));
    expect(failure).toBeUndefined();
  });

  it.each(['+', '-'] as const)('leaves a counter on the right alone: %s', (operator) => {
    const failure = counterAndNonCounter.check(binary(instant, operator, counter));
    expect(failure).toBeUndefined();
  });
});
