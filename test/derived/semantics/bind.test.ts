import { bindExpression, operandNames, parseExpression } from '../../../src/derived/index.js';
import type { AnyExpression, BindResult, BindingEnvironment, BoundExpression } from '../../../src/derived/index.js';
import { MetricType, PM_ERR } from '../../../src/pmapi/index.js';
import { Given } from '../support/given.js';

const given = new Given([
  {
    word: 'metrics',
    rest: '',
    lines: [
      'a 32 instant - ""',
      'b U64 instant 60.1 "byte"',
      'k U64 instant 60.1 "Kbyte"',
      'c U32 counter - "millisec"',
    ],
  },
]);

function bind(text: string, environment: BindingEnvironment = given, allErrors = false): BindResult {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(`${text} does not parse`);
  return bindExpression(parsed.expression, environment, { allErrors });
}

function bound(text: string, environment?: BindingEnvironment): BoundExpression {
  const result = bind(text, environment);
  if (!result.ok) throw new Error(`${text}: ${result.errors[0].reason}`);
  return result.bound;
}

describe('operandNames', () => {
  it('lists every name that binding asks for, once, apart from types of anon()', () => {
    const parsed = parseExpression(
      'a + avg(b) + a + (defined(x) ? y : novalue(meta=m)) + mkconst(1, meta=n) + anon(PM_TYPE_32)',
    );
    expect(parsed.ok && operandNames(parsed.expression)).toEqual({ metrics: ['a', 'b', 'x', 'y'], like: ['m', 'n'] });
  });
});

describe('bindExpression', () => {
  it('fetches each metric once, in order of first use, whatever its names', () => {
    const alias: BindingEnvironment = {
      operand: (name) => given.operand(name === 'also.a' ? 'a' : name),
      isDerived: () => false,
    };
    expect(bound('b * a * also.a * b', alias).operands.map(({ name }) => name)).toEqual(['b', 'a']);
  });

  it('numbers the state of its nodes', () => {
    const { root, slots } = bound('delta(b) * rate(b[x]) * matchinst(/x/, b)');
    expect(slots).toBe(4);
    expect(
      JSON.stringify(root)
        .match(/"slot":\d/g)
        ?.sort(),
    ).toEqual([0, 1, 2, 3].map((slot) => `"slot":${slot}`));
  });

  it('says how operands come to one scale', () => {
    expect(bound('b + k').root).toMatchObject({
      kind: 'arithmetic',
      computeType: MetricType.DOUBLE,
      leftScale: { divide: 1024, multiply: 1 },
    });
    expect(bound('b + k').root).not.toHaveProperty('rightScale');
    expect(bound('k / b').root).toMatchObject({ rightScale: { divide: 1024, multiply: 1 } });
    const inverse = bound('1 / k - 1 / b').root;
    expect(inverse).toMatchObject({ rightScale: { divide: 1, multiply: 1024 } });
  });

  it('computes comparisons in the promoted type', () => {
    expect(bound('a < 1').root).toMatchObject({ kind: 'relational', computeType: MetricType.U32 });
    expect(bound('a && 1.5').root).toMatchObject({ kind: 'boolean', computeType: MetricType.DOUBLE });
  });

  it('tells rate() what it needs', () => {
    expect(bound('rate(c)').root).toMatchObject({ kind: 'rate', counter: true, timeFactor: 1e-3 });
    expect(bound('rate(instant(b))').root).toMatchObject({ counter: false, timeFactor: 1 });
  });

  it.each([
    ['mkconst(4294967295, type=32)', -1],
    ['mkconst(4294967295, type=U32)', 4_294_967_295],
    ['mkconst(4294967295, type=64)', 4_294_967_295n],
    ['mkconst(7, type=U64)', 7n],
    ['mkconst(16777217, type=FLOAT)', 16_777_216],
    ['mkconst(0.1, type=FLOAT)', Math.fround(0.1)],
    ['mkconst(3, type=DOUBLE)', 3],
    ['.', 0],
    ['defined(a)', 1],
    ['defined(x)', 0],
  ])('gives %s its value', (text, value) => {
    expect(bound(text).root).toMatchObject({ kind: 'constant', value });
  });

  it('leaves nothing of an arm that a static guard drops', () => {
    const { root, operands, slots } = bound('defined(x) ? rate(x) : a');
    expect({ kind: root.kind, operands: operands.length, slots }).toEqual({ kind: 'operand', operands: 1, slots: 0 });
  });

  it('distinguishes an unknown metric from one without metadata', () => {
    const lost: BindingEnvironment = { operand: () => ({ error: PM_ERR.PMID }), isDerived: () => false };
    const reasonOf = (result: BindResult): string => (result.ok ? 'binds' : result.errors[0].reason);
    expect(reasonOf(bind('a + 1', lost))).toBe('Metadata for operand metric not available');
    expect(reasonOf(bind('c ? a : 1', lost))).toBe('Metadata for operand metric not available');
    expect(bound('defined(a)', lost).root).toMatchObject({ value: 1 });
  });

  it('binds unknown metrics as novalue() when told to', () => {
    const lenient: BindingEnvironment = {
      operand: (name) => given.operand(name),
      isDerived: () => false,
      unknownIsNovalue: true,
    };
    expect(bound('no.such', lenient).root).toMatchObject({ kind: 'novalue', meta: { type: MetricType.I32 } });
    expect(bound('sum(no.such) + a', lenient).root).toMatchObject({
      kind: 'arithmetic',
      meta: { type: MetricType.I32 },
    });
  });

  it('stops at the first error, or finds them all', () => {
    const text = 'x + (c * c) + -(y)';
    const count = (allErrors: boolean): number => {
      const result = bind(text, given, allErrors);
      return result.ok ? 0 : result.errors.length;
    };
    expect([count(false), count(true)]).toEqual([1, 3]);
  });

  it('tells the metadata of every node it binds', () => {
    const parsed = parseExpression('0 ? x : a + 1');
    const nodes: AnyExpression['kind'][] = [];
    if (parsed.ok) bindExpression(parsed.expression, given, { onNode: (node) => nodes.push(node.kind) });
    expect(nodes).toEqual(['integer', 'name', 'integer', 'binary', 'ternary']);
  });
});
