import {
  dimensionlessBoolean,
  dimensionlessNonCounter,
  extraUnitsProduct,
  extraUnitsQuotient,
  extraUnitsSame,
  rateTimeDimension,
  rescaleDimensions,
  sameDimensionsRelation,
  sameDimensionsSum,
} from '../../../../src/derived/semantics/rules/units.js';
import { parseUnits } from '../../../../src/pmapi/index.js';
import { binary, counter, instant, node, operand } from '../../support/rule-checks.js';

describe('same-dimensions-sum', () => {
  const check = (left: string, operator: '+' | '-' | '*' | '<', right: string): string | undefined =>
    sameDimensionsSum.check(binary(node({ units: left }), operator, node({ units: right })))?.reason;

  it.each([
    ['byte', 'sec'],
    ['byte', ''],
    ['', 'count^2'],
    ['byte', 'count'],
    ['byte', 'byte / sec'],
    ['temperature (C)', ''],
    ['temperature (C)', 'count'],
  ])('refuses to add and subtract %j and %j', (left, right) => {
    expect(check(left, '+', right)).toBe('Dimensions are not the same');
    expect(check(right, '-', left)).toBe('Dimensions are not the same');
  });

  it.each([
    ['byte', 'Kbyte'],
    ['', ''],
    ['', 'count'],
    ['', 'count x 10^3'],
    ['byte / sec', 'Mbyte / hour'],
  ])('adds and subtracts %j and %j', (left, right) => {
    expect(check(left, '+', right)).toBeUndefined();
    expect(check(right, '-', left)).toBeUndefined();
  });

  it('ignores other operators', () => {
    expect(check('byte', '*', 'sec')).toBeUndefined();
    expect(check('byte', '<', 'sec')).toBeUndefined();
  });
});

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

  it('compares a numeric constant without dimension with anything, on either side', () => {
    const constant = operand(plain, true);
    expect(sameDimensionsRelation.check({ operator: '<', left: operand(bytes), right: constant })).toBeUndefined();
    expect(sameDimensionsRelation.check({ operator: '<', left: constant, right: operand(bytes) })).toBeUndefined();
    const timed = operand(seconds, true);
    expect(sameDimensionsRelation.check({ operator: '<', left: operand(bytes), right: timed })).toBeDefined();
  });

  it.each(['+', '*', '&&'] as const)('ignores %s', (operator) => {
    expect(sameDimensionsRelation.check(binary(bytes, operator, seconds))).toBeUndefined();
  });
});

describe('dimensionless-boolean', () => {
  const [bytes, plain] = [node({ units: 'byte' }), node()];

  it.each(['&&', '||'] as const)('refuses a dimension on either side of %s', (operator) => {
    expect(dimensionlessBoolean.check(binary(bytes, operator, plain))?.reason).toBe('Dimensions are not the same');
    expect(dimensionlessBoolean.check(binary(plain, operator, bytes))?.reason).toBe('Dimensions are not the same');
    expect(dimensionlessBoolean.check(binary(plain, operator, plain))).toBeUndefined();
  });

  it('ignores other operators', () => {
    expect(dimensionlessBoolean.check(binary(bytes, '<', plain))).toBeUndefined();
  });
});

describe('dimensionless-non-counter', () => {
  const bytes = node({ units: 'byte' });

  it.each(['*', '/', '<', '=='] as const)('requires a plain number beside a counter: %s', (operator) => {
    const reasonOf = (left: typeof bytes, right: typeof bytes): string | undefined =>
      dimensionlessNonCounter.check(binary(left, operator, right))?.reason;
    expect(reasonOf(counter, bytes)).toBe('Non-counter and not dimensionless for right operand');
    expect(reasonOf(bytes, counter)).toBe('Non-counter and not dimensionless for left operand');
    expect(reasonOf(counter, instant)).toBeUndefined();
    expect(reasonOf(bytes, bytes)).toBeUndefined();
    expect(reasonOf(counter, counter)).toBeUndefined();
  });

  it.each(['+', '-', '&&', '||'] as const)('ignores %s', (operator) => {
    expect(dimensionlessNonCounter.check(binary(counter, operator, bytes))).toBeUndefined();
  });
});

