import { dimensionlessBoolean } from '../../../../src/derived/semantics/rules/dimensionless-boolean.js';
import { binary, node } from '../../support/rule-checks.js';

describe('dimensionless-boolean', () => {
  const [bytes, plain] = [node({ units: 'byte' }), node()];

  it.each(['&&', '||'] as const)('refuses a dimension on either side of %s', (operator) => {
    expect(dimensionlessBoolean.check(binary(bytes, operator, plain))?.reason).toBe('Dimensions are not the same');
    expect(dimensionlessBoolean.check(binary(plain, operator, bytes))?.reason).toBe('Dimensions are not the same');
    expect(dimensionlessBoolean.check(binary(plain, operator, plain))).toBeUndefined();
  });

  it('has no say in other operators', () => {
    expect(dimensionlessBoolean.check(binary(bytes, '<', plain))).toBeUndefined();
  });
});
