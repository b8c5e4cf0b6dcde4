import { lexExpression } from '../../../src/derived/language/lexer.js';

const types = (text: string): string =>
  lexExpression(text, 100)
    .tokens.map(({ type }) => type)
    .join(' ');

describe('lexExpression', () => {
  it.each([
    ['a.b_1 <= 2', 'NAME LEQ INTEGER'],
    ['1.2.3', 'DOUBLE DOUBLE'],
    ['1a', 'INTEGER NAME'],
    ['avg(x)', 'AVG LPAREN NAME RPAREN'],
    ['avg (x)', 'NAME LPAREN NAME RPAREN'],
    ['averages(x)', 'NAME LPAREN NAME RPAREN'],
    ['type Type a.type', 'TYPE NAME NAME'],
    ['"a\\"', 'STRING'],
    ['a[b\\]c]', 'NAME INSTNAME'],
    ['a/b/c', 'NAME SLASH NAME SLASH NAME'],
    ['matchinst(/b/, c)/d', 'MATCHINST LPAREN PATTERN COMMA NAME RPAREN SLASH NAME'],
    ['matchinst(/b/, (c)) / d', 'MATCHINST LPAREN PATTERN COMMA LPAREN NAME RPAREN RPAREN SLASH NAME'],
    ['!=!', 'NEQ NOT'],
    ['a\t\n\v\f\r b', 'NAME NAME'],
  ])('splits %j', (text, expected) => {
    expect(types(text)).toBe(expected);
  });

  it('resolves escapes of instances and patterns, and none in strings', () => {
    const values = (text: string): string[] => lexExpression(text, 100).tokens.map(({ value }) => value);
    expect(values('[a\\]\\\\b\\c]')).toEqual(['a]\\bc']);
    expect(values('matchinst(/a\\/b\\\\./')).toContain('a/b\\.');
    expect(values('"a\\b"')).toEqual(['a\\b']);
  });

  it.each([
    ['a & b', 'Illegal character', 2, 3],
    ['a \u00e9', 'Illegal character', 2, 3],
    ['a \u{1f600}', 'Illegal character', 2, 4],
    ['4294967296', 'Constant value too large', 0, 10],
    ['1 "ab', 'unterminated STRING', 2, 5],
    ['a[b\\]', 'unterminated instance name', 1, 5],
    ['matchinst(/a', 'unterminated pattern', 10, 12],
  ])('stops in %j', (text, reason, start, end) => {
    expect(lexExpression(text, 100).error).toEqual({ reason, start, end });
  });

  it('reads no more tokens than it is told', () => {
    expect(lexExpression('a a a', 2)).toMatchObject({ tokens: [{}, {}], error: { start: 4 } });
  });

  it.each(['(a)', 'rate(a)', 'sum(a) ', 'a +', 'a <'])('gives tokens that cover their text and no more: %p', (text) => {
    const { tokens } = lexExpression(text, 100);
    expect(tokens.length).toBeGreaterThan(1);
    for (const token of tokens) {
      expect([token.text, token.end - token.start]).toEqual([text.slice(token.start, token.end), token.text.length]);
      expect(token.end).toBeLessThanOrEqual(text.length);
    }
  });
});
