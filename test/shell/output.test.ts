import fc from '../support/properties.js';
import { coloursFor, printable } from '../../src/shell/output/terminal-text.js';
import { csvLine, jsonLine, UnixLines } from '../../src/shell/output/json-and-csv.js';
import { sampleTable } from '../../src/shell/output/sample-table.js';
import { renderTable, renderTree } from '../../src/shell/output/table.js';
import type { Terminal } from '../../src/shell/index.js';

const PLAIN = coloursFor('stdout', { environment: {}, stdout: { isTerminal: false } } as Terminal);

describe('csvLine', () => {
  it('quotes what needs quoting, and leaves nothing for nothing', () => {
    expect(csvLine(['a', 'b "c"', 'd,e', 'f\ng', 1, null, undefined, true])).toBe(
      'a,"b ""c""","d,e","f\ng",1,,,true\n',
    );
  });
});

describe('UnixLines', () => {
  it('changes the ends of lines and nothing else, wherever the text is cut', () => {
    const csv = 'a,b\r\n"x\r\ny",1\r\n"say ""hi""\r\n",\r2\r\n';
    for (let cut = 0; cut <= csv.length; cut++) {
      const lines = new UnixLines();
      const text = lines.convert(csv.slice(0, cut)) + lines.convert(csv.slice(cut)) + lines.end();
      expect(text).toBe('a,b\n"x\r\ny",1\n"say ""hi""\r\n",\r2\n');
    }
  });
});

describe('what is printed', () => {
  it('never obeys a control character, as text or as JSON', () => {
    const orders = fc.constantFrom('\u001b', '\u009b', '\u202e', '\u2066');
    const text = fc.array(fc.oneof(fc.string({ unit: 'binary' }), orders)).map((parts) => parts.join(''));
    // eslint-disable-next-line no-control-regex -- they must not come out
    const controls = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
    fc.assert(fc.property(text, (value) => !controls.test(printable(value))));
    fc.assert(
      fc.property(text, (value) => {
        const line = jsonLine({ value });
        return !controls.test(line.slice(0, -1)) && (JSON.parse(line) as { value: string }).value === value;
      }),
    );
  });

  it('shows where a control character was', () => {
    expect(printable('a\u001b[31mb\n\u009bc\u202ed')).toBe('a\\x1b[31mb\\n\\x9bc\\u202ed');
  });
});

describe('coloursFor', () => {
  it.each([
    [{}, true, undefined, true],
    [{}, false, undefined, false],
    [{ TERM: 'dumb' }, true, undefined, false],
    [{ NO_COLOR: '1' }, true, undefined, false],
    [{ NO_COLOR: '' }, true, undefined, true],
    [{ FORCE_COLOR: '1' }, false, undefined, true],
    [{ FORCE_COLOR: '0' }, true, undefined, false],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, undefined, false],
    [{ NO_COLOR: '1' }, false, true, true],
    [{ FORCE_COLOR: '1' }, true, false, false],
  ])('%j, a terminal: %p, flag %p: %p', (environment, isTerminal, flag, isColoured) => {
    const terminal = { environment, stdout: { isTerminal } } as unknown as Terminal;
    expect(coloursFor('stdout', terminal, flag).bold('x') !== 'x').toBe(isColoured);
  });
});

describe('renderTable', () => {
  it('aligns, and cuts the last column where the terminal ends', () => {
    const columns = [
      { title: 'name' },
      { title: 'value', align: 'right' },
      { title: 'help', isElastic: true },
    ] as const;
    const rows = [
      ['a', '1', 'short'],
      ['longer', '22', 'a text that does not fit on this line'],
    ];
    expect(renderTable(columns, rows, { colours: PLAIN, width: 40 })).toBe(
      'NAME    VALUE  HELP\n' + //
        'a           1  short\n' +
        'longer     22  a text that does not fit…\n',
    );
  });

  it('knows how wide characters are', () => {
    const columns = [{ title: 'name' }, { title: 'help', isElastic: true }];
    const rows = [
      ['性能', 'e\u0301'],
      ['ab', '性能指标网关性能指标网关'],
    ];
    expect(renderTable(columns, rows, { colours: PLAIN, width: 26 })).toBe(
      'NAME  HELP\n' + //
        '性能  e\u0301\n' +
        'ab    性能指标网关性能指…\n',
    );
  });

  it('marks what was found', () => {
    const colours = coloursFor('stdout', { environment: {}, stdout: { isTerminal: true } } as Terminal);
    const table = renderTable([{ title: 'name' }], [[{ text: 'disk.read', spans: [[5, 9]] }]], {
      colours,
      width: undefined,
    });
    expect(table).toContain(`disk.${colours.bold(colours.green('read'))}\n`);
  });
});

