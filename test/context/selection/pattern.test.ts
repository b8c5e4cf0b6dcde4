import fc from '../../support/properties.js';
import { GatewayError } from '../../../src/pmapi/index.js';
import { type MatchKind, PATTERNS_MAX, compilePatterns } from '../../../src/context/selection/selection.js';

function compilePattern(pattern: string, kind: MatchKind, parameter: string): (text: string) => boolean {
  return compilePatterns([pattern], kind, parameter).matches;
}

describe('one pattern', () => {
  it.each([
    ['*', 'any\nthing', true],
    ['a*c', 'abc', true],
    ['a*c', 'abcd', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['sd[a-c]', 'sdb', true],
    ['sd[!a-c]', 'sdb', false],
    ['sd[^a-c]', 'sdd', true],
    ['[]x]', ']', true],
    ['[[:digit:]]*', '1 minute', true],
    ['a[b', 'a[b', true],
    ['a.c', 'abc', false],
    ['(a|b)+$', '(a|b)+$', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['a\\', 'a\\', true],
    ['[\\d]', 'd', true],
    ['', '', true],
  ])('glob %p on %p is %p', (pattern, text, expected) => {
    expect(compilePattern(pattern, 'glob', 'p')(text)).toBe(expected);
  });

  it.each([
    ['b', 'abc', true],
    ['^b', 'abc', false],
    ['^(a|ab)c$', 'abc', true],
    ['[[:alpha:]]+[0-9]{2}', 'eth10', true],
  ])('regex %p on %p is %p', (pattern, text, expected) => {
    expect(compilePattern(pattern, 'regex', 'p')(text)).toBe(expected);
  });

  it.each(['(', '[', 'a{2,1}', '*', '\\1'])('refuses the regex %p', (pattern) => {
    expect(() => compilePattern(pattern, 'regex', 'iname')).toThrow(
      expect.objectContaining({
        code: 'BAD_PATTERN',
        details: expect.objectContaining({ parameter: 'iname' }) as object,
      }) as Error,
    );
  });

  it('takes linear time for a hostile pattern', () => {
    const matches = compilePattern('^(a+)+$', 'regex', 'p');
    expect(matches(`${'a'.repeat(5000)}b`)).toBe(false);
  });

  it('compiles any glob, and any regex or a GatewayError', () => {
    const pattern = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('[', ']', '!', '^', '-', ':', '*', '?', '\\', 'a', '(') }),
    );
    fc.assert(
      fc.property(pattern, (text) => {
        try {
          compilePattern(text, 'glob', 'p')('abc');
          compilePattern(text, 'regex', 'p')('abc');
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
        }
      }),
    );
  });

  it('takes a text without special characters for itself as a glob', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const escaped = text.replace(/[\\*?[\]]/g, '\\$&');
        expect(compilePattern(escaped, 'glob', 'p')(text)).toBe(true);
      }),
    );
  });
});

describe('compilePatterns', () => {
  it('matches when one of them does', () => {
    expect(['a', 'b', 'c'].filter(compilePatterns(['a', 'c'], 'exact', 'p').matches)).toEqual(['a', 'c']);
    expect(['ax', 'bx', 'c'].filter(compilePatterns(['a*', 'c*'], 'glob', 'p').matches)).toEqual(['ax', 'c']);
    expect(compilePatterns([], 'glob', 'p').matches('a')).toBe(false);
  });

  it('has a limit', () => {
    const many = Array<string>(PATTERNS_MAX + 1).fill('a');
    expect(() => compilePatterns(many, 'regex', 'p')).toThrow(
      expect.objectContaining({ code: 'LIMIT_EXCEEDED' }) as Error,
    );
    expect(compilePatterns(many, 'exact', 'p').matches('a')).toBe(true);
  });

  it.each([
    ['glob', ['a'.repeat(257)], 'BAD_PATTERN'],
    ['glob', Array<string>(20).fill('*a'.repeat(128)), 'LIMIT_EXCEEDED'],
    ['regex', ['((a{30}){30}){30}'], 'BAD_PATTERN'],
    ['regex', Array<string>(5).fill('(abcdefghij){90}'), 'LIMIT_EXCEEDED'],
  ] as const)('refuses %s patterns that cost too much: %p', (kind, patterns, code) => {
    expect(() => compilePatterns(patterns, kind, 'p')).toThrow(expect.objectContaining({ code }) as Error);
  });
});
