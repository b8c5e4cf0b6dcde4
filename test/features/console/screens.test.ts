/** What screens decide, without a page. */
import { type Command, rankCommands } from '../../../src/features/console/page/data/commands.js';
import { explanationOf, mentions, relatedNames } from '../../../src/features/console/page/data/explain.js';
import { explainedOf, readExplained } from '../../../src/features/console/page/data/explained-value.js';
import { findMetrics } from '../../../src/features/console/page/data/find-metrics.js';
import { commandsFor, pmgateCommand } from '../../../src/features/console/page/data/shell.js';
import { credentialsIn } from '../../../src/features/console/page/state/credentials.js';
import { groupArchives } from '../../../src/features/console/page/data/group-archives.js';
import { piecesOf, tokensOf, wordAt } from '../../../src/features/console/page/data/highlight.js';
import { bandOf, hostRows, VITAL_METRICS } from '../../../src/features/console/page/data/host-vitals.js';
import {
  GROUPS,
  lastSampled,
  othersIn,
  PROCESSES,
  sampledOf,
  userTable,
} from '../../../src/features/console/page/data/users.js';
import { whyLines, whyText, whyTree } from '../../../src/features/console/page/data/why.js';
import { UTC_ZONE } from '../../../src/pmapi/index.js';
import fc from '../../support/properties.js';

const DAY = 86_400;
const JULY = Date.UTC(2025, 6, 7) / 1000;
const archive = (name: string, hostspec: string, start: number, end = start + 60) => ({
  ...{ name, hostspec, timezone: 'UTC', version: 3, metrics: 1, size: 1 },
  ...{ start, end },
});

describe('archives by host', () => {
  const entries = [
    archive('web1/a', 'web1', JULY),
    archive('db1/a', 'db1', JULY - DAY, JULY + 3 * DAY),
    archive('web1/b', 'web1', JULY + DAY),
    { name: 'old/crash', error: { code: 'BAD_ARCHIVE', message: 'damaged' } },
  ] as never;

  it('have the host with the latest first, and the latest archive of each', () => {
    const { groups, broken } = groupArchives(entries, '');
    expect(groups.map(({ host, archives }) => [host, archives.map(({ name }) => name)])).toEqual([
      ['db1', ['db1/a']],
      ['web1', ['web1/b', 'web1/a']],
    ]);
    expect(groups[1]).toMatchObject({ start: JULY, end: JULY + DAY + 60 });
    expect(broken.map(({ name }) => name)).toEqual(['old/crash']);
  });

  it('are found whatever time an archive says it is from', () => {
    const odd = archive('odd/a', 'odd', 1e300) as never;
    expect(groupArchives([odd], '2025').groups).toEqual([]);
    expect(groupArchives([odd], 'odd').groups).toHaveLength(1);
  });

  it.each([
    ['WEB1', ['web1/b', 'web1/a']],
    ['web1 /b', ['web1/b']],
    ['2025-07-08', ['db1/a', 'web1/b']],
    ['2025-07', ['db1/a', 'web1/b', 'web1/a']],
    ['2025-06', []],
    ['2024', []],
    ['crash', []],
    ['2025-99', []],
  ])('are found by %j', (words, names) => {
    const { groups } = groupArchives(entries, words);
    expect(groups.flatMap(({ archives }) => archives.map(({ name }) => name))).toEqual(names);
  });
});

