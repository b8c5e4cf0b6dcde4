import { arithmeticArgument } from '../../../../src/derived/semantics/rules/arithmetic-argument.js';
import { instant, operand, text } from '../../support/rule-checks.js';

describe('arithmetic-argument', () => {
  it.each(['avg', 'max', 'min', 'sum', 'delta', 'rate', 'rescale'])('wants a number for %s()', (operator) => {
    const failure = arithmeticArgument.check({ operator, operand: operand(text) });
    expect(failure?.reason).toBe('Non-arithmetic operand for function');
    expect(arithmeticArgument.check({ operator, operand: operand(instant) })).toBeUndefined();
  });

  it.each(['count', 'instant', 'scalar', 'matchinst', '[]', '-', '!'])('takes anything for %s', (operator) => {
    expect(arithmeticArgument.check({ operator, operand: operand(text) })).toBeUndefined();
  });
});