describe('sampleTable', () => {
  const sample = (sec: number, values: Readonly<Record<string, number>>, metric = 'm') => ({
    timestamp: `2026-11-20T19:00:0${sec}.123456789Z`,
    values: [
      {
        name: metric,
        pmid: '1.1.1',
        units: 'count',
        instances: Object.entries(values).map(([name, value], i) => ({ instance: i, name, value })),
      },
    ],
  });

  it('has a column for each instance, and titles again for new ones', () => {
    const table = sampleTable(PLAIN, 80);
    expect(table.add(sample(1, { a: 1, b: 2000 }))).toBe(
      'TIME                           m       m\n' +
        '                               a       b\n' +
        '                           count   count\n' +
        '2026-11-20 19:00:01.123Z       1   2,000\n',
    );
    expect(table.add(sample(2, { a: 3 }))).toBe('2026-11-20 19:00:02.123Z       3       -\n');
    expect(table.add(sample(3, { a: 1, b: 1, c: 1 }))).toMatch(/^TIME .*m {7}m {7}m\n/);
  });

  it('has a line for each value when columns would not fit', () => {
    const table = sampleTable(PLAIN, 39);
    expect(table.add(sample(1, { first: 1, second: 2 }))).toBe(
      'TIME                      METRIC  INSTANCE         VALUE  UNITS\n' +
        '2026-11-20 19:00:01.123Z  m       first                1  count\n' +
        '2026-11-20 19:00:01.123Z  m       second               2  count\n',
    );
  });

  it('has a row for each sample without values, also before there are columns', () => {
    const table = sampleTable(PLAIN, 80);
    expect(table.add(sample(1, {})) + table.add(sample(2, {}))).toBe('');
    expect(
      table
        .add(sample(3, { a: 1 }))
        .split('\n')
        .slice(-4),
    ).toEqual([
      '2026-11-20 19:00:01.123Z       -',
      '2026-11-20 19:00:02.123Z       -',
      '2026-11-20 19:00:03.123Z       1',
      '',
    ]);
  });

  it('has a line for a sample without values before others where columns would not fit', () => {
    const table = sampleTable(PLAIN, 39);
    table.add(sample(1, {}));
    expect(table.add(sample(2, { first: 1, second: 2 })).split('\n')[1]).toBe('2026-11-20 19:00:01.123Z  -');
  });

  it('aligns what is wide', () => {
    const table = sampleTable(PLAIN, 80);
    expect(table.add(sample(1, { 性能指标: 1, b: 2 }))).toBe(
      'TIME                             m       m\n' +
        '                          性能指标       b\n' +
        '                             count   count\n' +
        '2026-11-20 19:00:01.123Z         1       2\n',
    );
  });

  it('repeats its titles with every screen', () => {
    const table = sampleTable(PLAIN, 80, 6);
    const texts = [1, 2, 3, 4, 5].map((sec) => table.add(sample(sec, { a: sec })));
    expect(texts.map((text) => text.startsWith('TIME'))).toEqual([true, false, true, false, true]);
  });

  it('says nothing of a sample before anybody knows what there is', () => {
    const table = sampleTable(PLAIN, 80);
    expect(table.add(sample(1, {}))).toBe('');
  });
});

describe('renderTree', () => {
  it('draws lines from each node to those below it, and shows control characters', () => {
    const tree = {
      text: 'a',
      note: 'note',
      below: [
        { text: 'b\u001b[2J', below: [{ text: 'c' }, { text: 'd' }] },
        { text: 'e', below: [{ text: 'f' }] },
      ],
    };
    expect(renderTree([tree, { text: 'g' }], PLAIN)).toBe(
      'a  note\n├─ b\\x1b[2J\n│  ├─ c\n│  └─ d\n└─ e\n   └─ f\n\ng\n',
    );
  });
});
