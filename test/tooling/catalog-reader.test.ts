import { readCatalog } from '../../config/tooling/catalog-reader.js';
import type { CatalogRows } from '../../src/sources/linux/catalog/catalog.js';

const LOAD = 'kernel.all.load  60.2.0  float  60.2  instant  none';
const LOAD_INDOM = '60.2  fixed  {"device_type":["a","b"],"indom_name":"per span"}';
const LOAD_HELP = '@ kernel.all.load Load average\nThe mean\nof tasks.\n\nFrom /proc.';
const INDOM_HELP = '@ 60.2 Spans of time';

function read(metrics: readonly string[], help: readonly string[]): CatalogRows {
  return readCatalog({ file: 'metrics.txt', text: metrics.join('\n') }, { file: 'help.txt', text: help.join('\n') });
}

/** What is wrong with lines that come after the line of kernel.all.load, the third. */
function problemsOf(lines: readonly string[], help: readonly string[] = []): string {
  try {
    read(['# a comment', LOAD_INDOM, LOAD, ...lines], [INDOM_HELP, LOAD_HELP, ...help]);
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
}

function line(columns: Partial<Record<'name' | 'pmid' | 'type' | 'indom' | 'semantics' | 'units' | 'labels', string>>) {
  const { name = 'a.b', pmid = '60.1.1', type = 'u64', indom = '-', semantics = 'counter', units = 'count' } = columns;
  return [name, pmid, type, indom, semantics, units, columns.labels ?? ''].join('   ');
}

const HELP = '@ a.b Things';

describe('readCatalog', () => {
  it.each([
    [line({ name: 'a..b' }), 'invalid metric name a..b'],
    [line({ pmid: '60.1' }), 'invalid PMID 60.1: expected DOMAIN.CLUSTER.ITEM'],
    [line({ pmid: '60.1.1024' }), 'invalid PMID 60.1.1024: expected DOMAIN.CLUSTER.ITEM'],
    [line({ pmid: '060.1.1' }), 'invalid PMID 060.1.1: expected DOMAIN.CLUSTER.ITEM'],
    [line({ type: 'u16' }), 'unknown type u16 (known: i32, u32, i64, u64, float, double, string)'],
    [line({ type: 'toString' }), 'unknown type toString (known: i32, u32, i64, u64, float, double, string)'],
    [line({ semantics: 'gauge' }), 'unknown semantics gauge (known: counter, instant, discrete)'],
    [line({ units: 'parsec' }), 'unknown units parsec: expected units as pmUnitsStr(3) prints them, or none'],
    [line({ units: 'byte/sec' }), 'unknown units byte/sec: expected units as pmUnitsStr(3) prints them, or none'],
    [line({ indom: '60.9' }), 'unknown instance domain 60.9: expected - or one of a line above'],
    [line({ labels: '{"a":1}' }), 'invalid labels {"a":1}: expected a JSON object of strings and lists of strings'],
    [line({ labels: '{"a"}' }), 'invalid labels {"a"}: expected a JSON object of strings and lists of strings'],
    [line({ labels: '["a"]' }), 'invalid labels ["a"]: expected a JSON object of strings and lists of strings'],
    [line({ labels: 'null' }), 'invalid labels null: expected a JSON object of strings and lists of strings'],
    [
      'a.b 60.1.1  u64  -  counter  count',
      'expected NAME  PMID  TYPE  INDOM  SEMANTICS  UNITS  [READING]  [LABELS], two or more blanks apart, found 5 column(s)',
    ],
    [
      line({ labels: 'proc/stat:intr  {}  {}' }),
      'expected NAME  PMID  TYPE  INDOM  SEMANTICS  UNITS  [READING]  [LABELS], two or more blanks apart, found 9 column(s)',
    ],
    ...['{}', 'proc/stat', 'proc/stat:', 'proc/stat:a+', 'proc/stat:a*x/0.5', 'proc/stat:a%b'].map(
      (reading): [string, string] => [
        line({ labels: `${reading}  {}` }),
        `invalid reading ${reading}: expected FILE:COLUMN, or two columns joined by +, -, * or |; then *NUMBER or *PAGE, /NUMBER or /HZ`,
      ],
    ),
    ['1a  fixed', 'invalid instance domain 1a: expected DOMAIN.SERIAL'],
    ['60.3', 'expected NUMBER  KIND-OF-INSTANCE-NUMBERS  [LABELS], two or more blanks apart, found 1 column(s)'],
    ['60.3  random', 'unknown instance numbers random (known: fixed, cached, cached-saved)'],
    ['60.2  fixed', 'duplicate 60.2, first on line 2'],
    [line({ name: 'kernel.all.load' }), 'duplicate kernel.all.load, first on line 3'],
    [line({ pmid: '60.2.0' }), 'duplicate PMID 60.2.0, also of kernel.all.load on line 3'],
    [line({ name: 'kernel.all.load.one' }), 'kernel.all.load.one is below the metric kernel.all.load on line 3'],
    [line({ name: 'kernel.all' }), 'kernel.all is above the metric kernel.all.load on line 3'],
  ])('reports what is wrong with %j', (wrong, problem) => {
    expect(problemsOf([wrong], [HELP]).split('\n')).toContain(`metrics.txt:4: ${problem}`);
  });

  it.each([
    [[], 'metrics.txt:4: a.b has no help: expected "@ a.b ONE-LINE-TEXT"'],
    [[HELP, '@ a.c Other'], 'help.txt:8: unknown name a.c: it has no line in metrics.txt'],
    [[HELP, '@ 60.9 Other'], 'help.txt:8: unknown name 60.9: it has no line in metrics.txt'],
    [[HELP, HELP], 'help.txt:8: duplicate help for a.b, first on line 7'],
    [['@ a.b'], 'help.txt:7: expected "@ NAME ONE-LINE-TEXT"'],
    [['@a.b Things'], 'help.txt:7: expected "@ NAME ONE-LINE-TEXT"'],
  ])('reports what is wrong with the help %j', (help, problem) => {
    expect(problemsOf([line({})], help).split('\n')).toContain(problem);
  });

  it('reports text before the first entry', () => {
    expect(() => read([], ['# comment', '', 'text'])).toThrow(/^help.txt:3: expected "@ NAME ONE-LINE-TEXT"$/);
  });

  it('reports an instance domain without help', () => {
    expect(() => read(['60.3  fixed'], [])).toThrow(
      /^metrics.txt:1: 60.3 has no help: expected "@ 60.3 ONE-LINE-TEXT"$/,
    );
  });

  it('reports all problems at once', () => {
    const problems = problemsOf(
      [line({ type: 'u16' }), line({ name: 'c', units: 'x' })],
      [HELP, '@ c Things', '@ d D'],
    );
    expect(problems.split('\n').map((problem) => problem.split(' ', 1)[0])).toEqual([
      'metrics.txt:4:',
      'metrics.txt:5:',
      'help.txt:9:',
    ]);
  });
});
