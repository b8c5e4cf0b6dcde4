import { instanceDomainNeeded, sameInstanceDomain } from '../../../../src/derived/semantics/rules/instance-domains.js';
import { binary, node, operand } from '../../support/rule-checks.js';

describe('same-instance-domain', () => {
  const [disks, interfaces, single] = [node({ indom: 1 }), node({ indom: 2 }), node()];

  it.each(['+', '<', '&&'] as const)('requires the same instance domain: %s', (operator) => {
    const failure = sameInstanceDomain.check(binary(disks, operator, interfaces));
    expect(failure?.reason).toBe('Operands should have the same instance domain');
    expect(sameInstanceDomain.check(binary(disks, operator, disks))).toBeUndefined();
    expect(sameInstanceDomain.check(binary(disks, operator, single))).toBeUndefined();
    expect(sameInstanceDomain.check(binary(single, operator, disks))).toBeUndefined();
  });
});

describe('instance-domain-needed', () => {
  it.each(['[]', 'matchinst'])('requires an instance domain for %s', (operator) => {
    const failure = instanceDomainNeeded.check({ operator, operand: operand(node()) });
    expect(failure?.reason).toBe('Instance domain needed for operand');
    expect(instanceDomainNeeded.check({ operator, operand: operand(node({ indom: 1 })) })).toBeUndefined();
  });

  it('ignores functions', () => {
    expect(instanceDomainNeeded.check({ operator: 'scalar', operand: operand(node()) })).toBeUndefined();
  });
});
