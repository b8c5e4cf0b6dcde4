import { ternaryUnits } from '../../../../src/derived/semantics/rules/ternary-units.js';
import { makeUnits } from '../../../../src/pmapi/index.js';
import { node } from '../../support/rule-checks.js';

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

  it('takes identical units, and scales without dimension count', () => {
    const bytes = node({ units: 'byte' });
    expect(ternaryUnits.check({ whenTrue: bytes, whenFalse: bytes })).toBeUndefined();
    const scaled = { ...node(), units: makeUnits({ scaleSpace: 1 }) };
    expect(ternaryUnits.check({ whenTrue: node(), whenFalse: scaled })?.reason).toMatch('(space)');
  });
});
