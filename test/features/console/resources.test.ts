/** What the first screen says of resources. */
import { headlineOf } from '../../../src/features/console/page/data/diagnosis.js';
import { readingModel, RESOURCES } from '../../../src/features/console/page/data/resources.js';
import { SeriesTable } from '../../../src/features/console/page/data/series-table.js';
import { shortName } from '../../../src/features/console/page/screens/short-name.js';

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
      ...{ 'kernel.cpu.util.nice': [0, 0], 'kernel.cpu.util.wait': [50, 0] },
    });
    const read = readOf('Processor', table)!;
    expect(read.value).toEqual([16, 100]);
    expect(read.parts).toEqual([
      { label: 'user', cells: [10, 60] },
      { label: 'system', cells: [6, 41] },
    ]);
    const model = readingModel(RESOURCES[0]!, read, table, { start: 1, end: 2 });
    expect(model).toMatchObject({ form: 'stack', least: 0, greatest: 100, scale: { unit: '%' } });
  });

  it('has memory as what is used and what can be had back', () => {
    const memory = { 'mem.physmem': [1000, null], 'mem.util.available': [600, 500], 'mem.util.free': [200, 300] };
    expect(readOf('Memory', tableOf(memory))).toMatchObject({
      value: [400, 500],
      whole: 1000,
      parts: [{ cells: [400, 500] }, { label: 'cache', cells: [400, 200] }],
    });
  });

  it('names the busiest disk and interface, and does not count what a machine sends to itself', () => {
    const disks = {
      'disk.dev.util': { sda: [1, 2], sdb: [90, 80] },
      'disk.dev.read_bytes': { sda: [7, 7], sdb: [3, 4] },
    };
    expect(readOf('Disk', tableOf(disks))).toMatchObject({
      device: 'sdb',
      value: [90, 80],
      parts: [
        { label: 'read', cells: [3, 4] },
        { label: 'written', cells: [] },
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
      besides: { before: 'lo', value: 1e6 },
    });
  });
});

describe('the sentence', () => {
  const of = (state: string, sentence: string, resource = 'disk') => ({ resource, state, sentence });

  it('is of the worst, with the others below', () => {
    const headline = headlineOf([
      ...[of('usual', 'As usual.'), of('busy', 'The disk sda is busy 90 % of the time.')],
      of('saturated', 'The processors are 98 % busy since 02:19:24 (was 15 %): node 80 %.', 'processor'),
    ]);
    expect(headline).toEqual({
      odd: 'The processors are 98 % busy',
      rest: ' since 02:19:24 (was 15 %): node 80 %.',
      also: ['The disk sda is busy 90 % of the time.'],
      said: 'processor: saturated. disk: busy.',
    });
  });

  it('says that nothing is unusual only where that is known', () => {
    expect(headlineOf([of('usual', 'As usual.')])).toMatchObject({ rest: 'Nothing unusual.', also: ['Judged: disk.'] });
    expect(headlineOf([])).toEqual({ odd: '', rest: '', also: [], said: '' });
    expect(headlineOf([of('unknown', 'No samples yet.')]).rest).toBe('');
  });
});

describe('the name of a process', () => {
  it.each([
    ['015158 /usr/bin/node dist/build.js', 'node dist/build.js (15158)'],
    ['000000 program0', 'program0 (0)'],
    ['ended process 4711', 'ended process 4711'],
  ])('%s is %s', (name, short) => expect(shortName(name)).toBe(short));
});
