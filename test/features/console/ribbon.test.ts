/** The ribbon, and who a process is. */
import { between, gapsOf, partsOf, ribbonSpan } from '../../../src/features/console/page/data/ribbon-parts.js';
import { groupsOf, processFacts } from '../../../src/features/console/page/data/process-facts.js';
import { type Cell, SeriesTable } from '../../../src/features/console/page/data/series-table.js';

const HOUR = 3600;

describe('the time of a ribbon', () => {
  const now = 100 * HOUR;
  const lastMinutes = { start: now - 300, end: now };

  it('is all of an archive', () => {
    expect(ribbonSpan({ start: 5, end: 6 }, now, { start: 1, end: 9 })).toEqual({ start: 1, end: 9 });
  });

  it('is many times as long as the window of a host, and ends at the present', () => {
    expect(ribbonSpan(lastMinutes, now, undefined)).toEqual({ start: now - 4 * HOUR, end: now });
    expect(ribbonSpan({ start: now - 10, end: now }, now, undefined)).toEqual({ start: now - 2 * HOUR, end: now });
  });

  it('has an earlier window in its middle, and stays where it is while it has the window', () => {
    const earlier = { start: 50 * HOUR, end: 50 * HOUR + 300 };
    const span = ribbonSpan(earlier, now, undefined);
    expect(span.start).toBeLessThan(earlier.start);
    expect(span.end).toBeGreaterThan(earlier.end);
    const next = { start: earlier.start + HOUR, end: earlier.end + HOUR };
    expect(ribbonSpan(next, now, undefined, span)).toEqual(span);
    expect(ribbonSpan(lastMinutes, now, undefined, span).end).toBe(now);
  });

  it('moves on with the present', () => {
    const before = ribbonSpan(lastMinutes, now, undefined);
    const later = { start: lastMinutes.start + 9, end: now + 9 };
    expect(ribbonSpan(later, now + 9, undefined, before)).toEqual({ start: before.start + 9, end: now + 9 });
  });
});

it('has what is between the gaps of an archive as recorded', () => {
  expect(between([{ from: 3, to: 5 }], { start: 1, end: 9 }).map(({ start, end }) => [start, end])).toEqual([
    [1, 3],
    [5, 9],
  ]);
  expect(between([], { start: 1, end: 9 })).toHaveLength(1);
});

describe('the parts of a ribbon', () => {
  it('are there only where something was sampled', () => {
    const { parts, most } = partsOf([10, 20, 30, 90, 100], [1, undefined, 1, null, 3]);
    expect(parts.map(({ start, end, value }) => [start, end, value])).toEqual([
      [-35, 10, 1],
      [10, 30, 1],
      [30, 100, 3],
    ]);
    expect(most).toBe(3);
    expect(partsOf([1, 2], [null, undefined])).toEqual({ parts: [], most: 0 });
  });

  it('are not drawn over a gap', () => {
    const { parts } = partsOf([10, 20, 30, 40, 400, 410, 420], [1, 1, 1, 1, 1, 1, 1]);
    expect(parts.find(({ end }) => end === 400)!.start).toBe(390);
  });

  it('are odd far above the median, and not where all are alike', () => {
    const times = Array.from({ length: 60 }, (_, i) => i * 10);
    const cells = times.map((_, i): Cell => (i > 40 && i < 45 ? 95 : 10 + (i % 3)));
    const odd = partsOf(times, cells, 100).parts.flatMap(({ end, isOdd }) => (isOdd ? [end] : []));
    expect(odd).toEqual([410, 420, 430, 440]);
    expect(
      partsOf(
        times,
        times.map(() => 99),
        100,
      ).parts.some(({ isOdd }) => isOdd),
    ).toBe(false);
  });

  it('have gaps between what is recorded and remembered', () => {
    const segment = (start: number, end: number) => ({ start, end, isRemembered: false });
    const time = {
      start: 0,
      end: 100,
      title: '',
      parts: [],
      most: 0,
      segments: [segment(60, 90), segment(10, 30), segment(20, 40)],
    };
    expect(gapsOf(time, { start: 0, end: 120 })).toEqual([
      { from: 0, to: 10 },
      { from: 40, to: 60 },
      { from: 90, to: 100 },
    ]);
  });
});

describe('who a process is', () => {
  const tableOf = (
    cells: Readonly<Record<string, readonly (string | number | null)[]>>,
    times = [100, 101],
  ): SeriesTable => {
    const table = new SeriesTable();
    const metrics = Object.entries(cells).map(([name, values]) => ({
      name,
      units: { 'proc.psinfo.start_time': 'millisec', 'kernel.all.uptime': 'sec' }[name] ?? 'none',
      series: [{ instance: name.startsWith('proc.') ? 7 : null, values }],
    }));
    table.fill({ times, metrics });
    return table;
  };

  it('is what its last samples say, with when it began', () => {
    const facts = processFacts(
      tableOf({
        ...{
          'proc.psinfo.cmd': ['node', 'node'],
          'proc.psinfo.psargs': ['node a.js', null],
          'proc.psinfo.ppid': [1, 1],
        },
        ...{ 'proc.id.uid_nm': ['ann', null], 'proc.id.container': ['', ''], 'proc.psinfo.cgroups': [null, '0::/a/b'] },
        ...{ 'proc.psinfo.start_time': [4000, 4000], 'kernel.all.uptime': [50, 51] },
      }),
    );
    expect(facts).toEqual({
      ...{ name: 'node', commandLine: 'node a.js', user: 'ann', parent: 1, groups: ['/a/b'], container: undefined },
      ...{ began: 54, count: 1, lastSeen: 101, isGone: false },
    });
  });

  it('keeps its name when it has ended, and says when it was seen', () => {
    const times = [10, 11, 12, 13, 14, 15];
    const uptime = [1, 2, 3, 4, 5, 6];
    const table = tableOf(
      { 'proc.psinfo.cmd': ['cc1', 'cc1', null, null, null, null], 'kernel.all.uptime': uptime },
      times,
    );
    expect(processFacts(table)).toMatchObject({ name: 'cc1', lastSeen: 11, isGone: true });
  });

  it('counts those who had its number one after another', () => {
    expect(processFacts(tableOf({ 'proc.psinfo.start_time': [1000, 9000] }))).toMatchObject({
      count: 2,
      began: undefined,
    });
  });

  it('is nobody where nothing was sampled', () => {
    expect(processFacts(new SeriesTable())).toMatchObject({ name: undefined, groups: [], count: 0, isGone: false });
  });

  it.each([
    ['name=systemd:/;pids:/;memory:/a/b;cpu:/a/b;blkio:/c', ['/a/b', '/c']],
    ['0::/user.slice', ['/user.slice']],
    ['', []],
  ])('is in the groups of %s', (text, groups) => expect(groupsOf(text)).toEqual(groups));
});