describe('extra units', () => {
  const plain = node();
  const celsius = node({ units: 'temperature (C)' });
  const fahrenheit = node({ units: 'temperature (F)' });
  const volt = node({ units: 'voltage (V)' });

  describe('extra-units-product', () => {
    it.each([
      ['celsius * celsius', binary(celsius, '*', celsius)],
      ['celsius * volt', binary(celsius, '*', volt)],
    ])('refuses %s', (_, operation) => {
      expect(extraUnitsProduct.check(operation)?.reason).toBe('Extra units not allowed for both operands of *');
    });

    it.each([
      ['celsius * plain', binary(celsius, '*', plain)],
      ['plain * volt', binary(plain, '*', volt)],
      ['celsius + volt', binary(celsius, '+', volt)],
    ])('accepts %s', (_, operation) => {
      expect(extraUnitsProduct.check(operation)).toBeUndefined();
    });
  });

  describe('extra-units-quotient', () => {
    it.each([
      ['celsius / fahrenheit', binary(celsius, '/', fahrenheit)],
      ['celsius / volt', binary(celsius, '/', volt)],
    ])('refuses %s', (_, operation) => {
      const failure = extraUnitsQuotient.check(operation);
      expect(failure?.reason).toBe('Different extra units not allowed for both operands of /');
    });

    it.each([
      ['celsius / celsius', binary(celsius, '/', celsius)],
      ['plain / celsius', binary(plain, '/', celsius)],
      ['celsius * fahrenheit', binary(celsius, '*', fahrenheit)],
    ])('accepts %s', (_, operation) => {
      expect(extraUnitsQuotient.check(operation)).toBeUndefined();
    });
  });

  describe('extra-units-same', () => {
    it.each([
      ['celsius + fahrenheit', binary(celsius, '+', fahrenheit)],
      ['celsius + volt', binary(celsius, '+', volt)],
    ])('refuses %s', (_, operation) => {
      expect(extraUnitsSame.check(operation)?.reason).toBe('Operands have incompatible extra units or scale');
    });

    it.each([
      ['celsius + celsius', binary(celsius, '+', celsius)],
      ['celsius + plain', binary(celsius, '+', plain)],
    ])('accepts %s', (_, operation) => {
      expect(extraUnitsSame.check(operation)).toBeUndefined();
    });
  });
});

describe('rate-time-dimension', () => {
  const reasonOf = (units: string, operator = 'rate'): string | undefined =>
    rateTimeDimension.check({ operator, operand: operand(node({ units })) })?.reason;

  it.each(['', 'byte', 'millisec', 'count sec'])('accepts %j', (units) => {
    expect(reasonOf(units)).toBeUndefined();
  });

  it.each(['byte / sec', 'sec^2', '/ hour'])('refuses %j', (units) => {
    expect(reasonOf(units)).toBe('Incorrect time dimension for operand');
    expect(reasonOf(units, 'delta')).toBeUndefined();
  });
});

describe('rescale-dimensions', () => {
  const reasonOf = (from: string, to: string): string | undefined =>
    rescaleDimensions.check({
      operator: 'rescale',
      operand: operand(node({ units: from })),
      target: parseUnits(to).units,
    })?.reason;

  it.each([
    ['byte', 'Gbyte'],
    ['byte / sec', 'Mbyte / hour'],
    ['', 'count'],
    ['count', ''],
    ['temperature (C)', 'temperature (K)'],
  ])('converts %j to %j', (from, to) => {
    expect(reasonOf(from, to)).toBeUndefined();
  });

  it.each([
    ['byte', 'sec'],
    ['byte', 'byte / sec'],
    ['', 'byte'],
    ['Zbyte', 'byte'],
    ['temperature (C)', 'voltage (V)'],
  ])('does not convert %j to %j', (from, to) => {
    expect(reasonOf(from, to)).toBe('Incompatible dimensions');
  });
});
