import { arithmeticOperands } from '../../../../src/derived/semantics/rules/arithmetic-operands.js';
import { binary, instant, text } from '../../support/rule-checks.js';

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
