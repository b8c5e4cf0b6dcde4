import { extraUnitsSame } from '../../../../src/derived/semantics/rules/extra-units-same.js';
import { binary, node } from '../../support/rule-checks.js';

describe('extra-units-same', () => {
  const celsius = node({ units: 'temperature (C)' });
  const fahrenheit = node({ units: 'temperature (F)' });
  const volt = node({ units: 'voltage (V)' });
  const plain = node();

  it('refuses celsius + fahrenheit', () => {
    const failure = extraUnitsSame.check(binary(celsius, '+', fahrenheit));
    expect(failure?.reason).toBe('Operands have incompatible extra units or scale');
  });

  it('refuses celsius + volt', () => {
    const failure = extraUnitsSame.check(binary(celsius, '+', volt));
    expect(failure?.reason).toBe('Operands have incompatible extra units or scale');
  });

  it('takes celsius + celsius', () => {
    const failure = extraUnitsSame.check(binary(celsius, '+', celsius));
    expect(failure).toBeUndefined();
  });

  it('takes celsius + plain', () => {
    const failure = extraUnitsSame.check(binary(celsius, '+', plain));
    expect(failure).toBeUndefined();
  });
});
