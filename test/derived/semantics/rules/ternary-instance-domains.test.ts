import { ternaryInstanceDomains } from '../../../../src/derived/semantics/rules/ternary-instance-domains.js';
import { node } from '../../support/rule-checks.js';

describe('ternary-instance-domains', () => {
  const [disks, interfaces, single] = [node({ indom: 1 }), node({ indom: 2 }), node()];

  it('wants sets over one domain', () => {
    const failure = ternaryInstanceDomains.check({ whenTrue: disks, whenFalse: interfaces });
    expect(failure?.reason).toBe('Different instance domains for ternary operands');
    expect(ternaryInstanceDomains.check({ whenTrue: disks, whenFalse: disks })).toBeUndefined();
  });

  it('takes a singular arm beside a set', () => {
    expect(ternaryInstanceDomains.check({ whenTrue: disks, whenFalse: single })).toBeUndefined();
    expect(ternaryInstanceDomains.check({ whenTrue: single, whenFalse: disks })).toBeUndefined();
  });
});
