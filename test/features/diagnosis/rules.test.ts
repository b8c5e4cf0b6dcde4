import { judge } from '../../../src/features/diagnosis/judge.js';
import type { JudgedSeries } from '../../../src/features/diagnosis/judge.js';
import { loadRules, readRules } from '../../../src/features/diagnosis/rules.js';
import type { Rule } from '../../../src/features/diagnosis/rules.js';

const RULE: Rule = {
  name: 'a.rule',
  resource: 'processor',
  subject: 'it',
  value: 'some.metric',
  unit: '%',
  when: { busy: 'value > 70', saturated: 'value > 90' },
  culprits: 'none',
  source: 'a test',
};
const PARTS = { count: 20, startSec: 1000, widthSec: 10 };

function series(values: readonly number[]): JudgedSeries {
  const of = (limit: number): Float64Array =>
    Float64Array.from(values, (value) => (Number.isNaN(value) ? NaN : Number(value > limit)));
  return { instance: undefined, values: Float64Array.from(values), when: { busy: of(70), saturated: of(90) } };
}

const judged = (values: readonly number[]) => judge(RULE, series(values), PARTS);
const times = (count: number, value: number): number[] => Array<number>(count).fill(value);

describe('a rule', () => {
  it('finds nothing where no condition holds', () => {
    expect(judged(times(20, 10))).toBeUndefined();
  });

  it('says since when, and what was before', () => {
    expect(judged([...times(15, 10), ...times(5, 99)])).toMatchObject({
      state: 'saturated',
      since: 1150,
      before: 10,
      value: 99,
    });
    expect(judged([...times(15, 10), ...times(5, 80)])).toMatchObject({ state: 'busy', since: 1150 });
  });

  it('reaches over one part without trouble, not over two', () => {
    expect(judged([...times(10, 10), ...times(4, 99), 10, ...times(5, 99)])).toMatchObject({ since: 1100 });
    expect(judged([...times(10, 10), ...times(3, 99), 10, 10, ...times(5, 99)])).toMatchObject({ since: 1150 });
  });

  it('does not invent a beginning where all that is known is trouble', () => {
    const found = judged([...times(10, NaN), ...times(10, 99)]);
    expect(found).toMatchObject({ since: undefined, before: undefined, throughoutSec: 100 });
  });

  it('says nothing without recent samples', () => {
    expect(judged(times(20, NaN))).toBe('no samples');
    expect(judge(RULE, series([...times(10, 99), ...times(10, NaN)]), { ...PARTS, widthSec: 60 })).toBe('no samples');
  });

  it('does not take a moment for a state', () => {
    expect(judged([...times(18, 10), 10, 99])).toMatchObject({ value: 54.5 });
    expect(judge(RULE, series([...times(18, 10), 10, 99]), { ...PARTS, widthSec: 5 })).toBeUndefined();
  });
});

describe('rules', () => {
  it('are all read, and each has a source', () => {
    const rules = loadRules([]);
    expect(rules.length).toBeGreaterThan(20);
    expect(rules.every(({ source }) => source.length > 5)).toBe(true);
  });

  it.each([
    ['- 1', 'rule 1: expected an object'],
    ['a: 1', 'expected a list of rules'],
    [
      '- {name: a.b, resource: r, subject: s, value: x, unit: u, source: t}',
      'rule a.b: it has none of busy, saturated, failing',
    ],
    [
      '- {name: a.b, resource: r, subject: s, value: x +, unit: u, source: t, busy: value > 1}',
      'rule a.b: value is no expression',
    ],
    [
      '- {name: a.b, resource: r, subject: s, value: x, unit: u, source: t, busy: value >}',
      'rule a.b: busy is no expression',
    ],
    ['- {name: a.b, resource: r, subject: s, value: x, unit: u, busy: value > 1}', 'rule a.b: source is missing'],
    [
      '- {name: A, resource: r, subject: s, value: x, unit: u, source: t, busy: value > 1}',
      'a name has lower-case words',
    ],
    ['- {name: a, colour: red}', 'rule a: unknown member colour'],
    ['- {name: a, unit: 1}', 'rule a: unit must be a text'],
    ['- [', 'my.yaml: '],
  ])('that are wrong are refused by name: %s', (text, message) => {
    expect(() => readRules(text, 'my.yaml')).toThrow(message);
  });
});
