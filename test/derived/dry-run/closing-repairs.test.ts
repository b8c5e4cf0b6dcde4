import { repairClosing, repairSyntax } from '../../../src/derived/dry-run/repairs.js';
import { parseExpression } from '../../../src/derived/index.js';

function repair(text: string): readonly [words: string, expression: string | undefined] | undefined {
  const parsed = parseExpression(text);
  if (parsed.ok) throw new Error(`${text} needs no repair`);
  const repaired = repairSyntax(text, parsed.fault);
  return repaired && [repaired.text, repaired.expression];
}

describe('repairs of what was left open', () => {
  it.each([
    ['rate(disk.dev.read', 'close the parenthesis', 'rate(disk.dev.read)'],
    ['sum(a', 'close the parenthesis', 'sum(a)'],
    ['100 * (a + (b - c', 'close the 2 parentheses', '100 * (a + (b - c))'],
    ['a + b)', 'there is one ) too many', 'a + b'],
    ['mkconst(1, units="byte)', 'close the quotes', 'mkconst(1, units="byte")'],
    ['rescale(a, "byte', 'close the quotes', 'rescale(a, "byte")'],
    ['rescale(a, "byte) + 1', 'close the quotes', 'rescale(a, "byte") + 1'],
    ["rescale(a, 'byte')", 'strings need double quotes', 'rescale(a, "byte")'],
    ['rescale(a, “byte”)', 'strings need double quotes', 'rescale(a, "byte")'],
    ['mkconst(1, units=Kbyte/sec)', 'units need quotes', 'mkconst(1, units="Kbyte/sec")'],
    ['rescale(a, Kbyte)', 'units need quotes', 'rescale(a, "Kbyte")'],
    ['a[x', 'close the bracket', 'a[x]'],
    ['sum(a) + (b[x', 'close the bracket', 'sum(a) + (b[x])'],
  ])('%s', (text, words, expression) => {
    expect(repair(text)).toEqual([words, expression]);
    expect(parseExpression(expression).ok).toBe(true);
  });

  it.each(['a ==', '(a +', 'matchinst(/x, a)', '))))', '((((', '"', '[', ''])('are not made up: %j', (text) => {
    expect(repair(text)?.[1]).toBeUndefined();
  });

  it.each([
    ['quotes that could end anywhere', `"${',)'.repeat(40)}`],
    ['brackets that could', `a[${',)'.repeat(40)}`],
    ['units upon units', 'rescale(a, b '.repeat(30)],
    ['quotes in a long text', `"${',a'.repeat(900)}`],
  ])('try no more than a few texts: %s', (_, text) => {
    const parsed = parseExpression(text);
    if (parsed.ok) throw new Error('it needs no repair');
    let [tried, characters] = [0, 0];
    repairClosing(text, parsed.fault, (changed) => {
      tried++;
      characters += changed.length;
      return false;
    });
    expect(tried).toBeGreaterThan(0);
    expect(tried).toBeLessThan(25);
    expect(characters).toBeLessThan(6_000);
  });

  it.each([
    ['nested too deep', `${'('.repeat(101)}a`],
    ['of too many tokens', `scalar(a${'+a'.repeat(1000)}`],
    ['too long', `avg (${'a'.repeat(20_000)})`],
  ])('are not looked for in a text that is %s', (_, text) => {
    expect(repair(text)).toBeUndefined();
  });

  it.each([
    ['rescale(a[x,y], Kbyte / sec)', 'rescale(a[x,y], "Kbyte / sec")'],
    ['rescale(b + rescale(a, byte), "Kbyte")', 'rescale(b + rescale(a, "byte"), "Kbyte")'],
    ['matchinst(/(a/, b', undefined],
    ['matchinst(/[(]/, b', 'matchinst(/[(]/, b)'],
    ['a[)] + sum(b', 'a[)] + sum(b)'],
    ['a[)] + sum(b))', 'a[)] + sum(b)'],
  ])('read texts, instances and patterns as the language does: %s', (text, expression) => {
    expect(repair(text)?.[1]).toEqual(expression);
  });
});
