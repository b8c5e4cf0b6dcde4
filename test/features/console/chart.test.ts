import { readFileSync } from 'node:fs';
import { makeTimeZone, UTC_ZONE } from '../../../src/pmapi/index.js';
import {
  beforeText,
  clockText,
  durationText,
  instantText,
  windowText,
  timeTicks,
} from '../../../src/features/console/page/chart/axis-times.js';
import {
  axisTicks,
  columnTexts,
  numberText,
  partText,
  quantityOf,
  sameQuantity,
  scaleOf,
  valueText,
  withChartUnits,
} from '../../../src/features/console/page/chart/axis-units.js';
import {
  cellNear,
  commonPrefix,
  laneGroups,
  laneModel,
  pastCell,
  titleOf,
  valuesAt,
} from '../../../src/features/console/page/chart/lane-model.js';
import { COLOURS, placesOf } from '../../../src/features/console/page/chart/palette.js';
import { matchesGlob, meanOverTime, stateRuns } from '../../../src/features/console/page/chart/ranking.js';
import { SeriesTable } from '../../../src/features/console/page/data/series-table.js';
import { shiftedWindow } from '../../../src/features/console/page/state/time-window.js';
import fc from '../../support/properties.js';
import { laneOf, type Lane } from '../../../src/features/console/page/state/url-state.js';

/** The code that draws needs the types of browsers, which are not known here. */
const DRAW_LANE: string = '../../../src/features/console/page/chart/draw-lane.js';
const CANVAS: string = '../../../src/features/console/page/chart/chart-canvas.js';
interface Canvas {
  drawValues(brush: object, axis: object): void;
}
interface DrawLane {
  heightOf(model: ReturnType<typeof laneModel>): number;
  plotOf(width: number, height: number, window: { readonly start: number; readonly end: number }): object;
  drawLane(context: object, plot: object, drawing: object): void;
}

const SERIES = Array.from({ length: COLOURS }, (_, i) => `series ${i}`);

const quantity = (units: string, ownUnits = units, isRate = false, oneline = ''): ReturnType<typeof quantityOf> =>
  quantityOf({ units, ownUnits, isRate, oneline });

describe('units', () => {
  it.each([
    ['Kbyte / sec', 1536, '1.5 MiB/s'],
    ['byte', 512, '512 B'],
    ['Kbyte', 3 * 1024 * 1024, '3 GiB'],
    ['millisec', 1500, '1.5 s'],
    ['millisec', 0.25, '250 µs'],
    ['sec', 172_800, '2 d'],
    ['count / sec', 3612.4, '3,612 /s'],
    ['count x 10^3', 2500, '2.5 M'],
    ['none', 0.5, '0.5'],
    ['millisec / count', 4.1, '4.1 ms/count'],
    ['fortnights', 2, '2 fortnights'],
  ])('%s: %d is %s', (units, value, text) => {
    const found = quantity(units);
    expect(valueText(found, value * found.factor)).toBe(text);
  });

  it.each([
    [[7.5], 1, '7.5'],
    [[5_898_240], 1, '5,898,240'],
    [[7, 9, 8], 3, '9 (b, the greatest of 3)'],
    [['x', 2], 300, '2 (b, the greatest of the first 2 of 300)'],
    [[], 0, 'needs a second sample'],
  ])('a part of an expression with the values %j of %d has the text %s', (values, count, text) => {
    const instances = values.map((value, i) => ({ instance: i, name: 'abc'[i]!, value }));
    expect(partText({ count, instances, message: 'needs a second sample' })).toBe(text);
  });

  it('a rate of a time is per cent of the time that passed', () => {
    const share = quantity('none', 'millisec', true);
    expect(valueText(share, 0.314 * share.factor)).toBe('31.4 %');
    expect(valueText(quantity('none', 'none', false, 'per cent of processor time'), 78)).toBe('78.0 %');
    expect(valueText(share, 0.00042 * share.factor)).toBe('0.04 %');
    expect(valueText(share, 0.00000042 * share.factor)).toBe('< 0.01 %');
    expect(valueText(share, -0.00000042 * share.factor)).toBe('> -0.01 %');
    expect(valueText(share, 0)).toBe('0 %');
  });

  it('only the same dimension shares an axis', () => {
    expect(sameQuantity(quantity('byte / sec'), quantity('Kbyte / sec'))).toBe(true);
    expect(sameQuantity(quantity('byte / sec'), quantity('byte'))).toBe(false);
    expect(sameQuantity(quantity('none'), quantity('byte'))).toBe(false);
    const kinds: Record<string, string> = { a: 'byte', b: 'count', c: 'Kbyte' };
    expect(laneGroups(['a', 'b', 'c'], (name) => quantity(kinds[name]!))).toEqual([['a', 'c'], ['b']]);
  });

  it('axes have round steps, in powers of two for bytes', () => {
    const bytes = scaleOf(quantity('byte'), 5 * 1024);
    expect(axisTicks(0, 5 * 1024, 3, bytes).map((tick) => tick / bytes.divisor)).toEqual([0, 2, 4]);
    expect(axisTicks(0, 1, 3, scaleOf(quantity('byte'), 1))).toEqual([0, 1]);
    expect(axisTicks(0, 97, 4, scaleOf(quantity('count'), 97))).toEqual([0, 20, 40, 60, 80]);
    expect(axisTicks(-3, 7, 4, scaleOf(quantity('none'), 7))).toEqual([-2, 0, 2, 4, 6]);
    expect(axisTicks(0, 24, 3, scaleOf(quantity('Gbyte'), 24)).length).toBe(4);
    expect(axisTicks(1, 1, 4, scaleOf(quantity('none'), 1))).toEqual([1]);
  });

  it.each([
    [0, '0'],
    [1234567, '1,234,567'],
    [3.14159, '3.14'],
    [0.00001, '1.00e-5'],
    [-12.34, '-12.3'],
    [0.03514, '0.0351'],
    [0.000351, '0.000351'],
  ])('%d is written %s', (value, text) => expect(numberText(value)).toBe(text));

  it.each([
    [
      'Memory fills, 74.2 Mbyte / sec since 19:08:24 (it was 0 byte / sec)',
      'Memory fills, 74.2 MiB/s since 19:08:24 (it was 0 B/s)',
    ],
    ['started at 2,050 / sec, 3 Kbyte each', 'started at 2,050/s, 3 KiB each'],
    ['of Mbyte / sec in 2 bytes', 'of Mbyte / sec in 2 bytes'],
  ])('are those of charts in sentences of the gateway: %s', (sentence, shown) => {
    expect(withChartUnits(sentence)).toBe(shown);
  });
});

