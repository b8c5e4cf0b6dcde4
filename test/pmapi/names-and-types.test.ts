import {
  formatMetricType,
  formatSemantics,
  isArithmeticType,
  isMetricName,
  isMetricType,
  isWideType,
  METRIC_NAME_MAX_LENGTH,
} from '../../src/pmapi/index.js';

describe('isMetricName', () => {
  it.each(['kernel', 'kernel.all.load', 'a1_b.C2', 'x'.repeat(METRIC_NAME_MAX_LENGTH)])('accepts %s', (name) => {
    expect(isMetricName(name)).toBe(true);
  });

  it.each([
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    '1a',
    'a.1',
    '_a',
    'a-b',
    'a b',
    'ä',
    'a\n',
    'x'.repeat(METRIC_NAME_MAX_LENGTH + 1),
  ])('rejects %j', (name) => {
    expect(isMetricName(name)).toBe(false);
  });
});

describe('the names of types and semantics', () => {
  it.each([
    [-1, 'NO_SUPPORT'],
    [0, '32'],
    [1, 'U32'],
    [2, '64'],
    [3, 'U64'],
    [4, 'FLOAT'],
    [5, 'DOUBLE'],
    [6, 'STRING'],
    [7, 'AGGREGATE'],
    [8, 'AGGREGATE_STATIC'],
    [9, 'EVENT'],
    [10, 'HIGHRES_EVENT'],
    [11, '???'],
    [255, 'UNKNOWN'],
  ])('of type %d is %s', (type, name) => {
    expect(formatMetricType(type)).toBe(name);
    expect(isMetricType(type)).toBe(name !== '???');
    expect(isArithmeticType(type)).toBe(type >= 0 && type <= 5);
    expect(isWideType(type)).toBe(type === 2 || type === 3);
  });

  it('of semantics', () => {
    expect([0, 1, 2, 3, 4, 5].map(formatSemantics)).toEqual(['???', 'counter', '???', 'instant', 'discrete', '???']);
  });
});
