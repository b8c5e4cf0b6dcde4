import {
  counterAndNonCounter,
  counters,
  nonCounterAndCounter,
} from '../../../../src/derived/semantics/rules/counters.js';
import { binary, counter, instant } from '../../support/rule-checks.js';

describe('counters', () => {
  it.each(['*', '/'] as const)('refuses two counters: %s', (operator) => {
    const failure = counters.check(binary(counter, operator, counter));
    expect(failure?.reason).toBe('Illegal operator for counters');
  });

  it.each(['+', '-', '<', '==', '&&'] as const)('accepts two counters: %s', (operator) => {
    const failure = counters.check(binary(counter, operator, counter));
    expect(failure).toBeUndefined();
  });

  it.each(['*', '/'] as const)('accepts a counter and a non-counter: %s', (operator) => {
    const failure = counters.check(binary(counter, operator, instant));
    expect(failure).toBeUndefined();
  });
});

describe('counter-and-non-counter', () => {
  it.each(['+', '-'] as const)('refuses a counter on the left: %s', (operator) => {
    const failure = counterAndNonCounter.check(binary(counter, operator, instant));
    expect(failure?.reason).toBe('Illegal operator for counter and non-counter');
  });

  it.each(['*', '/', '<', '||'] as const)('accepts a counter on the left: %s', (operator) => {
    const failure = counterAndNonCounter.check(binary(counter, operator, instant));
    expect(failure).toBeUndefined();
  });

  it.each(['+', '-'] as const)('ignores a counter on the right: %s', (operator) => {
    const failure = counterAndNonCounter.check(binary(instant, operator, counter));
    expect(failure).toBeUndefined();
  });
});

describe('non-counter-and-counter', () => {
  it.each(['+', '-', '/'] as const)('refuses a counter on the right: %s', (operator) => {
    const failure = nonCounterAndCounter.check(binary(instant, operator, counter));
    expect(failure?.reason).toBe('Illegal operator for non-counter and counter');
  });

  it.each(['*', '<', '&&'] as const)('accepts a counter on the right: %s', (operator) => {
    const failure = nonCounterAndCounter.check(binary(instant, operator, counter));
    expect(failure).toBeUndefined();
  });

  it.each(['+', '-', '/'] as const)('ignores a counter on the left: %s', (operator) => {
    const failure = nonCounterAndCounter.check(binary(counter, operator, instant));
    expect(failure).toBeUndefined();
  });
});
