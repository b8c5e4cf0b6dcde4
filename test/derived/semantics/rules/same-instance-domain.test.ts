import { sameInstanceDomain } from '../../../../src/derived/semantics/rules/same-instance-domain.js';
import { binary, node } from '../../support/rule-checks.js';

describe('same-instance-domain', () => {
  const [disks, interfaces, single] = [node({ indom: 1 }), node({ indom: 2 }), node()];

  it.each(['+', '<', '&&'] as const)('wants sets over one domain: %s', (operator) => {
    const failure = sameInstanceDomain.check(binary(disks, operator, interfaces));
    expect(failure?.reason).toBe('Operands should have the same instance domain');
    expect(sameInstanceDomain.check(binary(disks, operator, disks))).toBeUndefined();
    expect(sameInstanceDomain.check(binary(disks, operator, single))).toBeUndefined();
    expect(sameInstanceDomain.check(binary(single, operator, disks))).toBeUndefined();
  });
});
