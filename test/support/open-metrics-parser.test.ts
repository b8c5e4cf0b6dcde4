import { parseOpenMetrics } from './open-metrics-parser.js';

describe('parseOpenMetrics', () => {
  it('reads families', () => {
    const text =
      '# TYPE a_seconds counter\n# UNIT a_seconds seconds\n# HELP a_seconds b\\n\\"\na_seconds_total{c="\\\\"} 1 2.5\n# EOF\n';
    expect(parseOpenMetrics(text)).toEqual([
      {
        name: 'a_seconds',
        type: 'counter',
        unit: 'seconds',
        help: 'b\n"',
        samples: [{ name: 'a_seconds_total', labels: { c: '\\' }, value: '1', timestamp: '2.5' }],
      },
    ]);
  });

  it.each([
    ['no end', '# TYPE a gauge\na 1\n'],
    ['text after the end', '# EOF\n\n'],
    ['an empty line', '# TYPE a gauge\n\na 1\n# EOF\n'],
    ['a comment', '# hello there you\n# EOF\n'],
    ['a sample without a family', 'a 1\n# EOF\n'],
    ['a counter without _total', '# TYPE a counter\na 1\n# EOF\n'],
    ['a negative counter', '# TYPE a counter\na_total -1\n# EOF\n'],
    ['families whose names clash', '# TYPE a counter\na_total 1\n# TYPE a_total gauge\na_total 1\n# EOF\n'],
    ['a unit that the name lacks', '# TYPE a gauge\n# UNIT a seconds\na 1\n# EOF\n'],
    ['a value in lower case', '# TYPE a gauge\na nan\n# EOF\n'],
    ['a bad escape', '# TYPE a gauge\na{b="\\x"} 1\n# EOF\n'],
    ['a label twice', '# TYPE a gauge\na{b="1",b="2"} 1\n# EOF\n'],
    ['samples with the same labels', '# TYPE a gauge\na{b="1"} 1\na{b="1"} 2\n# EOF\n'],
    ['a bad label name', '# TYPE a gauge\na{b.c="1"} 1\n# EOF\n'],
    ['metadata after samples', '# TYPE a gauge\na 1\n# HELP a b\n# EOF\n'],
  ])('refuses %s', (_, text) => {
    expect(() => parseOpenMetrics(text)).toThrow();
  });
});
