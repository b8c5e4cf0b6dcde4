import { instanceDomainNeeded } from '../../../../src/derived/semantics/rules/instance-domain-needed.js';
import { node, operand } from '../../support/rule-checks.js';

describe('instance-domain-needed', () => {
  it.each(['[]', 'matchinst'])('wants a set of values for %s', (operator) => {
    const failure = instanceDomainNeeded.check({ operator, operand: operand(node()) });
    expect(failure?.reason).toBe('Instance domain needed for operand');
    expect(instanceDomainNeeded.check({ operator, operand: operand(node({ indom: 1 })) })).toBeUndefined();
  });

  it('has no say in functions', () => {
    expect(instanceDomainNeeded.check({ operator: 'scalar', operand: operand(node()) })).toBeUndefined();
  });
});
