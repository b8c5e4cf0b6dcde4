import { GatewayError } from '../../../../src/pmapi/index.js';
import { parseQuery, printQuery, QUERY_LIMITS } from '../../../../src/features/series/language/index.js';

const messageOf = (text: string): string => {
  try {
    parseQuery(text);
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'SYNTAX_ERROR') return error.message;
    throw error;
  }
  throw new Error(`no error: ${text}`);
};

describe('queries over series', () => {
  it.each([
    ['kernel.all.load', 'kernel.all.load'],
    ['load = kernel.all.load', 'kernel.all.load'],
    ['a.b{hostname == "x", n != 3 || c:y*}', 'a.b{hostname=="x",n!=3||c~~"y*"}'],
    ['a{a=="1"||b=="2",c=="3"}', 'a{a=="1"||b=="2"&&c=="3"}'],
    ['a{inst.foo=~"x"}', 'a{instance.name=~"x"}'],
    ['a{s.name=="x",m.y=="z",l.b=="1"}', 'a{context.name=="x"&&metric.name=="z"&&b=="1"}'],
    ['a{latitude < -37.5}', 'a{latitude<-37.5}'],
    ['{label.units:"x"}', '{label.units~~"x"}'],
    ['rate(a.b)', 'rate(a.b)'],
    ['topk_inst( a , 3 )', 'topk_inst(a, 3)'],
    ['log(a, 2.5)', 'log(a,2.5)'],
    ['rescale(a, "Mbyte")', 'rescale(a,"Mbyte")'],
    ['2*3*a * 4', '4*2*3*a'],
    ['a + b * c - -1*d', 'a+b * c--1*d'],
  ])('%s in canonical form is %s', (text, canonical) => {
    const { expression } = parseQuery(text);
    expect(printQuery(expression)).toBe(canonical);
    expect(parseQuery(canonical).expression).toEqual(expression);
  });

  it('multiplies and divides before it adds and subtracts', () => {
    expect(parseQuery('a + b*2').expression).toMatchObject({ kind: 'arithmetic', operator: '+' });
    expect(parseQuery('a * b + c').expression).toMatchObject({ operator: '+', left: { operator: '*' } });
  });

  it('takes * without blanks as part of a name', () => {
    expect(parseQuery('a.b*3').expression).toEqual({ kind: 'operand', name: 'a.b*3' });
  });

  it.each([
    ['a[samples:3]', { samples: '3' }],
    ['a[count:3, delta:"2min"]', { samples: '3', interval: '2min' }],
    ['a[begin:1.5,end:"now"]', { start: '1.5', finish: 'now' }],
    ['a[2hour,tz:"UTC"]', { range: '2hour', zone: 'UTC' }],
    ['a[samples:1] + b[samples:1,align:"1min",from:2]', { samples: '1', align: '1min', offset: '2' }],
    ['{x=="y"}[samples:2]', { samples: '2' }],
  ])('%s has one window for all operands', (text, window) => {
    expect(parseQuery(text).window).toEqual(window);
  });

  it('has no window without brackets', () => {
    expect(parseQuery('a+b').window).toBeUndefined();
  });

  it.each([
    '',
    ' ',
    'a=',
    '*.bin',
    '"a"',
    'a{}',
    'a{b}',
    'a{(b=="x")}',
    'a{b=100}',
    'a{"b"=="c"}',
    'a{interval=="x"}',
    'a{b<"c"}',
    'a{b=~3}',
    'a[]',
    'a[5]',
    'a[samples:-1]',
    'a[samples:2.5]',
    'a[interval:2min]',
    'a[timezone:5]',
    'a[type:5]',
    'a[samples:1,samples:2]',
    'a[samples:1]+b',
    'a[samples:1]+1',
    'a/2',
    '(a)',
    '-a',
    'a b',
    'a @',
    'a{b=="c}',
    'ceil(a)',
    'rate (a)',
    'rate(*.load)',
    'topk_inst(a,2.5)',
    'topk_inst(a,4294967296)',
    'nth_percentile_sample(a,101)',
    'rescale(a,"nonsense")',
    'a{b=~"["}',
    'max({b=="c"})',
    '[samples:1]',
    'samples',
  ])('%j is refused', (text) => {
    expect(messageOf(text)).toMatch(/^cannot parse given string\n\n/);
  });

  it('shows where it cannot be read', () => {
    expect(messageOf('a.b{c=}')).toBe('cannot parse given string\n\na.b{c=}\n     ^ -- syntax error');
  });

  it('bounds length, words and nesting', () => {
    expect(messageOf('a'.repeat(QUERY_LIMITS.length + 1))).toContain('longer than');
    expect(messageOf('a+'.repeat(QUERY_LIMITS.words))).toContain('more than 1000 words');
    expect(messageOf(`${'abs('.repeat(33)}a${')'.repeat(33)}`)).toContain('nested more than 32 deep');
    expect(parseQuery(`${'abs('.repeat(32)}a${')'.repeat(32)}`).expression.kind).toBe('call');
  });
});