describe('who uses resources', () => {
  const one = (value: number) => [{ instance: null, value }];
  const [node, bash, kthreadd] = [
    { instance: 4711, name: '004711 node' },
    { instance: 12, name: '000012 bash' },
    { instance: 2, name: '000002 kthreadd' },
  ];
  const metric = (name: string, units: string, instances: readonly object[]) => ({ name, units, instances });
  const sampled = sampledOf({
    timestamp: 1000,
    values: [
      metric('hinv.ncpu', 'none', one(4)),
      metric('kernel.all.uptime', 'sec', one(100)),
      ...['user', 'nice', 'sys', 'intr', 'steal'].map((kind) => metric(`kernel.cpu.util.${kind}`, 'none', one(12))),
      metric('proc.cpu.util', 'none', [
        { ...node, value: 120 },
        { ...kthreadd, value: 0 },
      ]),
      metric('proc.psinfo.rss', 'Kbyte', [
        { ...node, value: 2 },
        { ...bash, value: 1 },
        // It has none.
        { ...kthreadd, value: 0 },
      ]),
      metric('proc.psinfo.start_time', 'millisec', [{ ...node, value: 40_000 }]),
      // Logged once, with one that has ended since.
      metric('proc.psinfo.cgroups', 'none', [
        { ...node, value: 'memory:/a;cpu:/a/b;0::/' },
        { instance: 99, name: '000099 gone', value: 'cpu:/a' },
      ]),
      metric('cgroup.cpuacct.usage', 'none', [
        { instance: 0, name: '/a', value: 2 },
        { instance: 1, name: '/', value: 4.08 },
      ]),
      metric('cgroup.memory.usage', 'byte', [
        { instance: 0, name: '/a', value: 4096 },
        // Without what the kernel uses for all groups, which is in theirs.
        { instance: 1, name: '/', value: 2048 },
      ]),
      metric('cgroup.io.stat.rbytes', 'byte / sec', [
        { instance: 0, name: '/a::vda', value: 10 },
        { instance: 1, name: '/a::vdb', value: 5 },
      ]),
    ],
  } as never);

  it('are processes with shares of the machine, as far as numbers were sampled of them', () => {
    const table = userTable(sampled, PROCESSES);
    expect(table.columns.map(({ title }) => title)).toEqual(['group', 'processor', 'memory', 'began']);
    expect(table.rows).toEqual([
      { who: '4711', name: '004711 node', cells: ['/a/b', 30, 2048, 940] },
      { who: '2', name: '000002 kthreadd', cells: [undefined, 0, undefined, undefined] },
      { who: '12', name: '000012 bash', cells: [undefined, undefined, 1024, undefined] },
    ]);
    expect(othersIn(sampled, table)).toBe(30);
    const unknown = new Map([...sampled].filter(([name]) => name !== 'kernel.cpu.util.sys'));
    expect(othersIn(unknown, table)).toBeUndefined();
  });

  it('are control groups, with the sums over their disks', () => {
    const { columns, rows } = userTable(sampled, GROUPS);
    expect(columns.map(({ title }) => title)).toEqual(['processor', 'memory', 'read']);
    expect(rows).toEqual([
      { who: '/a', name: '/a', cells: [50, 4096, 15] },
      // Not 102 per cent of the machine.
      { who: '/', name: '/', cells: [100, undefined, undefined] },
    ]);
  });

  it('are of the last sample that a metric has', () => {
    const series = [
      { instance: 1, name: '000001 init', values: [5, 6, null] },
      { instance: 2, name: '000002 ended', values: [5, null, null] },
    ];
    const last = lastSampled({
      times: [10, 20, 30],
      metrics: [{ name: 'proc.psinfo.rss', units: 'Kbyte', series }],
    } as never);
    expect(last.get('proc.psinfo.rss')!.at).toBe(20);
    expect(userTable(last, PROCESSES).rows.map(({ who, cells }) => [who, cells])).toEqual([['1', [6144]]]);
  });
});

describe('credentials that a tab kept', () => {
  it.each([
    ['{"kind":"token","token":"abc"}', { kind: 'token', token: 'abc' }],
    ['{"kind":"password","username":"u","password":"p"}', { kind: 'password', username: 'u', password: 'p' }],
    ['{"kind":"password","username":"u"}', null],
    ['{"kind":"token","token":1}', null],
    ['"abc"', null],
    ['null', null],
    ['{', null],
    [undefined, null],
  ])('are read from %j', (text, expected) => {
    expect(credentialsIn(text)).toEqual(expected);
  });
});

