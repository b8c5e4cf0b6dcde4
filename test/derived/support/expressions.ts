import fc from '../../support/properties.js';
import { mergeTags, readUnits } from '../../../src/derived/language/tag-values.js';
import type {
  AnyExpression,
  BinaryOperator,
  Expression,
  NovalueExpression,
  TagExpression,
} from '../../../src/derived/language/ast.js';
import { isKeyword } from '../../../src/derived/language/tokens.js';

const PLACE = { start: 0, end: 0 };
const OPERATORS: readonly BinaryOperator[] = ['+', '-', '*', '/', '<', '<=', '==', '>=', '>', '!=', '&&', '||'];

const metricName = fc
  .array(fc.stringMatching(/^[a-z][a-zA-Z0-9_]{0,5}$/), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('.'))
  .filter((name) => !isKeyword(name));
const name = metricName.map((text) => ({ ...PLACE, kind: 'name' as const, name: text }));
const integer = fc
  .integer({ min: 0, max: 4_294_967_295 })
  .map((value) => ({ ...PLACE, kind: 'integer' as const, value }));
const double = fc
  .stringMatching(/^(?:\d{1,4}\.\d{0,4}|\.\d{1,4})$/)
  .map((text) => ({ ...PLACE, kind: 'double' as const, text, value: Number(text) }));

const tag: fc.Arbitrary<TagExpression> = fc.oneof(
  fc.constantFrom('32', 'U32', 'double').map((value) => ({ ...PLACE, tag: 'type' as const, value })),
  fc.constantFrom('COUNTER', 'instant').map((value) => ({ ...PLACE, tag: 'semantics' as const, value })),
  fc
    .constantFrom('byte', 'Kbyte / sec', '', 'count x 10^3')
    .map((value) => ({ ...PLACE, tag: 'units' as const, value })),
  fc.constantFrom('60.10', 'null').map((value) => ({ ...PLACE, tag: 'indom' as const, value })),
  metricName.map((value) => ({ ...PLACE, tag: 'meta' as const, value })),
);
const mkconst = fc
  .tuple(integer, fc.array(tag, { minLength: 1, maxLength: 3 }))
  .map(([number, tags]): Expression => ({ ...PLACE, kind: 'mkconst', number, tags, metadata: mergeTags(tags) }));
const novalue = fc
  .array(tag, { maxLength: 2 })
  .map((tags): NovalueExpression => ({ ...PLACE, kind: 'novalue', tags, metadata: mergeTags(tags) }));

const instanceText = fc.string({ minLength: 0, maxLength: 6 });
const patternText = fc.constantFrom('a', '^sd[a-z]$', 'x|y/z', 'a\\.b', '', '[]\\]');
const unitsText = fc.constantFrom('byte', 'Kbyte / sec', '');

/** Trees of every construct of the language; places are all 0. */
export const expression: fc.Arbitrary<Expression> = fc.letrec<{ expr: Expression }>((tie) => ({
  expr: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    name,
    integer,
    double,
    mkconst,
    fc.record({ ...fixed('unary'), operator: fc.constantFrom('-' as const, '!' as const), operand: tie('expr') }),
    fc.record({ ...fixed('binary'), operator: fc.constantFrom(...OPERATORS), left: tie('expr'), right: tie('expr') }),
    fc.record({ ...fixed('ternary'), guard: tie('expr'), whenTrue: tie('expr'), whenFalse: tie('expr') }),
    fc.record({ ...fixed('ternary'), guard: tie('expr'), whenTrue: novalue, whenFalse: tie('expr') }),
    fc.record({ ...fixed('ternary'), guard: tie('expr'), whenTrue: tie('expr'), whenFalse: novalue }),
    fc.record({ ...fixed('select'), operand: tie('expr'), instance: instanceText }),
    fc.record({
      ...fixed('name-call'),
      function: fc.constantFrom('avg', 'count', 'max', 'min', 'sum', 'defined'),
      operand: name,
    }),
    fc.record({
      ...fixed('call'),
      function: fc.constantFrom('delta', 'rate', 'instant', 'scalar'),
      operand: tie('expr'),
    }),
    fc.tuple(tie('expr'), unitsText).map(([operand, text]): Expression => {
      const read = readUnits(text);
      if ('reason' in read) throw new Error(read.reason);
      return { ...PLACE, kind: 'rescale', operand, unitsText: text, units: read.units };
    }),
    fc.record({
      ...fixed('matchinst'),
      negated: fc.boolean(),
      pattern: patternText,
      patternRange: fc.constant(PLACE),
      // Within matchinst() a slash begins a pattern: no division there.
      operand: tie('expr').filter((operand) => !hasDivision(operand)),
    }),
  ),
})).expr;

function fixed<K extends string>(kind: K): { kind: fc.Arbitrary<K>; start: fc.Arbitrary<0>; end: fc.Arbitrary<0> } {
  return { kind: fc.constant(kind), start: fc.constant(0), end: fc.constant(0) };
}

function hasDivision(node: unknown): boolean {
  return /"operator":"\/"/.test(JSON.stringify(node));
}

/** The same tree with all places 0, to compare trees of different texts. */
export function withoutPlaces(node: AnyExpression): unknown {
  return JSON.parse(
    JSON.stringify(node, (key, value: unknown) => (key === 'start' || key === 'end' ? 0 : value)),
  ) as unknown;
}

/** Texts of tokens in no particular order: most are no expressions. */
export const tokenSoup: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom(
      ...['a', 'b.c', '1', '2.5', '+', '-', '*', '/', '<', '==', '&&', '||', '!', '?', ':', '(', ')', ',', '=', '[x]'],
      ...[
        'avg(',
        'rate(',
        'defined(',
        'rescale(',
        'matchinst(',
        '/re/',
        'mkconst(',
        'novalue(',
        '"byte"',
        'type',
        'U32',
      ],
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(' '));