describe('numbers in a column', () => {
  it.each([
    [
      [22.5, 27.4, 28],
      ['22.5', '27.4', '28.0'],
    ],
    [
      [6, 14, 9],
      ['6', '14', '9'],
    ],
    [
      [0.52, 0.55, 0.18],
      ['0.52', '0.55', '0.18'],
    ],
    [
      [33.3, 0.023, 0.0001, -0.0001, 0],
      ['33.3', '0.023', '<0.001', '>-0.001', '0'],
    ],
    [
      [1234.5, 7.5, 0.3],
      ['1,235', '8', '0.3'],
    ],
    [
      [2e-5, 1e-5],
      ['2.00e-5', '1.00e-5'],
    ],
    [
      [1, Infinity],
      ['1', 'Infinity'],
    ],
    [[], []],
  ])('%j are written %j', (values, texts) => expect(columnTexts(values)).toEqual(texts));
});

describe('the time axis', () => {
  const closest = (xs: readonly number[]): number => Math.min(Infinity, ...xs.slice(1).map((x, i) => x - xs[i]!));
  const vienna = makeTimeZone('Europe/Vienna');

  it('has ticks at round times of the zone, across the night that clocks change', () => {
    const start = Date.parse('2026-10-25T00:30:00+02:00') / 1000;
    const labels = timeTicks(start, start + 6 * 3600, 600, vienna).map(({ label }) => label);
    expect(labels).toEqual(['01:00', '02:00', '02:00', '03:00', '04:00', '05:00']);
    const spring = Date.parse('2026-03-29T00:30:00+01:00') / 1000;
    expect(timeTicks(spring, spring + 4 * 3600, 400, vienna).map(({ label }) => label)).toEqual([
      '01:00',
      '03:00',
      '04:00',
      '05:00',
    ]);
  });

  it('says the date once, and again when it changes', () => {
    const start = Date.parse('2026-11-21T23:58:00Z') / 1000;
    const ticks = timeTicks(start, start + 240, 400, makeTimeZone('UTC'));
    expect(ticks.map(({ date }) => date)).toEqual(['2026-11-21', undefined, '2026-11-22', undefined, undefined]);
  });

  it('has days that begin at midnight', () => {
    const start = Date.parse('2026-10-24T12:00:00Z') / 1000;
    expect(timeTicks(start, start + 4 * 86_400, 400, vienna).map(({ label }) => label)).toEqual([
      '2026-10-25',
      '2026-10-26',
      '2026-10-27',
      '2026-10-28',
    ]);
  });

  it.each([600, 3600, 43_200, 86_400, 3 * 86_400, 7 * 86_400, 30 * 86_400, 400 * 86_400])(
    'has room for each of its texts, over %d seconds',
    (length) => {
      for (const width of [230, 360, 600, 900, 1100]) {
        for (let start = 0; start < 86_400; start += 4000) {
          const ticks = timeTicks(start, start + length, width, vienna);
          const xs = (shown: typeof ticks): number[] => shown.map(({ at }) => ((at - start) / length) * width);
          const dates = ticks.filter(({ date }) => date !== undefined);
          const letters = Math.max(0, ...ticks.map(({ label }) => label.length));
          expect(closest(xs(ticks))).toBeGreaterThan(7 * letters);
          expect(closest(xs(dates))).toBeGreaterThan(70);
        }
      }
    },
  );

  it('knows zones that only PCP has, and tenths of seconds', () => {
    expect(clockText(0, makeTimeZone('EST-10'), 60)).toBe('10:00');
    expect(clockText(1.25, makeTimeZone('UTC'), 0.1)).toBe('00:00:01.2');
    expect(instantText(1.0049999, makeTimeZone('UTC'), 0.001)).toBe('1970-01-01 00:00:01.004 UTC');
    const day = windowText({ start: 60, end: 90 }, makeTimeZone('UTC'));
    expect(day).toBe('1970-01-01 00:01:00 – 00:01:30 UTC');
    const night = windowText({ start: 86_399, end: 86_401 }, makeTimeZone('UTC'));
    expect(night).toBe('1970-01-01 23:59:59 UTC – 1970-01-02 00:00:01 UTC');
  });

  it.each([
    [0.25, '250 ms'],
    [90, '1 min 30 s'],
    [86_280, '23 h 58 min'],
    [7200, '2 h'],
  ])('%d seconds are %s', (seconds, text) => expect(durationText(seconds)).toBe(text));

  it.each([
    [3600, '1 hour before'],
    [604_800, '1 week before'],
    [5400, '1 h 30 min before'],
  ])('samples of %d seconds earlier are of %s', (seconds, text) => expect(beforeText(seconds)).toBe(text));
});

