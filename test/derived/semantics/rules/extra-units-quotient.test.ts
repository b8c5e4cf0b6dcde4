import { extraUnitsQuotient } from '../../../../src/derived/semantics/rules/extra-units-quotient.js';
import { binary, node } from '../../support/rule-checks.js';

describe('extra-units-quotient', () => {
  const celsius = node({ units: 'temperature (C)' });
  const fahrenheit = node({ units: 'temperature (F)' });
  const volt = node({ units: 'voltage (V)' });
  const plain = node();

  it('refuses celsius / fahrenheit', () => {
    const failure = extraUnitsQuotient.check(binary(celsius, '/', fahrenheit));
    expect(failure?.reason).toBe('Different extra units not allowed for both operands of /');
  });

  it('refuses celsius / volt', () => {
    const failure = extraUnitsQuotient.check(binary(celsius, '/', volt));
    expect(failure?.reason).toBe('Different extra units not allowed for both operands of /');
  });

  it('takes celsius / celsius', () => {
    const failure = extraUnitsQuotient.check(binary(celsius, '/', celsius));
    expect(failure).toBeUndefined();
  });

  it('takes plain / celsius', () => {
    const failure = extraUnitsQuotient.check(binary(plain, '/', celsius));
    expect(failure).toBeUndefined();
  });

  it('has no say in *', () => {
    expect(extraUnitsQuotient.check(binary(celsius, '*', fahrenheit))).toBeUndefined();
  });
});
