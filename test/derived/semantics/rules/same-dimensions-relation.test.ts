import { sameDimensionsRelation } from '../../../../src/derived/semantics/rules/same-dimensions-relation.js';
import { binary, node, operand } from '../../support/rule-checks.js';

describe('same-dimensions-relation', () => {
  const [bytes, seconds, plain] = [node({ units: 'byte' }), node({ units: 'sec' }), node()];

  it.each(['<', '<=', '==', '>=', '>', '!='] as const)('compares like with like: %s', (operator) => {
    const reasonOf = (left: typeof bytes, right: typeof bytes): string | undefined =>
      sameDimensionsRelation.check(binary(left, operator, right))?.reason;
    expect(reasonOf(bytes, seconds)).toBe('Dimensions are not the same');
    expect(reasonOf(bytes, plain)).toBe('Dimensions are not the same');
    expect(reasonOf(bytes, node({ units: 'Gbyte' }))).toBeUndefined();
    expect(reasonOf(plain, node({ units: 'count' }))).toBeUndefined();
  });

  it('lets a numeric constant without dimension meet anything, on either side', () => {
    const constant = operand(plain, true);
    expect(sameDimensionsRelation.check({ operator: '<', left: operand(bytes), right: constant })).toBeUndefined();
    expect(sameDimensionsRelation.check({ operator: '<', left: constant, right: operand(bytes) })).toBeUndefined();
    const timed = operand(seconds, true);
    expect(sameDimensionsRelation.check({ operator: '<', left: operand(bytes), right: timed })).toBeDefined();
  });

  it.each(['+', '*', '&&'] as const)('has no say in %s', (operator) => {
    expect(sameDimensionsRelation.check(binary(bytes, operator, seconds))).toBeUndefined();
  });
});
