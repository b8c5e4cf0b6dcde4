import { extraUnitsProduct } from '../../../../src/derived/semantics/rules/extra-units-product.js';
import { binary, node } from '../../support/rule-checks.js';

describe('extra-units-product', () => {
  const celsius = node({ units: 'temperature (C)' });
  const volt = node({ units: 'voltage (V)' });
  const plain = node();

  it('refuses celsius * celsius', () => {
    const failure = extraUnitsProduct.check(binary(celsius, '*', celsius));
    expect(failure?.reason).toBe('Extra units not allowed for both operands of *');
  });

  it('refuses celsius * volt', () => {
    const failure = extraUnitsProduct.check(binary(celsius, '*', volt));
    expect(failure?.reason).toBe('Extra units not allowed for both operands of *');
  });

  it('takes celsius * plain', () => {
    const failure = extraUnitsProduct.check(binary(celsius, '*', plain));
    expect(failure).toBeUndefined();
  });

  it('takes plain * volt', () => {
    const failure = extraUnitsProduct.check(binary(plain, '*', volt));
    expect(failure).toBeUndefined();
  });

  it('has no say in +', () => {
    expect(extraUnitsProduct.check(binary(celsius, '+', volt))).toBeUndefined();
  });
});