describe('a table of series', () => {
  const columns = {
    times: [1, 2, 3, 4, 5],
    metrics: [
      {
        name: 'a',
        units: 'none',
        series: [
          { instance: 0, name: 'x', values: [1, null, null, 4, 5] },
          { instance: 1, name: 'y', values: [1, null, null, 4, null] },
        ],
      },
      { name: 'b', units: 'none', series: [{ instance: null, values: [7, 8, null, null, 9] }] },
    ],
    marks: [{ row: 2 }],
  };

  it('tells a mark from what was not sampled just then, and from an instance that is absent', () => {
    const table = new SeriesTable();
    table.fill(columns);
    expect(table.gaps()).toEqual([{ from: 2, to: 4 }]);
    const [x, y, b] = table.series;
    expect(x!.cells).toEqual([1, undefined, null, 4, 5]);
    expect(y!.cells).toEqual([1, undefined, null, 4, null]);
    expect(b!.cells).toEqual([7, 8, null, undefined, 9]);
  });

  it('takes the first sample of a counter, which has no rate, for no gap', () => {
    const table = new SeriesTable();
    table.fill({ times: [1, 2], metrics: [{ name: 'a', units: '', series: [{ instance: null, values: [null, 3] }] }] });
    expect(table.gaps()).toEqual([]);
  });

  it('takes a sample without any value for no gap, unless recording was interrupted', () => {
    const metrics = [{ name: 'a', units: '', series: [{ instance: null, values: [1, null, 3] }] }];
    const [plain, marked] = [new SeriesTable(), new SeriesTable()];
    plain.fill({ times: [1, 2, 3], metrics });
    marked.fill({ times: [1, 2, 3], metrics, marks: [{ row: 1 }] });
    expect([plain.gaps(), marked.gaps()]).toEqual([[], [{ from: 1, to: 3 }]]);
    expect([plain.series[0]!.cells[1], marked.series[0]!.cells[1]]).toEqual([undefined, null]);
  });

  it('has the extremes of parts with several samples', () => {
    const table = new SeriesTable();
    const series = [{ instance: null, values: [2, 5], min: [1, 5], max: [4, null] }];
    table.fill({ times: [1, 2], metrics: [{ name: 'a', units: '', series }] });
    expect(table.series[0]).toMatchObject({ cells: [2, 5], least: [1, 5], greatest: [4, null] });
  });

  it('goes on with samples, without those that it has', () => {
    const table = new SeriesTable();
    table.fill(columns);
    const sample = (timestamp: number, value: number): Parameters<SeriesTable['push']>[0] => ({
      timestamp,
      values: [{ name: 'a', instances: [{ instance: 0, value }] }],
    });
    table.push(sample(5, 99), 1);
    table.push(sample(6, 6), 1);
    expect(table.times).toEqual([1, 2, 3, 4, 5, 6]);
    expect(table.series[0]!.cells.at(-1)).toBe(6);
    expect(table.series[1]!.cells.at(-1)).toBeNull();
    table.push({ timestamp: 6.9, values: [{ name: 'a', instances: [{ instance: 9, name: 'z', value: 1 }] }] }, 1);
    expect(table.series.at(-1)!.name).toBe('z');
  });

  it('has a gap where samples are missing', () => {
    const table = new SeriesTable();
    for (const timestamp of [1, 2, 10])
      table.push({ timestamp, values: [{ name: 'a', instances: [{ instance: null, value: 1 }] }] }, 1);
    expect(table.gaps()).toEqual([{ from: 2, to: 10 }]);
  });

  it('ends the line of a metric where far longer than usual only others were sampled, and its lane says so', () => {
    const table = new SeriesTable();
    const times = [1, 2, 3, 4, 5, 15, 25];
    const values = (isThere: (at: number) => boolean): (number | null)[] =>
      times.map((at) => (isThere(at) ? at : null));
    const column = (name: string, sem: 'instant' | 'discrete', isThere: (at: number) => boolean) => {
      return { name, units: '', sem, series: [{ instance: null, values: values(isThere) }] };
    };
    const metrics = [
      column('seen', 'instant', () => true),
      column('seldom', 'instant', (at) => at !== 15),
      column('short', 'instant', (at) => at < 3 || at > 15),
      column('version', 'discrete', (at) => at !== 15),
    ];
    table.fill({ times, metrics });
    const cellsOf = (name: string): unknown => table.series.find(({ metric }) => metric === name)!.cells;
    expect(cellsOf('seldom')).toEqual([1, 2, 3, 4, 5, null, 25]);
    // What its usual distance is was not known yet; and what changes seldom lasts.
    expect(cellsOf('short')).toEqual([1, 2, undefined, undefined, undefined, undefined, 25]);
    expect(cellsOf('version')).toEqual([1, 2, 3, 4, 5, undefined, 25]);
    expect([table.gaps(), table.gaps(['seldom']), table.gaps(['seldom', 'seen'])]).toEqual([
      [],
      [{ from: 5, to: 25 }],
      [],
    ]);
    // And where live samples follow.
    const sample = (timestamp: number, ...names: readonly string[]): void =>
      table.push({ timestamp, values: names.map((name) => ({ name, instances: [{ instance: null, value: 1 }] })) }, 10);
    for (const at of [35, 45, 55]) sample(at, 'seen');
    sample(65, 'seen', 'seldom');
    expect(table.series[1]!.cells.slice(-4)).toEqual([undefined, undefined, null, 1]);
    expect(table.gaps(['seldom'])).toEqual([
      { from: 5, to: 25 },
      { from: 25, to: 65 },
    ]);
  });

  describe('that begins with samples of a recording', () => {
    const begun = (times: readonly number[]): SeriesTable => {
      const table = new SeriesTable();
      table.fill({
        times,
        metrics: [{ name: 'a', units: '', series: [{ instance: null, values: times.map(() => 1) }] }],
      });
      return table;
    };
    const live = (table: SeriesTable, timestamp: number): void => {
      table.push({ timestamp, values: [{ name: 'a', instances: [{ instance: null, value: 1 }] }] }, 1);
    };

    it('has no gap before the live ones, which are closer together', () => {
      const table = begun([10, 20, 30]);
      table.missed({ from: 30, to: 39 }, 1);
      live(table, 39);
      live(table, 40);
      expect(table.times).toEqual([10, 20, 30, 39, 40]);
      expect(table.gaps()).toEqual([]);
    });

    it('has one where recording stopped before', () => {
      const table = begun([10, 20, 30]);
      table.missed({ from: 30, to: 60 }, 1);
      live(table, 60);
      expect(table.gaps()).toEqual([{ from: 30, to: 60 }]);
    });

    it('has one where live samples are missing later', () => {
      const table = begun([10, 20, 30]);
      for (const at of [39, 40]) live(table, at);
      table.missed({ from: 40, to: 49 }, 1);
      live(table, 49);
      expect(table.gaps()).toEqual([{ from: 40, to: 49 }]);
    });
  });

  it('of several sources has the samples of each at its own times, and the gaps of all', () => {
    const [one, other] = [new SeriesTable(), new SeriesTable()];
    one.fill(columns);
    other.fill({
      times: [2, 2.5, 3.5, 6],
      metrics: [
        {
          name: 'a',
          units: 'none',
          series: [{ instance: 0, name: 'x', values: [10, null, 30, 40], min: [9, 9, 9, 9] }],
        },
        { name: 'b', units: 'Kbyte', series: [{ instance: null, values: [1, 1, 1, 1] }] },
      ],
      marks: [{ row: 1 }],
    });
    const both = SeriesTable.join([
      { source: 'web1', table: one },
      { source: 'web2', table: other },
    ]);
    expect(both.times).toEqual([1, 2, 2.5, 3, 3.5, 4, 5, 6]);
    expect(both.gaps()).toEqual([{ from: 2, to: 3.5 }]);
    const named = both.series.map(({ source, metric, name }) => `${source} ${metric} ${name}`.trim());
    // Numbers in other units have no place on the same axis.
    expect(named).toEqual(['web1 a x', 'web1 a y', 'web1 b', 'web2 a x']);
    expect(both.series[0]!.cells).toEqual([1, undefined, undefined, null, undefined, 4, 5, undefined]);
    expect(both.series[3]!.cells).toEqual([undefined, 10, null, undefined, 30, undefined, undefined, 40]);
    expect(both.series[3]!.least).toEqual([undefined, 9, 9, undefined, 9, undefined, undefined, 9]);
    expect(both.units.get('b')).toBe('none');
    const model = laneModel(both, {
      ...{ lane: { ...laneOf('a'), form: 'stack' }, names: ['a'], window: { start: 0, end: 7 }, facts: new Map() },
    });
    expect([model.form, model.drawn.map(({ label }) => label)]).toEqual(['line', ['web2 x', 'web1 x', 'web1 y']]);
  });

  it('has one series for a process, whatever number and name it has where live values follow a recording', () => {
    const table = new SeriesTable();
    const recorded = { instance: 1_073_742_508, name: '000077 hog', values: [1] };
    table.fill({ times: [10], metrics: [{ name: 'proc.cpu.util', units: '', series: [recorded] }] });
    const live = { instance: 77, name: '000077 /usr/bin/hog -v', value: 2 };
    table.push({ timestamp: 11, values: [{ name: 'proc.cpu.util', instances: [live] }] }, 1);
    expect(table.series).toMatchObject([{ instance: 77, name: '000077 /usr/bin/hog -v', cells: [1, 2] }]);
  });

  it('forgets what is old, and instances that are gone', () => {
    const table = new SeriesTable();
    for (let timestamp = 0; timestamp < 200; timestamp++) {
      const instance = timestamp < 50 ? 1 : 2;
      table.push({ timestamp, values: [{ name: 'a', instances: [{ instance, value: 1 }] }] }, 1);
    }
    table.trim(100);
    expect(table.times[0]).toBe(100);
    expect(table.series.map(({ instance }) => instance)).toEqual([2]);
  });
});

