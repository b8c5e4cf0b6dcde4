import { atOnce } from '../../../src/kit/index.js';
import { INDOM_NULL, makeUnits, MetricType, parseUnits, Semantics } from '../../../src/pmapi/index.js';
import { combine } from '../../../src/features/series/evaluation/arithmetic.js';
import { EvaluationPlan } from '../../../src/features/series/evaluation/evaluate.js';
import { applyFunction } from '../../../src/features/series/evaluation/functions.js';
import type {
  SeriesMetadata,
  SeriesValue,
  SeriesValues,
} from '../../../src/features/series/evaluation/series-values.js';
import { thinOut } from '../../../src/features/series/evaluation/read-values.js';
import { bytesOfValues, ValueMemory } from '../../../src/features/series/evaluation/value-memory.js';
import { valueText } from '../../../src/features/series/series-writer.js';
import { parseWindow } from '../../../src/features/series/evaluation/window.js';
import { parseQuery, type Call } from '../../../src/features/series/language/index.js';
import { fnmatch } from '../../../src/features/series/selection/select.js';

function singular(values: readonly SeriesValue[], metadata: Partial<SeriesMetadata> = {}): SeriesValues {
  return {
    series: 's',
    source: 'h',
    metadata: {
      type: MetricType.I64,
      semantics: Semantics.INSTANT,
      units: makeUnits({}),
      indom: INDOM_NULL,
      form: 'integer',
      ...metadata,
    },
    samples: values.map((value, sec) => ({ time: { sec, nsec: 0 }, instances: [''], values: [value] })),
    isNewestFirst: false,
  };
}

const call = (text: string): Call => parseQuery(text).expression as Call;
const applied = (text: string, operand: SeriesValues): readonly SeriesValue[] =>
  atOnce(applyFunction(call(text), operand)).samples.flatMap(({ values }) => values);
const counter = { semantics: Semantics.COUNTER, type: MetricType.U64 } as const;

describe('functions', () => {
  it('have no rate where a counter went back, and 64-bit counters keep their digits', () => {
    expect(applied('rate(x)', singular([1, 5, 2, 4], counter))).toEqual([4, 2]);
    const large = 2n ** 63n;
    expect(applied('rate(x)', singular([large, large + 3n], counter))).toEqual([3]);
  });

  it('rank values at and below 0', () => {
    const values = singular([-3, 0, -1]);
    expect(applied('topk_inst(x,2)', values)).toEqual([0, -1]);
    expect(applied('nth_percentile_inst(x,0)', values)).toEqual([-3]);
    expect(applied('max(x)', singular([-3, -1]))).toEqual([-1]);
  });

  it('count texts as 0, and refuse what is no number', () => {
    const texts = singular(['red', 'green'], { type: MetricType.STRING, form: 'text' });
    expect(applied('sum(x)', texts)).toEqual([0]);
    for (const name of ['abs', 'floor', 'round', 'sqrt', 'log']) {
      expect(() => applied(`${name}(x)`, texts)).toThrow(`${name}: unsupported type`);
    }
  });

  it('go on after NaN', () => {
    const values = singular([4, NaN, 9], { type: MetricType.DOUBLE, form: 'real' });
    expect(applied('sqrt(x)', values)).toEqual([2, NaN, 3]);
  });
});

describe('arithmetic', () => {
  const combined = (operator: '+' | '-' | '*' | '/', left: SeriesValues, right: SeriesValues) =>
    atOnce(combine(operator, left, right)).samples.flatMap(({ values }) => values);

  it('converts scales, and refuses other dimensions', () => {
    const units = (text: string) => ({ units: parseUnits(text).units });
    expect(combined('+', singular([1], units('Kbyte')), singular([1024], units('byte')))).toEqual([2]);
    expect(() => combined('+', singular([1], units('Kbyte')), singular([1], units('sec')))).toThrow('operands of +');
  });

  it('gives differences below 0, of unsigned numbers too', () => {
    expect(combined('-', singular([1], { type: MetricType.U64 }), singular([3], { type: MetricType.U64 }))).toEqual([
      -2,
    ]);
  });

  it.each([
    ['*', counter, counter],
    ['/', counter, counter],
    ['+', counter, {}],
    ['-', {}, counter],
    ['/', {}, counter],
  ] as const)('refuses %s of counters and others', (operator, left, right) => {
    expect(() => combined(operator, singular([1], left), singular([1], right))).toThrow('illegal for a counter');
  });

  it('needs as many samples on both sides', () => {
    expect(() => combined('+', singular([1, 2]), singular([1]))).toThrow('different numbers of samples');
  });
});

