import { formatFileProblem, parseDefinitionFile } from '../../../src/derived/language/definition-file.js';
import type { DefinitionFileOptions } from '../../../src/derived/language/definition-file.js';

/** Items in short: `name = expression`, `name(attribute) = value`, `#option=value`, or the problem as printed. */
function read(text: string, options?: DefinitionFileOptions): string[] {
  return parseDefinitionFile(text, options).map((item) => {
    switch (item.kind) {
      case 'definition':
        return `${item.line} ${item.name} = ${item.expression}`;
      case 'attribute':
        return `${item.line} ${item.name}(${item.attribute}) = ${item.value}`;
      case 'control':
        return `${item.line} #${item.option}=${item.value}`;
      case 'problem':
        return formatFileProblem('f', item);
    }
  });
}

describe('parseDefinitionFile', () => {
  it('reads one definition a line, blanks trimmed, the first = splits', () => {
    expect(read('a.b = x\n\tc.d=1 \r\ne = f == g\n')).toEqual(['1 a.b = x', '2 c.d = 1', '3 e = f == g']);
  });

  it('counts a last line without newline', () => {
    expect(read('a = 1\nb = 2')).toEqual(['1 a = 1', '2 b = 2']);
    expect(read('')).toEqual([]);
  });

  it('ignores empty lines and comments in the first column', () => {
    expect(read('# a = 1\n\n#control\n#controls x=1\nb = 2\n')).toEqual(['5 b = 2']);
  });

  it('joins lines that a backslash continues, comments as well', () => {
    expect(read('a = x + \\\n  y\nb = 1\n')).toEqual(['1 a = x +   y', '3 b = 1']);
    expect(read('# comment \\\na = 1\nb = 2\n')).toEqual(['3 b = 2']);
    expect(read('a = matchinst(/a\\/b/, c)\n')).toEqual(['1 a = matchinst(/a\\/b/, c)']);
    expect(read('a = 1 \\')).toEqual(['1 a = 1 \\']);
  });

  it.each([
    ['   \n', "[f:1] Error: pmLoadDerivedConfig: missing ``='' after derived metric name\n   "],
    [' # x\n', "[f:1] Error: pmLoadDerivedConfig: missing ``='' after derived metric name\n # x"],
    [' = 1\n', '[f:1] Error: pmLoadDerivedConfig: derived metric name missing\n = 1'],
    ['9a = 1\n', '[f:1] Error: pmLoadDerivedConfig: illegal derived metric name (9a)'],
    ['a..b = 1\n', '[f:1] Error: pmLoadDerivedConfig: illegal derived metric name (a..b)'],
    ['a. = 1\n', '[f:1] Error: pmLoadDerivedConfig: illegal derived metric name (a.)'],
    ['a b = 1\n', '[f:1] Error: pmLoadDerivedConfig: illegal derived metric name (a b)'],
    ['\na.b =\n', '[f:2] Error: pmLoadDerivedConfig: expression missing\na.b ='],
    ['a(oneline = x\n', "[f:1] Error: pmLoadDerivedConfig: missing ')' after attribute\na(oneline = x"],
    ['a() = x\n', '[f:1] Error: pmLoadDerivedConfig: attribute name missing\na() = x'],
    ['(oneline) = x\n', '[f:1] Error: pmLoadDerivedConfig: derived metric name missing\n(oneline) = x'],
    ['a(oneline) =\n', '[f:1] Error: pmLoadDerivedConfig: attribute value missing\na(oneline) ='],
    ['a(helptext) = "x\ny', '[f:1] Error: pmLoadDerivedConfig: missing termination (") for value'],
    ['#control x\n', "[f:1] Error: missing '=' in derived metric control (x)"],
  ])('reports %j', (text, problem) => {
    expect(read(text)).toEqual([problem]);
  });

  it('reads help texts, quoted over several lines', () => {
    expect(read('a(oneline) = some words \n')).toEqual(['1 a(oneline) = some words']);
    expect(read("a(helptext) = '\\\nfirst\nit\\'s second'\nb = 1\n")).toEqual([
      "1 a(helptext) = first\nit's second",
      '4 b = 1',
    ]);
    expect(read('a(helptext) = "x" y\n')).toEqual([
      '[f:1] Warning: pmLoadDerivedConfig: extra text (y) after attribute value will be ignored',
      '1 a(helptext) = x',
    ]);
  });

  it('reads control lines', () => {
    expect(read('#control GLOBAL_LIMIT = 5, option_novalue=1\n')).toEqual(['1 #GLOBAL_LIMIT=5', '1 #option_novalue=1']);
  });

  it('takes ; and & for ends of lines in the form of pmproxy, but not && nor what is quoted', () => {
    const inline = { inline: true };
    expect(read('a = 1;b = x && y&#c;d = e[p;q]', inline)).toEqual(['1 a = 1', '2 b = x && y', '4 d = e[p;q]']);
    expect(read('a = rescale(b, "byte;")', inline)).toEqual(['1 a = rescale(b, "byte;")']);
    expect(read('a = 1;b = 2')).toEqual(['1 a = 1;b = 2']);
  });

  it.each([
    ['blanks within a line', (run: string) => `a = 1${run.replace(/./g, ' ')}+ 1\n`],
    ['lines of a quoted text', (run: string) => `a = 1\na(helptext) = "${run.replace(/./g, '\n')}"\n`],
    ['lines of a quoted text without end', (run: string) => `a = 1\na(helptext) = "${run.replace(/./g, '\n')}`],
    ['brackets that never close', (run: string) => `a = ${run.replace(/./g, '[')}`],
    ['brackets that close in another line', (run: string) => `a = ${run.replace(/./g, '[')}\n]`],
    ['quotes', (run: string) => `a = ${run.replace(/./g, '"')}`],
  ])('takes time in proportion to its text, for %s too', (_what, make) => {
    // In quadratic time this takes minutes.
    expect(parseDefinitionFile(make('x'.repeat(500_000)), { inline: true })).not.toEqual([]);
  });
});