describe('the window of earlier samples', () => {
  it('is that of the shown ones, earlier', () => {
    expect(shiftedWindow({ start: 1000, end: 1300 }, 60, false)).toEqual({ start: 940, end: 1240 });
  });

  it('changes once in a while when the shown one follows the clock, and never reaches the present', () => {
    const spans = fc.record({ length: fc.integer({ min: 1, max: 1e6 }), shift: fc.integer({ min: 1, max: 1e6 }) });
    fc.assert(
      fc.property(spans, fc.integer({ min: 1e9, max: 2e9 }), ({ length, shift }, now) => {
        const of = (end: number): ReturnType<typeof shiftedWindow> =>
          shiftedWindow({ start: end - length, end }, shift, true);
        const { start, end } = of(now);
        expect(start).toBeLessThanOrEqual(now - length - shift);
        expect(end).toBeGreaterThanOrEqual(now - shift);
        expect(end).toBeLessThan(now);
      }),
    );
    const windows = Array.from({ length: 60 }, (_, i) => {
      const end = 1e9 + i;
      return shiftedWindow({ start: end - 300, end }, 3600, true).start;
    });
    expect(new Set(windows).size).toBeLessThanOrEqual(2);
  });
});

describe('the value at an instant', () => {
  const cells = [undefined, 1, undefined, 2, 3, null, 7, undefined];
  const times = [90, 100, 105, 110, 120, 170, 220, 230];

  it.each([
    [100, 1],
    [104, 1],
    [106, 2],
    [119, 3],
    [129, 3],
    [221, 7],
  ])('%d', (at, value) => expect(cellNear({ times }, { cells }, at)).toBe(value));

  it.each([20, 80, 150, 160, 170, 210, 290, 9999])('is none at %d, where nothing was sampled', (at) => {
    expect(cellNear({ times }, { cells }, at) ?? undefined).toBeUndefined();
  });
});

