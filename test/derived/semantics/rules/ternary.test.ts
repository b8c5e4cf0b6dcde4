import {
  ternaryGuardInstanceDomain,
  ternaryGuardSet,
  ternaryGuardType,
  ternaryInstanceDomains,
  ternarySemantics,
  ternaryTypes,
  ternaryUnits,
} from '../../../../src/derived/semantics/rules/ternary.js';
import { MetricType, makeUnits } from '../../../../src/pmapi/index.js';
import { counter, instant, node, text } from '../../support/rule-checks.js';

describe('ternary-types', () => {
  it('requires arms of the same type', () => {
    const unsigned = node({ type: MetricType.U32 });
    const failure = ternaryTypes.check({ whenTrue: instant, whenFalse: unsigned });
    expect(failure?.reason).toBe('Different types for ternary operands');
    expect(ternaryTypes.check({ whenTrue: text, whenFalse: text })).toBeUndefined();
  });
});

describe('ternary-instance-domains', () => {
  const [disks, interfaces, single] = [node({ indom: 1 }), node({ indom: 2 }), node()];

  it('requires the same instance domain', () => {
    const failure = ternaryInstanceDomains.check({ whenTrue: disks, whenFalse: interfaces });
    expect(failure?.reason).toBe('Different instance domains for ternary operands');
    expect(ternaryInstanceDomains.check({ whenTrue: disks, whenFalse: disks })).toBeUndefined();
  });

  it('accepts a singular arm beside a set', () => {
    expect(ternaryInstanceDomains.check({ whenTrue: disks, whenFalse: single })).toBeUndefined();
    expect(ternaryInstanceDomains.check({ whenTrue: single, whenFalse: disks })).toBeUndefined();
  });
});

describe('ternary-semantics', () => {
  it('requires arms of the same semantics', () => {
    const failure = ternarySemantics.check({ whenTrue: counter, whenFalse: instant });
    expect(failure?.reason).toBe('Different semantics for ternary operands');
    expect(ternarySemantics.check({ whenTrue: counter, whenFalse: counter })).toBeUndefined();
  });
});

describe('ternary-units', () => {
  it.each([
    ['space', 'byte', 'Kbyte'],
    ['space', 'byte', 'sec'],
    ['time', 'sec', 'sec^2'],
    ['time', 'byte / sec', 'byte / min'],
    ['count', 'count', 'count x 10'],
    ['count', '', 'count'],
    ['extra', 'temperature (C)', 'temperature (F)'],
    ['extra', '', 'voltage (V)'],
  ])('names %s for %j and %j', (axis, left, right) => {
    const failure = ternaryUnits.check({ whenTrue: node({ units: left }), whenFalse: node({ units: right }) });
    expect(failure?.reason).toBe(`Different units or scale (${axis}) for ternary operands`);
  });

  it('accepts identical units, and scales without dimension count', () => {
    const bytes = node({ units: 'byte' });
    expect(ternaryUnits.check({ whenTrue: bytes, whenFalse: bytes })).toBeUndefined();
    const scaled = { ...node(), units: makeUnits({ scaleSpace: 1 }) };
    expect(ternaryUnits.check({ whenTrue: node(), whenFalse: scaled })?.reason).toMatch('(space)');
  });
});

describe('ternary-guard-type', () => {
  it('requires a number for a guard', () => {
    const failure = ternaryGuardType.check({ guard: text, result: instant });
    expect(failure?.reason).toBe('Non-arithmetic operand for ternary guard');
    expect(ternaryGuardType.check({ guard: instant, result: text })).toBeUndefined();
  });
});

describe('ternary-guard-set', () => {
  it('does not let a set choose between singular values', () => {
    const set = node({ indom: 1 });
    const failure = ternaryGuardSet.check({ guard: set, result: instant });
    expect(failure?.reason).toBe('Non-scalar ternary guard with scalar expressions');
    expect(ternaryGuardSet.check({ guard: set, result: set })).toBeUndefined();
    expect(ternaryGuardSet.check({ guard: instant, result: instant })).toBeUndefined();
  });
});

describe('ternary-guard-instance-domain', () => {
  it('requires a guard over the instance domain of the arms', () => {
    const [disks, interfaces] = [node({ indom: 1 }), node({ indom: 2 })];
    const failure = ternaryGuardInstanceDomain.check({ guard: disks, result: interfaces });
    expect(failure?.reason).toBe('Different instance domains for ternary operands');
    expect(ternaryGuardInstanceDomain.check({ guard: disks, result: disks })).toBeUndefined();
    expect(ternaryGuardInstanceDomain.check({ guard: instant, result: disks })).toBeUndefined();
  });
});
