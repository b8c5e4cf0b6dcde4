import { compilePattern } from '../../../src/derived/language/posix-pattern.js';

function matches(pattern: string, text: string): boolean | string {
  const compiled = compilePattern(pattern);
  return 'reason' in compiled ? compiled.reason : compiled.test(text);
}

describe('compilePattern', () => {
  it.each([
    ['', 'anything', true],
    ['b', 'abc', true],
    ['^b', 'abc', false],
    ['^(lo)|(vbir)', 'eth0', false],
    ['^(lo)|(vbir)', 'xvbir1', true],
    ['^bin-100$|^bin-900$', 'bin-900', true],
    ['bin.{4}', 'bin-300', true],
    ['bin.{5}', 'bin-300', false],
    ['.{1000}', 'x', false],
    ['(.{20}){49}|', 'x', true],
    ['a{,2}b', 'aab', true],
    ['a**', 'b', true],
    ['a+?b', 'b', true],
    ['a)', 'xa)', true],
    ['a||b', '', true],
    ['()', '', true],
    ['[[:digit:]]00', 'bin-300', true],
    ['[^[:alpha:]]', 'abc', false],
    ['[]]', ']', true],
    ['[^]]', ']', false],
    ['[a\\]', '\\', true],
    ['[a-]', '-', true],
    ['[[.a.]]', 'a', true],
    ['[[=a=]]', 'b', false],
    ['[.*]', 'x', false],
    ['\\.', 'a', false],
    ['\\n', 'n', true],
    ['\\d', 'd', true],
    ['\\w\\s', 'a ', true],
    ['\\<sda\\>', 'x sda y', true],
    ['\\<sda\\>', 'sda1', false],
    ['a.c', 'a\nc', true],
    ['a$', 'a\n', false],
    ['\u00e9', 'caf\u00e9', true],
    ['(a+)+$', `${'a'.repeat(5_000)}!`, false],
  ])('%j on %j: %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });

  it.each([
    ['*', 'Invalid preceding regular expression'],
    ['+a', 'Invalid preceding regular expression'],
    ['a|*b', 'Invalid preceding regular expression'],
    ['(?a)', 'Invalid preceding regular expression'],
    ['{1}', 'Invalid preceding regular expression'],
    ['^*', 'Invalid preceding regular expression'],
    ['a$*', 'Invalid preceding regular expression'],
    ['\\b+a', 'Invalid preceding regular expression'],
    ["a\\'?", 'Invalid preceding regular expression'],
    ['\\`{1}', 'Invalid preceding regular expression'],
    ['(', 'Unmatched ( or \\('],
    ['(a', 'Unmatched ( or \\('],
    ['[a', 'Unmatched [, [^, [:, [., or [='],
    ['[', 'Invalid regular expression'],
    ['[^', 'Invalid regular expression'],
    ['[]', 'Unmatched [, [^, [:, [., or [='],
    ['[[:alpha', 'Unmatched [, [^, [:, [., or [='],
    ['[[:nothing:]]', 'Invalid character class name'],
    ['[[.ab.]]', 'Invalid collation character'],
    ['[b-a]', 'Invalid range end'],
    ['a{2', 'Unmatched \\{'],
    ['a{x', 'Unmatched \\{'],
    ['a{1(b)', 'Unmatched \\{'],
    ['a{1,b', 'Unmatched \\{'],
    ['a{1b,', 'Invalid content of \\{\\}'],
    ['a{}', 'Invalid content of \\{\\}'],
    ['a{2,1}', 'Invalid content of \\{\\}'],
    ['a{x}', 'Invalid content of \\{\\}'],
    ['a\\', 'Trailing backslash'],
    ['(a)\\1', 'Invalid back reference'],
    ['a{40000}', 'Regular expression too big'],
    ['a{2000}', 'Regular expression too big'],
    ['(.?){1000}[ab]{1000}.', 'Regular expression too big'],
    ['((a|b){20}){40}', 'Regular expression too big'],
    ['(.{100}){0,21}', 'Regular expression too big'],
    ['(|||){900}', 'Regular expression too big'],
    ['(a{500}){4,}', 'Regular expression too big'],
    ['((a{1000}){1000}){1000}', 'Regular expression too big'],
    ['('.repeat(100) + ')'.repeat(100), 'Regular expression too big'],
    ['x'.repeat(1_001), 'Regular expression too big'],
    ['\\<-', 'Invalid regular expression'],
    ['\\<a*', 'Invalid regular expression'],
    ['\\<a{0}', 'Invalid regular expression'],
  ])('refuses %j: %s', (pattern, reason) => {
    expect(matches(pattern, '')).toBe(reason);
  });

  it('remembers what it compiled', () => {
    expect(compilePattern('abc')).toBe(compilePattern('abc'));
  });
});