describe('a lane', () => {
  const facts = new Map([['a', { name: 'a', type: 'double', sem: 'instant', units: 'byte' }]]);
  const table = new SeriesTable();
  table.fill({
    times: [1, 2],
    metrics: [
      {
        name: 'a',
        units: 'byte',
        series: ['sda', 'sdb', 'vda'].map((name, i) => ({ instance: i, name, values: [i * 1024, i * 2048] })),
      },
    ],
  });
  const of = (lane: ReturnType<typeof laneOf>): ReturnType<typeof laneModel> =>
    laneModel(table, { lane, names: ['a'], window: { start: 1, end: 2 }, facts });

  it('draws the greatest, from zero', () => {
    const model = of({ ...laneOf('a'), top: 2 });
    expect(model.drawn.map(({ label }) => label)).toEqual(['vda', 'sdb']);
    expect(model).toMatchObject({ total: 3, matching: 3, least: 0, form: 'line', scale: { unit: 'KiB' } });
    expect(of({ ...laneOf('a'), fits: true, instances: 'vda' }).least).toBeGreaterThan(1024);
  });

  it('goes no further than values can be, and writes the unit of the definition', () => {
    const hinted = (
      display: { unit?: string; min?: number; max?: number },
      lane = laneOf('a'),
    ): ReturnType<typeof of> => {
      const known = { name: 'a', type: 'u32', sem: 'instant', units: 'none', display };
      return laneModel(table, { lane, names: ['a'], window: { start: 1, end: 2 }, facts: new Map([['a', known]]) });
    };
    expect(hinted({ max: 4100 })).toMatchObject({ least: 0, greatest: 4100 * 1 });
    expect(hinted({ max: 4096 }).greatest).toBe(4096);
    expect(hinted({ max: 100 }).greatest).toBeGreaterThan(4096);
    expect(hinted({ max: 9999 }).greatest).toBeLessThan(5000);
    expect(hinted({ min: 0 }, { ...laneOf('a'), fits: true }).least).toBe(0);
    expect(hinted({}, { ...laneOf('a'), fits: true }).least).toBeLessThan(0);
    const unit = (unitHint: string, isRate = false): string =>
      valueText(quantityOf({ units: 'none', ownUnits: 'none', isRate, unitHint }), 42);
    expect([unit('%'), unit('req'), unit('%', true)]).toEqual(['42.0 %', '42 req', '42']);
  });

  describe('with earlier samples beneath', () => {
    const past = new SeriesTable();
    const series = [
      { instance: 7, name: 'vda', values: [8192, 4096, 512] },
      { instance: 1, name: 'gone', values: [9, 9, 9] },
    ];
    past.fill({ times: [-99, -98.5, -98], metrics: [{ name: 'a', units: 'byte', series }] });
    const over = (start: number): ReturnType<typeof laneModel> => {
      const window = { start, end: start + 1 };
      return laneModel(table, { lane: laneOf('a'), names: ['a'], window, facts, past: { table: past, shiftSec: 100 } });
    };

    it('has those of the same instance, whatever its number, and room for them on its axis', () => {
      const model = over(1);
      const found = model.drawn.map(({ label, past: before }) => [label, before?.summary.last]);
      expect(found).toEqual([
        ['vda', 512],
        ['sdb', undefined],
        ['sda', undefined],
      ]);
      expect(model.greatest).toBeGreaterThan(8192);
      expect([undefined, 1, 1.5, 2, 4].map((at) => pastCell(model, 0, at))).toEqual([512, 8192, 4096, 512, undefined]);
      expect(pastCell(model, 1, 1)).toBeUndefined();
    });

    it('has none of another time', () => {
      expect(over(3).drawn.map(({ past: before }) => before)).toEqual([undefined, undefined, undefined]);
    });
  });

  it('has values at a moment, greatest first, in the colours of their series', () => {
    const pointed = valuesAt(of(laneOf('a')), table, 2, [4, 5, 6]);
    expect(pointed).toMatchObject([
      { label: 'vda', text: '4 KiB', place: 4 },
      { label: 'sdb', text: '2 KiB', place: 5 },
      { label: 'sda', text: '0 B', place: 6 },
    ]);
    expect(valuesAt(of(laneOf('a')), table, 90, [])).toEqual([]);
  });

  it('filters instances', () => {
    expect(of({ ...laneOf('a'), instances: 'sd*' }).matching).toBe(2);
    expect(of({ ...laneOf('a'), instances: '!sd*' }).drawn.map(({ label }) => label)).toEqual(['vda']);
  });

  it('names the metrics alone where one instance of them was chosen', () => {
    const disks = new SeriesTable();
    const instances = ['vda', 'vdb'].map((name, instance) => ({ instance, name, value: 1 }));
    disks.push({ timestamp: 1, values: ['disk.read', 'disk.write'].map((name) => ({ name, instances })) }, 1);
    const labels = (lane: Partial<Lane>): readonly string[] => {
      const names = ['disk.read', 'disk.write'];
      const wanted = { lane: { ...laneOf(...names), ...lane }, names, window: { start: 0, end: 2 }, facts: new Map() };
      return laneModel(disks, wanted).drawn.map(({ label }) => label);
    };
    expect(labels({ instances: 'vda' })).toEqual(['read', 'write']);
    expect(labels({ instances: 'vd*' })).toEqual(['read vda', 'read vdb', 'write vda', 'write vdb']);
    expect(labels({})).toHaveLength(4);
  });

  it('has numbers of what ended before its name was known, and finds it by them', () => {
    const ended = new SeriesTable();
    const values = ['proc.io.read', 'disk.read'].map((name) => ({ name, instances: [{ instance: 7, value: 1 }] }));
    ended.push({ timestamp: 1, values }, 1);
    const labels = (name: string, instances: string): readonly string[] =>
      laneModel(ended, {
        ...{ lane: { ...laneOf(name), instances }, names: [name] },
        ...{ window: { start: 0, end: 2 }, facts: new Map() },
      }).drawn.map(({ label }) => label);
    expect(labels('proc.io.read', 'ended process 7')).toEqual(['ended process 7']);
    expect(labels('disk.read', '*')).toEqual(['#7']);
  });

  it('has a short title', () => {
    expect(titleOf(['disk.dev.read', 'disk.dev.write'])).toBe('disk.dev: read + write');
    expect(titleOf(['a.b', 'c.d'])).toBe('a.b + c.d');
    expect(commonPrefix(['disk.dev'])).toBe('');
  });
});

