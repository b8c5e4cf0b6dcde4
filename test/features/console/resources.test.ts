/** What the first screen says of resources. */
import { type Diagnosed, headlineOf, pastOf } from '../../../src/features/console/page/data/diagnosis.js';
import { readingModel, RESOURCES } from '../../../src/features/console/page/data/resources.js';
import { SeriesTable } from '../../../src/features/console/page/data/series-table.js';
import { shortName } from '../../../src/features/console/page/screens/short-name.js';

type Culprit = NonNullable<Diagnosed['who']>[number];
type Values = readonly (number | null)[];
const tableOf = (metrics: Readonly<Record<string, Values | Readonly<Record<string, Values>>>>): SeriesTable => {
  const table = new SeriesTable();
  table.fill({
    times: [1, 2],
    metrics: Object.entries(metrics).map(([name, given]) => ({
      name,
      units: '',
      series: Array.isArray(given)
        ? [{ instance: null, values: given as Values }]
        : Object.entries(given).map(([own, values], i) => ({ instance: i, name: own, values: values as Values })),
    })),
  });
  return table;
};
const readOf = (title: string, table: SeriesTable) => RESOURCES.find((each) => each.title === title)!.read(table);

describe('a resource', () => {
  it('is not there where nothing was measured', () => {
    const table = tableOf({ 'mem.util.available': [1, 2] });
    expect(RESOURCES.map(({ read }) => read(table))).toEqual(RESOURCES.map(() => undefined));
  });

  it('has processors as parts of a hundred, without waiting', () => {
    const table = tableOf({
      ...{ 'kernel.cpu.util.user': [10, 60], 'kernel.cpu.util.sys': [5, 39], 'kernel.cpu.util.intr': [1, 2] },
      ...{ 'kernel.cpu.util.nice': [0, 0], 'kernel.cpu.util.wait': [50, 0], 'kernel.cpu.util.steal': [0.25, 0] },
    });
    const read = readOf('Processor', table)!;
    expect(read.value).toEqual([16.25, 100]);
    expect(read.parts).toEqual([
      { label: 'user', cells: [10, 60], of: 'kernel.cpu.util.user' },
      { label: 'system', cells: [6, 41], of: 'kernel.cpu.util.sys + kernel.cpu.util.intr' },
    ]);
    const model = readingModel(RESOURCES[0]!, read, table, { start: 1, end: 2 });
    expect(model).toMatchObject({ form: 'stack', least: 0, greatest: 100, scale: { unit: '%' } });
  });

  it('has no sum where one of its parts has no value', () => {
    const cpu = { 'kernel.cpu.util.user': [null, 60], 'kernel.cpu.util.sys': [5, 30], 'kernel.cpu.util.intr': [0, 1] };
    expect(readOf('Processor', tableOf(cpu))!.value).toEqual([null, 91].map((cell) => cell ?? undefined));
  });

  it('has memory as parts of a whole, of which the free one is told and not drawn', () => {
    const memory = { 'mem.physmem': [1000, null], 'mem.util.available': [600, 500], 'mem.util.free': [200, 300] };
    const [table, whole] = [tableOf(memory), 1000];
    const read = readOf('Memory', table)!;
    expect(read).toMatchObject({
      ...{ value: [400, 500], whole, of: 'mem.physmem - mem.util.available' },
      parts: [{ cells: [400, 500] }, { label: 'cache', cells: [400, 200] }, { label: 'free', cells: [200, 300] }],
    });
    for (const row of [0, 1]) {
      expect(read.parts.reduce((sum, { cells }) => sum + Number(cells[row]), 0)).toBe(whole);
    }
    const memoryResource = RESOURCES.find(({ title }) => title === 'Memory')!;
    const { drawn, greatest } = readingModel(memoryResource, read, table, { start: 1, end: 2 });
    expect(drawn.map(({ label }) => label)).toEqual(['used', 'cache']);
    expect(greatest).toBe(whole * 1024);
  });

  it('names the busiest disk and interface, and does not count what a machine sends to itself', () => {
    const disks = {
      'disk.dev.util': { sda: [1, 2], sdb: [90, 80] },
      'disk.dev.read_bytes': { sda: [7, 7], sdb: [3, 4] },
    };
    expect(readOf('Disk', tableOf(disks))).toMatchObject({
      device: 'sdb',
      value: [90, 80],
      besides: { text: 'busy' },
      parts: [
        { label: 'read', cells: [3, 4], of: 'disk.dev.read_bytes[sdb]' },
        { label: 'written', cells: [], of: 'disk.dev.write_bytes[sdb]' },
      ],
    });
    const network = {
      'network.interface.in.bytes': { lo: [1e6, 1e6], eth0: [10, 20] },
      'network.interface.out.bytes': { lo: [1e6, 1e6], eth0: [1, 2] },
    };
    expect(readOf('Network', tableOf(network))).toMatchObject({
      device: 'eth0',
      value: [11, 22],
      devices: [{ name: 'eth0', cells: [11, 22] }],
      parts: [{ label: 'in' }, { label: 'out' }, { label: 'not counted: lo', cells: [1e6, 1e6], isRest: true }],
    });
  });
});

