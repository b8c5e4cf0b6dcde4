/** The expressions whose definition is held against real libpcp 6.0.3: accepted or not, why not, and what comes out. */

/** Metrics of the archive `pyapi` with every type, semantics, unit and instance domain that matters. */
const METRICS = [
  'sample.long.one',
  'sample.ulong.ten',
  'sample.longlong.ten',
  'sample.ulonglong.ten',
  'sample.float.ten',
  'sample.double.ten',
  'sample.byte_ctr',
  'sample.kbyte_ctr',
  'sample.byte_rate',
  'sample.kbyte_rate',
  'sample.byte_rate_perhour',
  'sample.seconds',
  'sample.milliseconds',
  'sample.pdu',
  'sample.many.count',
  'sample.long.bin',
  'sample.ulong.bin_ctr',
  'sample.colour',
  'sample.string.hullo',
  'sample.lights',
  'sample.ulong.count.base',
  'sample.ulong.count.deca',
  'mem.physmem',
] as const;
const OPERATORS = ['+', '-', '*', '/', '<', '<=', '==', '>=', '>', '!=', '&&', '||'] as const;
const CONSTANTS = ['5', '2.5', 'mkconst(3, units=byte)', 'mkconst(3, type=64, semantics=counter)', '-1'] as const;
const FUNCTIONS = ['avg', 'count', 'max', 'min', 'sum', 'defined', 'delta', 'rate', 'instant', 'scalar'] as const;

/** Two operators for each pair of metrics, so that each operator meets about 90 pairs. */
const pairs = METRICS.flatMap((left, i) =>
  METRICS.flatMap((right, j) =>
    [i * 5 + j * 7, i * 5 + j * 7 + 5].map((k) => `${left} ${OPERATORS[k % OPERATORS.length]!} ${right}`),
  ),
);

const withConstants = METRICS.flatMap((metric, i) =>
  CONSTANTS.flatMap((constant, j) => {
    const [first, second] = [OPERATORS[(i + j * 5) % 12]!, OPERATORS[(i * 7 + j) % 12]!];
    return [`${metric} ${first} ${constant}`, `${constant} ${second} ${metric}`];
  }),
);

const calls = METRICS.flatMap((metric) => [
  ...FUNCTIONS.map((name) => `${name}(${metric})`),
  `-${metric}`,
  `!${metric}`,
  `(${metric})[x]`,
  `matchinst(/a/, ${metric})`,
  `rescale(${metric}, "Mbyte")`,
  `rescale(${metric}, "count x 10^3")`,
  `delta(${metric}) / delta(sample.pdu)`,
  `100 * rate(${metric})`,
]);

const ternaries = METRICS.flatMap((metric, i) => {
  const other = METRICS[(i + 1) % METRICS.length]!;
  return [
    `sample.long.one ? ${metric} : ${metric}`,
    `sample.long.one ? ${metric} : ${other}`,
    `${metric} ? 1 : 2`,
    `defined(no.such) ? no.such : ${metric}`,
    `defined(${metric}) && 1 ? ${metric} : no.such`,
    `sample.long.bin > 5 ? ${metric} : ${metric}`,
  ];
});

const others = [
  'no.such',
  'sample.long',
  'no.such + 1',
  'sample.long.one ? no.such : 1',
  '1 ? 2 : no.such',
  '42',
  '.5',
  '1 / 3',
  'mkconst(1, type=U64)',
  'mkconst(1, units="")',
  'mkconst(1.5, type=float, semantics=counter, units="kbyte / hour")',
  '!0',
  '!!5',
  '-2147483648',
  '(1 ? 2 : 3) + 1',
  '0 ? 1 : 0 ? 3 : 4',
  'sum(sample.long.bin) * avg(sample.long.bin) + count(sample.colour)',
  'scalar(sample.long.bin[bin-100]) + sample.long.bin',
  'matchinst(/e/, matchinst(!/r/, sample.colour))',
  '(sample.byte_ctr + sample.kbyte_ctr) * 3',
  '2 * (sample.byte_ctr - sample.kbyte_ctr) / 8',
];

/** Expressions that bind or do not; compared: accepted, the reason, and the descriptor. */
export const DEFINITIONS: readonly string[] = [
  ...new Set([...pairs, ...withConstants, ...calls, ...ternaries, ...others]),
];

const BROKEN_AFTER = ['a', '5', '2.5', 'a[x]', '(a)', 'avg(a)', 'scalar(a + b)', 'a + b', '(a', 'rescale(a, "byte")'];
const STRAY = [
  '',
  ' b',
  ' 5',
  ' +',
  ' *',
  ' )',
  ' (',
  ' (b',
  ' ,',
  ' :',
  ' ?',
  ' ? b',
  ' ? b :',
  ' ? b : c d',
  ' "x"',
  ' @',
];
const AFTER_OPERATOR = ['', '*', ')', ',', '"x"', '[x]', '(', '(*', '-', '!', 'type', '&& a', '@'];

/** Expressions that do not parse, most of them; compared: accepted, offset and reason. */
export const SYNTAX: readonly string[] = [
  ...new Set([
    ...BROKEN_AFTER.flatMap((start) => STRAY.map((rest) => start + rest)),
    ...[...OPERATORS, '?', '? b :'].flatMap((operator) => AFTER_OPERATOR.map((rest) => `a ${operator} ${rest}`)),
    ...[...OPERATORS, ...['?', ':', ',', '=', ')', '(', '"x"', '[x]', '@', '_', '"x', '[x']].flatMap((first) => [
      first,
      `${first} a`,
    ]),
    ...['avg', 'count', 'max', 'min', 'sum', 'scalar', 'instant'].flatMap((name) =>
      ['(', '()', '(a', '(a b', '(a,b)', '(1', '(*)', ' (a)'].map((rest) => name + rest),
    ),
    ...['rescale(', 'rescale(a', 'rescale(a)', 'rescale(a,', 'rescale(a, b)', 'rescale(a, "x")', 'rescale(a, "byte"'],
    ...[
      '1e5',
      '1a',
      '1.2.3',
      '4294967296',
      'a..b',
      'a.',
      'a.type',
      'type',
      'a b c',
      '((a)',
      '(a))',
      'a[b]]',
      '--a',
      '-!a',
    ],
    ...['a(b)', 'rat(a)', 'a = b', 'a & b', 'a | b', 'a ** b', 'a << b', 'a ! b', 'a ? b ? c : d : e', 'defined(1)'],
    ...[
      'avg(a) avg(b)',
      'a + (b * c',
      'a && (b c',
      '!(5 b',
      '-(5 b',
      'a ? (b c',
      'scalar((5 b',
      'a + avg(b',
      'a + defined(1)',
    ],
  ]),
];