describe('the mean over time', () => {
  const tenThenOne = [10, 20, 30, 40, 50, 60, 61, 62, 63, 64, 65];
  it.each([
    ['of one', [1, 2], [null, 5], 5],
    ['of two', [1, 9], [5, 6], 5.5],
    ['of three, whatever their distances', [1, 2, 600], [3, 4, 8], 5],
    // Five that count for 10 s, and six for 1 s.
    ['of samples of 10 s, then of 1 s', tenThenOne, [0, 0, 0, 0, 0, 56, 56, 56, 56, 56, 56], 6],
    ['of samples on both sides of a gap', [1, 2, 3, 1003, 1004, 1005], [0, 0, 0, 6, 6, 6], 3],
    ['of a sample before a gap', [0, 1000, 1001, 1002, 1003], [100, 0, 0, 0, 0], 20],
    ['of samples between those of another metric', [1, 1.5, 2, 3, 4], [4, undefined, 6, 5, 5], 5],
  ])('%s', (_, times, cells, mean) => expect(meanOverTime(times, cells)).toBeCloseTo(mean, 9));

  it('is not a number of no numbers', () => expect(meanOverTime([1, 2], [null, 'up'])).toBeNaN());

  it('is the one of all values where they are equally far apart', () => {
    const values = fc.array(fc.integer({ min: -1e6, max: 1e6 }), { minLength: 1 });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 1e4 }), (cells, apart) => {
        const times = cells.map((_value, i) => 1e9 + i * apart);
        expect(meanOverTime(times, cells)).toBeCloseTo(cells.reduce((a, b) => a + b) / cells.length, 6);
      }),
    );
  });
});