describe('an expression, painted', () => {
  const kinds = (text: string): string[] =>
    tokensOf(text)
      .filter(({ kind }) => kind !== 'space')
      .map(({ kind, text: part }) => `${kind} ${part}`);

  it('has its names, functions, numbers and texts told apart', () => {
    expect(kinds('rate(disk.dev.read) * 1.5e3 >= 2 # why')).toEqual([
      ...['function rate', 'operator (', 'name disk.dev.read', 'operator )', 'operator *', 'number 1.5e3'],
      ...['operator >=', 'number 2', 'comment # why'],
    ]);
    expect(kinds('rescale(a, "Kbyte / sec")')).toContain('text "Kbyte / sec"');
  });

  it('has a pattern where a slash cannot divide', () => {
    expect(kinds('matchinst(!/sd(a|b)/, a.b / c.d)')).toEqual([
      ...['function matchinst', 'operator (', 'operator !', 'text /sd(a|b)/', 'operator ,', 'name a.b', 'operator /'],
      ...['name c.d', 'operator )'],
    ]);
  });

  it('is all there, whatever it holds', () => {
    const place = fc.tuple(fc.nat(30), fc.nat(30)).map(([start, length]) => ({ start, end: start + length }));
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(place, { maxLength: 4 }), (text, errors) => {
        expect(
          piecesOf(text, errors)
            .map((piece) => piece.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });

  it('has errors marked to the character', () => {
    const bad = piecesOf('delta(disk.dev.reads)', [{ start: 11, end: 20 }]).filter(({ isBad }) => isBad);
    expect(bad.map(({ text }) => text)).toEqual(['dev.reads']);
  });

  it('has a word at the caret', () => {
    expect(wordAt('rate(disk.de + 1', 12)).toEqual({ word: 'disk.de', start: 5 });
    expect(wordAt('1 + ', 4)).toEqual({ word: '', start: 4 });
  });
});

describe('what a metric is, in words', () => {
  it.each([
    [
      { type: 'u64', sem: 'counter', units: 'Kbyte', indom: '60.1' },
      4,
      /rate, in KiB per second. .* each of 4 instances/,
    ],
    [{ type: 'float', sem: 'instant', units: 'none' }, undefined, /moment it was taken. It has one value/],
    [{ type: 'u64', sem: 'counter', units: 'count' }, undefined, /its rate per second. It has one value/],
    [{ type: 'u64', sem: 'counter', units: 'millisec' }, undefined, /its rate, a share of the time that passes/],
    [{ type: 'string', sem: 'discrete', units: 'none', indom: '60.1' }, undefined, /as text. .* each instance/],
  ] as const)('%j', (metric, instances, text) => {
    expect(explanationOf(metric as never, instances)).toMatch(text);
  });

  it('has commands that a shell takes as one word each', () => {
    const commands = commandsFor('http://localhost:1', "archive:it's; rm", 'a.b').map(([, command]) => command);
    expect(commands[1]).toBe("pmgate fetch a.b -a 'it'\\''s; rm' --url http://localhost:1");
    expect(commands[0]).toBe("curl 'http://localhost:1/pmapi/fetch?names=a.b&archive=it'\\''s%3B%20rm'");
  });

  it.each([
    ['db 7', "pmgate diagnose -h 'db 7' --url http://a/b"],
    ['archive:web1/1', 'pmgate diagnose -a web1/1 --url http://a/b'],
    ['archive:local:x', 'pmgate diagnose -a x'],
  ])('has the command that says what is wrong with %s', (source, command) => {
    expect(pmgateCommand('http://a/b', source, 'diagnose')).toBe(command);
  });

  it('has no commands for a gateway where archives are of this machine', () => {
    const commands = commandsFor('http://localhost:1', 'archive:local:web1/20261120', 'a.b');
    expect(commands).toEqual([
      ['pmgate', 'pmgate fetch a.b -a web1/20261120'],
      ['pmval', 'pmval -a web1/20261120 a.b'],
    ]);
  });

  it('knows neighbours and expressions that mention it', () => {
    expect(relatedNames('a.b.c', ['a.b.c', 'a.b.d', 'a.c'])).toEqual(['a.b.d']);
    expect(mentions('rate(a.b) + a.bc', 'a.b')).toBe(true);
    expect(mentions('a.bc + x.a.b', 'a.b')).toBe(false);
  });
});

describe('hosts, side by side', () => {
  const host = (hostspec: string, idle: number, load: number) => ({
    hostspec,
    values: [
      { name: VITAL_METRICS[0]!, pmid: '1.1.1', instances: [{ instance: null, value: idle }] },
      { name: 'kernel.all.load', pmid: '1.1.2', instances: [{ instance: 1, value: load }] },
    ],
  });

  it('begin with the oddest, with what it is in words; those like the others by name, and those that do not answer last', () => {
    const error = { hostspec: 'gone', error: { code: 'SOURCE_TIMEOUT', message: 'no answer' } };
    const all = [host('web10', 90, 1), host('web2', 89, 1.1), error, host('c', 10, 1), host('d', 91, 0.9)];
    const rows = hostRows(all as never);
    expect(rows.map(({ hostspec }) => hostspec)).toEqual(['c', 'd', 'web2', 'web10', 'gone']);
    expect(rows[0]!.odd).toBeGreaterThan(3);
    expect(rows[0]!.sentence).toBe('processors 90.0 %, half of the others 9.5–10.5 %');
    expect(rows[1]!.odd).toBeLessThan(1);
  });

  it('have a band of the middle half, and none where too few had a value', () => {
    const window = { start: 0, end: 90 };
    const of = (value: number) => ({ times: [0.5, 1.2], values: [value, value === 3 ? undefined : value] });
    // One gap, and not a hole for each part that nobody had a value in.
    expect(bandOf([of(1), of(2), of(3)], window)).toEqual({
      ...{ times: [0.5, 6.5], low: [1.5, null], middle: [2, null], high: [2.5, null] },
    });
  });

  it('are never odd while there are two', () => {
    expect(hostRows([host('a', 90, 1), host('b', 1, 100)] as never).map(({ odd }) => odd)).toEqual([0, 0]);
  });
});

describe('metrics that are found', () => {
  it('begin with the words, are high in the tree, then by name', () => {
    const names = ['disk.dm.read', 'disk.all.read', 'disk.dev.read_bytes', 'disk.partitions.all.read', 'proc.io.disk'];
    const metrics = names.map((name) => ({ name, type: 'u64', sem: 'counter', units: 'count' }));
    expect(findMetrics(metrics as never, 'disk').map(({ name }) => name)).toEqual([
      ...['disk.all.read', 'disk.dev.read_bytes', 'disk.dm.read', 'disk.partitions.all.read', 'proc.io.disk'],
    ]);
  });
});

describe('what Ctrl+K finds', () => {
  const command = (kind: Command['kind'], name: string, note = ''): Command => ({
    ...{ kind, name, 'text-oneline': `${kind} · ${note}`, run: () => undefined },
  });
  const metrics = Array.from({ length: 20 }, (_, i) => command('metric', `disk.dev.read${i}`));
  const all = [
    ...metrics,
    ...[command('screen', 'Hosts'), command('action', 'Copy link'), command('host', 'disks.example.com')],
    ...[command('archive', 'archive:web1/a', 'web1'), command('metric', 'mem.util.free', 'free on the disk?')],
  ];
  const names = (text: string): readonly string[] => rankCommands(all, text).map(({ name }) => name);

  it('are screens and actions without words', () => expect(names(' ')).toEqual(['Hosts', 'Copy link']));

  it('has a few of each kind, names before texts', () => {
    const found = names('disk');
    expect(found).toHaveLength(9);
    expect(found[0]).toBe('disk.dev.read0');
    expect(found).toContain('disks.example.com');
    expect(names('free')).toEqual(['mem.util.free']);
  });

  it('has all of a kind that is named', () => {
    expect(names('metric disk')).toHaveLength(21);
    expect(names('archive web')).toEqual(['archive:web1/a']);
    expect(names('archives')).toEqual([]);
  });
});

describe('what an address explains', () => {
  it.each([
    { metric: 'disk.dev.read' },
    { metric: 'disk.dev.read', instance: 'sda' },
    { metric: 'a', instance: 'b[1]' },
  ])('%j', (value) => {
    const { metric, instance } = value;
    const text = explainedOf({ metric, instance: instance === undefined ? null : 7, name: instance ?? '' });
    expect(readExplained(text)).toEqual(value);
  });

  it('without the end of an instance, no instance', () => {
    expect(readExplained('disk.dev.read[sda')).toEqual({ metric: 'disk.dev.read[sda' });
  });
});

describe('why a value is what it is, in a line', () => {
  const sample = { timestamp: JULY, value: 3, archive: 'web1', volume: 0 };
  it.each([
    [{ value: 3, from: { rule: 'exact', value: 3, sample } }, '3 of 2025-07-07 00:00:00 UTC in web1, volume 0'],
    [
      {
        name: 'sda',
        value: 2,
        rate: { before: { value: 10 }, after: { value: 14 }, elapsed: 2, wraps: 0, wrapsBy: 0, factor: 1 },
      },
      'sda: 2 /s = (14 − 10) in 2 s',
    ],
    [
      { value: 1, rate: { before: { value: 9 }, after: { value: 1 }, elapsed: 2, wraps: 1, wrapsBy: 10, factor: 1 } },
      '1 /s = (1 − 9 + 10 (it wrapped)) in 2 s',
    ],
  ])('%j', (value, line) => {
    expect(whyLines({ values: [value], missing: [], metadata: { units: 'none' } } as never, UTC_ZONE)).toEqual([
      { depth: 0, text: line },
    ]);
  });

  it.each([
    ['Kbyte', '2 KiB/s', ' KiB', '2 KiB'],
    ['byte', '2 B/s', ' B', '2 B'],
    ['count', '2 /s', '', '2'],
    ['none', '2 /s', '', '2'],
    ['millisec', '200.0 %', ' ms', '2 ms'],
    ['nanosec', '200.0 %', ' ns', '2 ns'],
  ])('has the unit of a rate of %s', (units, text, unit, plainText) => {
    const rate = { before: { value: 10 }, after: { value: 14 }, elapsed: 2, wraps: 0, wrapsBy: 0, factor: 1 };
    const metric = { values: [{ value: 2, rate }], missing: [], metadata: { units } };
    expect(whyLines(metric as never, UTC_ZONE)).toEqual([{ depth: 0, text: `${text} = (14 − 10)${unit} in 2 s` }]);
    const plain = { values: [{ value: 2 }], missing: [], metadata: { units } };
    expect(whyLines(plain as never, UTC_ZONE)).toEqual([{ depth: 0, text: plainText }]);
  });

  it('says what is missing', () => {
    const missing = [{ name: 'sdb', node: 'rate(a)', reason: 'no earlier sample' }];
    expect(whyLines({ values: [], missing, metadata: { units: 'none' } } as never, UTC_ZONE)).toEqual([
      { depth: 0, text: 'sdb: no earlier sample (rate(a))' },
    ]);
  });

  it('has every part of a derived metric beneath its value', () => {
    const metadata = { type: 'DOUBLE', semantics: 'instant', units: '', indom: null };
    const values = [{ instance: 0, name: 'vda', value: 0.8 }];
    const node = { start: 0, end: 1, selected: true, metadata, children: [], values };
    const operand = {
      ...{ ...node, kind: 'name', text: 'disk.dev.avactive', metadata: { ...metadata, units: 'millisec' } },
      values: [
        {
          instance: 0,
          name: 'vda',
          value: 26652,
          from: { rule: 'exact', value: 26652, sample: { timestamp: JULY, value: 26652 } },
        },
      ],
    };
    const expression = {
      ...{ ...node, kind: 'binary', text: '100 * rate(disk.dev.avactive)' },
      children: [
        { ...node, kind: 'integer', text: '100', values: [{ instance: null, value: 100 }] },
        {
          ...{ ...node, kind: 'call', text: 'rate(disk.dev.avactive)', children: [operand] },
          values: [{ instance: 0, name: 'vda', value: 0.008 }],
          previous: { timestamp: JULY - 1, elapsed: 0.99466, values: [{ instance: 0, name: 'vda', value: 26644 }] },
        },
      ],
    };
    const metric = { values, missing: [], metadata, expression };
    const lines = whyLines(metric as never, UTC_ZONE, { oneline: 'Per cent of time' });
    expect(lines.map(({ depth, text }) => ({ depth, text }))).toEqual([
      { depth: 0, text: 'vda: 0.8 %' },
      { depth: 0, text: '100 * rate(disk.dev.avactive) = vda 0.8' },
      { depth: 1, text: 'rate(disk.dev.avactive) = vda 0.008, from 26644 in 0.995 s' },
      { depth: 2, text: 'disk.dev.avactive = vda 26.7 s (26652 ms) of 2025-07-07 00:00:00 UTC' },
    ]);
    const [value, whole] = whyTree(lines);
    expect(value).toMatchObject({ text: 'vda: 0.8 %', children: [] });
    expect(whole).toMatchObject({ part: '100 * rate(disk.dev.avactive)', value: 'vda 0.8' });
    const [rate] = whole!.children;
    expect(rate).toMatchObject({ part: 'rate(disk.dev.avactive)', children: [{ part: 'disk.dev.avactive' }] });
    expect(whyText(lines).split('\n')[3]).toMatch(/^ {4}disk\.dev\.avactive = vda 26\.7 s \(/);
  });
});