describe('the sentence', () => {
  const of = (state: Diagnosed['state'], sentence: string, resource = 'disk') => ({ resource, state, sentence });
  const culprit = (kind: Culprit['kind'], name: string, use: number, pid?: number): Culprit => {
    return { kind, name, use, share: use / 200, metrics: [], ...(pid === undefined ? {} : { pid }) };
  };
  const node = culprit('process', 'node', 80, 4711);
  const bash = culprit('process', 'bash', 44, 12);
  const group = culprit('group', '/web: a', 32);
  const cc1 = culprit('process', 'cc1', 4, 13);
  const others = culprit('others', 'others', 40);
  const full = {
    ...of(
      'saturated',
      'The processors are 100 % busy since 02:19:24 (it was 15 %): pid 4711 node takes 80 %.',
      'processor',
    ),
    ...{ who: [node, bash, group, cc1, others], whoUnit: '%', rule: 'processor.full' },
  };

  it('is of the worst, with the others and what is as usual below, and the metric that tells why', () => {
    const evidence = [{ metric: 'kernel.all.cpu.user', range: '', why: '', chart: '' }];
    const headline = headlineOf(
      [
        ...[of('usual', 'As usual.', 'memory'), of('busy', 'The disk sda is busy 90 % of the time.')],
        of('usual', 'As usual.', 'network'),
        {
          ...of('saturated', 'The processors are 98 % busy since 02:19:24 (was 15 %): node 80 %.', 'processor'),
          evidence,
        },
      ],
      2,
    );
    expect(headline).toMatchObject({
      odd: 'The processors are 98 % busy',
      rest: ' since 02:19:24 (was 15 %): node 80 %.',
      who: [],
      also: ['The disk sda is busy 90 % of the time.', 'As usual: memory, network.'],
      said: 'processor: saturated. disk: busy.',
      rule: '',
      why: 'kernel.all.cpu.user',
    });
  });

  it('is in the past tense where it is over', () => {
    const sentence =
      'The processors were 98 % busy from 02:19:24 to 02:24:30 (it had been 15 %): pid 4711 node took 80 %.';
    expect(headlineOf([{ ...full, sentence }], 2)).toMatchObject({
      odd: 'The processors were 98 % busy',
      rest: ' from 02:19:24 to 02:24:30 (it had been 15 %)',
    });
    expect(headlineOf([{ ...full, sentence }], 2).who.map(({ verb }) => verb)).toEqual([
      'took ',
      'took ',
      'took ',
      'took ',
    ]);
  });

  it('has shares of the machine, as the cards have, and they add up to what it says', () => {
    const { odd, rest, who, rule } = headlineOf([full], 2);
    expect([odd, rest, rule]).toEqual([
      ...['The processors are 100 % busy', ' since 02:19:24 (it was 15 %)', 'processor.full'],
    ]);
    expect(who).toEqual([
      { name: '4711 node', of: '4711', amount: '40.0\u00a0%', until: undefined, verb: 'takes ' },
      { name: '12 bash', of: '12', amount: '22.0\u00a0%', until: undefined, verb: 'takes ' },
      { name: 'group /web: a', of: '/web: a', amount: '16.0\u00a0%', until: undefined, verb: 'takes ' },
      { name: 'others', of: undefined, amount: '22.0\u00a0%', until: undefined, verb: 'takes ' },
    ]);
    const sumOf = (all: typeof who): number => all.reduce((sum, { amount }) => sum + Number.parseFloat(amount), 0);
    expect(sumOf(who)).toBe(100);
    // As of a machine that is too busy to measure all at one instant.
    expect(sumOf(headlineOf([{ ...full, who: [...full.who, { ...others, use: 58 }] }], 2).who)).toBe(100);
  });

  it('says of what shares are where the number of processors is not known', () => {
    expect(headlineOf([full], undefined).who[0]!.amount).toBe('80.0\u00a0% of one processor');
    const memory = { ...full, resource: 'memory', who: [{ ...node, use: 2 ** 30 }], whoUnit: 'byte' };
    expect(headlineOf([memory], 2).who).toMatchObject([{ name: '4711 node', of: '4711', amount: '1\u00a0GiB' }]);
  });

  it('says until when one was there that is gone, and whose children it was', () => {
    const gone = { ...node, gone: 'ended' as const, lastSeen: 1000 };
    const who = [gone, { ...bash, ofChildren: 40, lastSeen: 1010 }, others];
    expect(headlineOf([{ ...full, who }], 2).who).toMatchObject([
      { of: '4711', amount: '40.0\u00a0%', until: 1000, verb: 'took ' },
      { of: '12', amount: '22.0\u00a0%, by its children', until: undefined, verb: 'takes ' },
      { name: 'others' },
    ]);
  });

  it('leaves out of the quiet line whom the cards name', () => {
    expect(headlineOf([of('failing', 'A.'), full], 2).also).toEqual([
      'The processors are 100 % busy since 02:19:24 (it was 15 %).',
    ]);
  });

  it('says that nothing is unusual only where that is known', () => {
    expect(headlineOf([of('usual', 'As usual.')], 2)).toMatchObject({
      rest: 'Nothing unusual.',
      also: ['As usual: disk.'],
    });
    const full = 'Nothing unusual. But the processors are full now.';
    expect(headlineOf([of('usual', 'As usual.')], 2, true)).toMatchObject({
      odd: '',
      rest: full,
      said: 'Nothing unusual.',
    });
    expect(headlineOf([], 2)).toMatchObject({ odd: '', rest: '', also: [], said: '' });
    expect(headlineOf([], 2, true, ' now')).toMatchObject({ rest: '' });
  });

  it('says for how long nothing was unusual, and what was; to those who do not see it only that nothing is', () => {
    const [finish, quiet] = [10_000, of('usual', 'As usual.')];
    const past = (sampledSince: number | undefined, ...resources: readonly Diagnosed[]) => {
      const { over, when } = pastOf({ resources, finish, ...(sampledSince === undefined ? {} : { sampledSince }) });
      const { rest, said } = headlineOf([quiet], 2, false, when);
      return [rest, said, over.map(({ resource }) => resource)];
    };
    const said = 'Nothing unusual.';
    expect(past(undefined, quiet)).toEqual([said, said, []]);
    expect(past(finish - 119, quiet)).toEqual([said, said, []]);
    expect(past(finish - 12.9 * 60, quiet)).toEqual(['Nothing unusual in the last 12 min.', said, []]);
    expect(past(finish - 1800, quiet)).toEqual(['Nothing unusual in the last half hour.', said, []]);
    expect(past(finish - 1800, { ...full, until: 9000 }, quiet)).toEqual([
      'Nothing unusual now.',
      said,
      [full.resource],
    ]);
    // It is not over at the end of what was read, but of what is judged now.
    expect(past(finish - 1800, full, quiet)).toEqual([said, said, []]);
  });
});

describe('the name of a process', () => {
  it.each([
    ['015158 /usr/bin/node dist/build.js', 'node dist/build.js (15158)'],
    ['000000 program0', 'program0 (0)'],
    ['ended process 4711', 'ended process 4711'],
  ])('%s is %s', (name, short) => expect(shortName(name)).toBe(short));

  it('is cut where it is long, but for its number', () =>
    expect(shortName('015158 /usr/bin/node dist/build.js --all', 12)).toBe('node dist/b… (15158)'));
});