describe('drawing', () => {
  it('states last until the next one, and end at gaps', () => {
    expect(stateRuns([1, 2, 3, 4, 5], ['up', 'up', 'down', null, 'down'], 0, 5)).toEqual([
      { from: 1, to: 3, text: 'up' },
      { from: 3, to: 3, text: 'down' },
      { from: 5, to: 5, text: 'down' },
    ]);
  });

  it.each([
    ['sd*', 'sda', true],
    ['*a*b*', 'xxaxxbxx', true],
    ['sd?', 'sd', false],
    ['a[b]', 'a[b]', true],
    [`${'*a'.repeat(30)}b`, 'a'.repeat(1000), false],
  ])('%s and %s: %s', (glob, name, matches) => expect(matchesGlob(glob, name)).toBe(matches));

  /** What is done to a canvas on which a lane of the only metric is drawn: the corners and widths of what is filled, and how lines are drawn. */
  async function drawnOf(
    table: SeriesTable,
    past?: { table: SeriesTable; shiftSec: number },
    form?: 'heat',
    type = 'double',
    hasNames = true,
  ) {
    const { drawLane, heightOf, plotOf } = (await import(DRAW_LANE)) as DrawLane;
    const window = { start: 1, end: 5 };
    const facts = new Map([['a', { name: 'a', type, sem: 'instant', units: '' }]]);
    const model = laneModel(table, { lane: { ...laneOf('a'), form }, names: ['a'], window, facts, past });
    const [fills, strokes, widths]: [number[], string[], number[]] = [[], [], []];
    const texts: [text: string, x: number][] = [];
    let points = 0;
    const context: Record<string, unknown> = {
      beginPath: () => (points = 0),
      lineTo: () => points++,
      fill: () => fills.push(points),
      fillRect: (_x: number, _y: number, width: number) => widths.push(width),
      setLineDash: (dash: readonly number[]) => (context.dash = dash.join()),
      stroke: () => strokes.push(`${String(context.strokeStyle)} ${String(context.dash)}`),
      fillText: (text: string, x: number) => texts.push([text, x]),
      measureText: (text: string) => ({ width: text.length }),
    };
    const canvas = new Proxy(context, { get: (own, key) => own[String(key)] ?? ((): void => undefined) });
    drawLane(canvas, plotOf(500, heightOf(model), window), {
      ...{ table, model, window, gaps: [], zone: UTC_ZONE, places: model.drawn.map((_, i) => i), hasNames },
      colours: { ink: '', ink2: '', line: '', paper: '', gap: '', accent: '', warm: '', series: SERIES },
    });
    return { fills, strokes, widths, texts };
  }

  it.each(['Kbyte / sec', 'count / sec', 'millisec', 'byte', 'requests / fortnight'])(
    'an axis has its unit once, and no two texts touch: %s',
    async (units) => {
      const { drawValues } = (await import(CANVAS)) as Canvas;
      const known = quantity(units);
      for (const [left, bottom] of [
        [48, 138],
        [64, 388],
      ]) {
        for (let size = 0; size < 200; size++) {
          const greatest = known.factor * 1.02 ** size * 1.06;
          const scale = scaleOf(known, greatest);
          const texts: { text: string; at: number }[] = [];
          const context = {
            ...{ beginPath() {}, moveTo() {}, lineTo() {}, stroke() {} },
            measureText: (text: string) => ({ width: 6.5 * text.length }),
            fillText: (text: string, _x: number, at: number) => texts.push({ text, at }),
          };
          const y = (value: number): number => bottom! - (value / greatest) * (bottom! - 8);
          const brush = { context, plot: { left, right: 300, top: 8, bottom }, colours: {} };
          drawValues(brush, { least: 0, greatest, scale, y });
          texts.sort((a, b) => a.at - b.at);
          const isClose = ({ at }: { at: number }, i: number): boolean => i > 0 && at - texts[i - 1]!.at < 14;
          const close = texts.filter(isClose).map(({ text }) => text);
          // The unit is part of the number above it.
          expect([greatest, close.filter((text) => text !== scale.unit)]).toEqual([greatest, []]);
          expect(texts.filter(({ text }) => text.endsWith(scale.unit)).length).toBe(1);
        }
      }
    },
  );

  it('a band ends where nothing was recorded, and is left out where the line would hide it', async () => {
    const fillsOf = async (wide: number): Promise<number[]> => {
      const [least, greatest] = [0, wide].map((by) => [10, 10, null, 10, 10].map((at) => at && at + by));
      const series = [{ instance: null, values: least!, min: least!, max: greatest! }];
      const bands = new SeriesTable();
      bands.fill({ times: [1, 2, 3, 4, 5], metrics: [{ name: 'a', units: '', series }], marks: [{ row: 2 }] });
      return (await drawnOf(bands)).fills;
    };
    expect(await fillsOf(5)).toEqual([4, 4]);
    expect(await fillsOf(0.01)).toEqual([]);
  });

  it('a shade lasts until the next sample, and not into a gap', async () => {
    const shades = new SeriesTable();
    const series = [{ instance: null, values: [10, 10, null, 10, 10] }];
    shades.fill({ times: [1, 2, 3, 4, 5], metrics: [{ name: 'a', units: '', series }], marks: [{ row: 2 }] });
    const { widths } = await drawnOf(shades, undefined, 'heat');
    expect(widths.map((width) => width > 1)).toEqual([true, false, true, false]);
  });

  it('texts begin after the names of their rows, which stand there only where no legend is beside them', async () => {
    const states = new SeriesTable();
    const series = ['one', 'two'].map((name, instance) => ({ instance, name, values: ['up', 'up', 'up'] }));
    states.fill({ times: [1, 2, 5], metrics: [{ name: 'a', units: '', series }] });
    const { texts } = await drawnOf(states, undefined, undefined, 'string');
    const ends = texts.filter(([text]) => text === 'one' || text === 'two').map(([text, x]) => x + text.length);
    const begins = texts.filter(([text]) => text === 'up').map(([, x]) => x);
    expect([begins.length, ends.length]).toEqual([2, 2]);
    expect(Math.min(...begins)).toBeGreaterThan(Math.max(...ends));
    for (const [form, type, named] of [
      [undefined, 'string', 'up'],
      ['heat', 'double', ''],
    ] as const) {
      const beside = (await drawnOf(states, undefined, form, type, false)).texts.map(([text]) => text);
      expect(beside.filter((text) => ['one', 'two', 'up'].includes(text))).toEqual(named === '' ? [] : [named, named]);
    }
  });

  it('earlier samples are dashed, in the colours of their series', async () => {
    const at = (times: number[], values: readonly (readonly number[])[]): SeriesTable => {
      const series = values.map((each, instance) => ({ instance, name: `part ${instance}`, values: each }));
      const filled = new SeriesTable();
      filled.fill({ times, metrics: [{ name: 'a', units: '', series }] });
      return filled;
    };
    const now = at(
      [1, 5],
      [
        [9, 9],
        [5, 5],
      ],
    );
    const { strokes } = await drawnOf(now, {
      table: at(
        [-9, -5],
        [
          [1, 2],
          [3, 4],
        ],
      ),
      shiftSec: 10,
    });
    const [first, second] = SERIES;
    expect(strokes.slice(-4)).toEqual([`${first} 4,3`, `${second} 4,3`, `${second} `, `${first} `]);
  });

  it('an instance has the same colour in every lane and at every load, and no two in a lane have one', () => {
    const names = ['sda', 'sdb', 'vda', 'eth0', 'lo', 'cpu0', 'cpu1', '1 minute'];
    const all = placesOf(names, names);
    expect(new Set(all).size).toBe(names.length);
    expect(placesOf(names.toReversed(), names)).toEqual(all);
    // Whichever of them are drawn.
    for (const [i, name] of names.entries()) expect(placesOf(names, [name])).toEqual([all[i]]);
  });

  it('one of many has the colour of its name, and a line of its own', () => {
    const many = Array.from({ length: 400 }, (_, i) => `process ${i}`);
    const drawn = many.slice(100, 108);
    const places = placesOf(many, drawn);
    expect(new Set(places).size).toBe(drawn.length);
    for (const [i, name] of drawn.entries()) expect(placesOf(many, [name])).toEqual([places[i]! % COLOURS]);
  });

  it('has as many colours in either scheme, all different', () => {
    const css = readFileSync('src/features/console/page/style/colours.css', 'utf8');
    const schemes = css.split('--s0').slice(1);
    const [light, dark, auto] = schemes.map((scheme) =>
      [...`--s0${scheme}`.matchAll(/--s\d: (#\w+);/g)].map(([, of]) => of),
    );
    expect([light!.length, new Set([...light!, ...dark!]).size, auto]).toEqual([COLOURS, 2 * COLOURS, dark]);
  });
});
