import {
  arithmeticArgument,
  arithmeticNegation,
  arithmeticNot,
  arithmeticOperands,
} from '../../../../src/derived/semantics/rules/arithmetic.js';
import { binary, instant, operand, text } from '../../support/rule-checks.js';

describe('arithmetic-operands', () => {
  it.each(['+', '<', '&&'] as const)('looks at the left operand of %s first', (operator) => {
    const reasonOf = (left: typeof text, right: typeof text): string | undefined =>
      arithmeticOperands.check(binary(left, operator, right))?.reason;
    expect(reasonOf(text, text)).toBe('Non-arithmetic type for left operand');
    expect(reasonOf(text, instant)).toBe('Non-arithmetic type for left operand');
    expect(reasonOf(instant, text)).toBe('Non-arithmetic type for right operand');
    expect(reasonOf(instant, instant)).toBeUndefined();
  });
});

describe('arithmetic-argument', () => {
  it.each(['avg', 'max', 'min', 'sum', 'delta', 'rate', 'rescale'])('requires a number for %s()', (operator) => {
    const failure = arithmeticArgument.check({ operator, operand: operand(text) });
    expect(failure?.reason).toBe('Non-arithmetic operand for function');
    expect(arithmeticArgument.check({ operator, operand: operand(instant) })).toBeUndefined();
  });

  it.each(['count', 'instant', 'scalar', 'matchinst', '[]', '-', '!'])('accepts anything for %s', (operator) => {
    expect(arithmeticArgument.check({ operator, operand: operand(text) })).toBeUndefined();
  });
});

describe('arithmetic-negation', () => {
  it('requires a number after -', () => {
    const failure = arithmeticNegation.check({ operator: '-', operand: operand(text) });
    expect(failure?.reason).toBe('Non-arithmetic operand for unary negation');
    expect(arithmeticNegation.check({ operator: '-', operand: operand(instant) })).toBeUndefined();
  });

  it('ignores functions', () => {
    expect(arithmeticNegation.check({ operator: 'count', operand: operand(text) })).toBeUndefined();
  });
});

describe('arithmetic-not', () => {
  it('requires a number after !', () => {
    const failure = arithmeticNot.check({ operator: '!', operand: operand(text) });
    expect(failure?.reason).toBe('Non-arithmetic operand for boolean negation');
    expect(arithmeticNot.check({ operator: '!', operand: operand(instant) })).toBeUndefined();
  });

  it('ignores functions', () => {
    expect(arithmeticNot.check({ operator: 'count', operand: operand(text) })).toBeUndefined();
  });
});
