import { bindExpression, operandNames, parseExpression } from '../../../src/derived/index.js';
import type { BindResult, BindingEnvironment, BoundExpression } from '../../../src/derived/index.js';
import { PM_ERR } from '../../../src/pmapi/index.js';
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
});
