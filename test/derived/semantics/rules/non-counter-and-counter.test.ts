import { nonCounterAndCounter } from '../../../../src/derived/semantics/rules/non-counter-and-counter.js';
import { binary, counter, instant } from '../../support/rule-checks.js';

describe('non-counter-and-counter', () => {
  it.each(['+', '-', '/'] as const)('refuses a counter on the right: %s', (operator) => {
    const failure = nonCounterAndCounter.check(binary(instant, operator, counter));
    expect(failure?.reason).toBe('Illegal operator for non-counter and counter');
  });

  it.each(['*', '<', '&&'] as const)('takes a counter on the right: %s', (operator) => {
    const failure = nonCounterAndCounter.check(binary(instant, operator, counter));
    expect(failure).toBeUndefined();
  });

  it.each(['+', '-', '/'] as const)('leaves a counter on the left alone: %s', (operator) => {
    const failure = nonCounterAndCounter.check(binary(counter, operator, instant));
    expect(failure).toBeUndefined();
  });
});
