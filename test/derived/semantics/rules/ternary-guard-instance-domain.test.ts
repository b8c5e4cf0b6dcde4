import { ternaryGuardInstanceDomain } from '../../../../src/derived/semantics/rules/ternary-guard-instance-domain.js';
import { instant, node } from '../../support/rule-checks.js';

describe('ternary-guard-instance-domain', () => {
  it('wants a guard over the domain of the arms', () => {
    const [disks, interfaces] = [node({ indom: 1 }), node({ indom: 2 })];
    const failure = ternaryGuardInstanceDomain.check({ guard: disks, result: interfaces });
    expect(failure?.reason).toBe('Different instance domains for ternary operands');
    expect(ternaryGuardInstanceDomain.check({ guard: disks, result: disks })).toBeUndefined();
    expect(ternaryGuardInstanceDomain.check({ guard: instant, result: disks })).toBeUndefined();
  });
});
