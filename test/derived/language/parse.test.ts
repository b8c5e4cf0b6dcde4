import fc from '../../support/properties.js';
import { lexExpression } from '../../../src/derived/language/lexer.js';
import { EXPRESSION_LIMITS, parseExpression, parseTokens } from '../../../src/derived/language/parse.js';
import { expression, tokenSoup, withoutPlaces } from '../support/expressions.js';
import { printExpression } from '../../../src/derived/language/print.js';
import { rows } from '../../support/rows.js';

/** How many trees a text has: 0 or 1 for every text if the grammar is sound. */
function treesOf(text: string): number {
  const { tokens, error } = lexExpression(text, EXPRESSION_LIMITS.tokens);
  return error ? 0 : parseTokens(tokens).trees.length;
}

describe('parseExpression', () => {
  it('gives every node its place in the text', () => {
    const text = ' a.b + (rate( c ))[x]';
    const parsed = parseExpression(text);
    expect(parsed).toMatchObject({
      ok: true,
      expression: {
        kind: 'binary',
        start: 1,
        end: 21,
        left: { kind: 'name', start: 1, end: 4 },
        right: { kind: 'select', start: 7, end: 21, operand: { kind: 'call', start: 8, end: 17 } },
      },
    });
  });

  it('leaves nothing behind from an expression that fails', () => {
    parseExpression('matchinst(/x/, mkconst(1, type=64');
    expect(parseExpression('a / b')).toMatchObject({ ok: true });
    expect(parseExpression('mkconst(1.5, units=byte)')).toMatchObject({ ok: true, expression: { metadata: {} } });
  });

  it('bounds length, tokens and nesting', () => {
    const reasonOf = (text: string): string | undefined => {
      const parsed = parseExpression(text);
      return parsed.ok ? undefined : parsed.fault.reason;
    };
    expect(reasonOf('a'.repeat(EXPRESSION_LIMITS.length + 1))).toMatch(/longer than 16384 characters/);
    expect(reasonOf('a'.repeat(EXPRESSION_LIMITS.length))).toBeUndefined();
    expect(reasonOf(Array(1_000).fill('a').join('+'))).toBeUndefined();
    expect(reasonOf(Array(1_001).fill('a').join('+'))).toMatch(/more than 2000 tokens/);
    const { nesting } = EXPRESSION_LIMITS;
    for (const [open, close] of rows(['(', ')'], ['-', ''], ['!', ''], ['rate(', ')'], ['a ? ', ' : b'])) {
      expect(reasonOf(open.repeat(nesting) + 'a' + close.repeat(nesting))).toBeUndefined();
      expect(reasonOf(open.repeat(nesting + 1) + 'a' + close.repeat(nesting + 1))).toMatch(/nested more than 100 deep/);
    }
    expect(reasonOf(Array(500).fill('-a').join('+'))).toBeUndefined();
  });

  it('bounds the patterns of one expression together', () => {
    const sum = (pattern: string): string => Array(5).fill(`matchinst(/${pattern}/, a)`).join(' + ');
    expect(parseExpression(sum('.{100}x{300}'))).toMatchObject({ ok: true });
    expect(parseExpression(sum('.{101}x{300}'))).toMatchObject({
      fault: { reason: "bad regular expression: 'Regular expression too big'" },
    });
  });

  it('never throws, and its verdict agrees with the number of parses', () => {
    fc.assert(
      fc.property(fc.oneof(tokenSoup, fc.string({ maxLength: 40 })), (text) => {
        const parsed = parseExpression(text);
        const parses = treesOf(text);
        expect(parses).toBeLessThanOrEqual(1);
        if (parsed.ok) expect(parses).toBe(1);
        else {
          expect(parsed.fault.offset).toBeGreaterThanOrEqual(-1);
          expect(parsed.fault.offset).toBeLessThan(Math.max(1, text.length));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('finds exactly one parse for every tree that can be written', () => {
    fc.assert(
      fc.property(expression, (tree) => {
        const text = printExpression(tree);
        expect({ text, parses: treesOf(text) }).toEqual({ text, parses: 1 });
      }),
      { numRuns: 300 },
    );
  });
});

describe('printExpression', () => {
  it.each([true, false])('writes text that parses to the same tree (parenthesise: %s)', (parenthesise) => {
    fc.assert(
      fc.property(expression, (tree) => {
        const text = printExpression(tree, { parenthesise });
        const parsed = parseExpression(text);
        if (!parsed.ok) throw new Error(`${text}: ${parsed.fault.reason ?? 'syntax error'} at ${parsed.fault.offset}`);
        expect({ text, tree: withoutPlaces(parsed.expression) }).toEqual({ text, tree: withoutPlaces(tree) });
      }),
      { numRuns: 500 },
    );
  });

  it('is stable: printing what was parsed from print changes nothing', () => {
    fc.assert(
      fc.property(expression, (tree) => {
        const text = printExpression(tree);
        const parsed = parseExpression(text);
        expect(parsed.ok && printExpression(parsed.expression)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });
});