describe('windows', () => {
  const now = { sec: 1000, nsec: 0 };
  it.each([
    [{}, undefined],
    [{ align: '1min', zone: 'UTC' }, undefined],
    [{ samples: '3' }, { kind: 'newest', count: 3 }],
    [{ samples: '-3' }, { kind: 'newest', count: Infinity }],
    [{ samples: '0' }, { kind: 'between', count: Infinity }],
    [
      { samples: '3', interval: '0' },
      { kind: 'newest', count: 3 },
    ],
    [
      { samples: '3', start: '5' },
      { kind: 'between', count: 3, from: { sec: 5, nsec: 0 } },
    ],
    [{ start: '-1min' }, { kind: 'between', from: { sec: 940, nsec: 0 } }],
    [{ start: '5min' }, { kind: 'between', from: { sec: 300, nsec: 0 } }],
    [{ range: '1min' }, { from: { sec: 940, nsec: 0 }, to: { sec: 1000, nsec: 999 } }],
    [
      { range: '1min', finish: '990' },
      { from: { sec: 940, nsec: 0 }, to: { sec: 990, nsec: 999 } },
    ],
    [{ interval: '2min' }, { kind: 'between', interval: { sec: 120 } }],
  ])('%j', (text, window) => {
    const parsed = parseWindow(text, now);
    if (window) expect(parsed).toMatchObject(window);
    else expect(parsed).toBeUndefined();
  });
});

describe('thinning', () => {
  it('takes the last sample before each goal, the first and the last', () => {
    const { samples } = singular([0, 1, 2, 3, 4, 5, 6]);
    const chosen = atOnce(thinOut(samples, { sec: 3 })).map(({ values }) => values[0]);
    expect(chosen).toEqual([0, 3, 6]);
  });
});

describe('texts', () => {
  it.each([
    [2.98, 'real', '2.980000e+00'],
    [Math.fround(0.1), 'real', '1.000000e-01'],
    [1 / 3, 'real', '3.333333333333333e-01'],
    [1e100, 'real', '1.000000e+100'],
    [0.25, 'rate', '0.250000'],
    [18, 'integer', '18'],
    [2n ** 64n - 1n, 'integer', '18446744073709551615'],
    [NaN, 'real', 'nan'],
    [-Infinity, 'real', '-inf'],
    ['grün', 'text', '"grün"'],
  ] as const)('%p as %s is %s', (value, form, text) => {
    expect(valueText(value, form)).toBe(text);
  });
});

describe('fnmatch', () => {
  it.each([
    ['a.b', 'a.b', true],
    ['a.b', 'axb', false],
    ['a*', 'a', true],
    ['a?', 'ab', true],
    ['a?', 'a', false],
    ['[!a]b', 'cb', true],
    ['[!a]b', 'ab', false],
    ['[a-c]*', 'bx', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['[', '[', true],
    ['', 'a', false],
    ['', '', true],
  ])('%j on %j is %s', (glob, text, expected) => {
    expect(fnmatch(glob)(text)).toBe(expected);
  });
});

describe('long work', () => {
  const stepsOf = (steps: Iterator<void>): number => {
    let count = 0;
    while (steps.next().done !== true) count++;
    return count;
  };
  const long = singular(
    Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 20_011),
    counter,
  );

  it.each(['abs(x)', 'rate(x)', 'topk_inst(x,20000)', 'nth_percentile_inst(x,50)', 'sum_sample(x)', 'log(x)'])(
    'is done in steps: %s',
    (text) => {
      expect(stepsOf(applyFunction(call(text), long))).toBeGreaterThan(20);
    },
  );

  it('is done in steps: arithmetic and thinning', () => {
    expect(stepsOf(combine('+', long, long))).toBeGreaterThan(20);
    expect(stepsOf(thinOut(long.samples, { sec: 2 }))).toBeGreaterThan(5);
  });

  it('drops what no further step needs', async () => {
    const plan = new EvaluationPlan();
    const place = plan.add(parseQuery(Array<string>(60).fill('x').join(' + ')).expression);
    expect(plan.operands).toHaveLength(1);
    const operand = singular([1, 2, 3]);
    const whole = bytesOfValues([operand]);
    const enough = new ValueMemory(4 * whole).share();
    const [results] = [await plan.evaluate(() => [operand], enough, undefined)];
    expect(results[place]!.flatMap(({ samples }) => samples.map(({ values }) => values[0]))).toEqual([60, 120, 180]);
    expect(results.filter((each) => each.length > 0)).toHaveLength(2);
    const little = new ValueMemory(3 * whole).share();
    await expect(plan.evaluate(() => [operand], little, undefined)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  it('stops when its client leaves', async () => {
    const plan = new EvaluationPlan();
    plan.add(parseQuery('abs(x)').expression);
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(plan.evaluate(() => [long], new ValueMemory(1e9).share(), signal)).rejects.toThrow('gone');
  });
});
