import { SourceTextError, type Timestamp, UTC_ZONE, makeTimeZone, parseTimeWindow } from '../../../src/pmapi/index.js';

const START = { sec: 1_000_000, nsec: 500_000_000 }; // 1970-01-12 13:46:40.5 UTC
const END = { sec: 1_003_600, nsec: 250_000_000 };
const NOW = { sec: 1_795_191_600, nsec: 0 }; // 2026-11-20 16:20 UTC
const BOUNDS = { start: START, end: END, now: NOW, zone: UTC_ZONE };
const at = (sec: number, nsec = 0): Timestamp => ({ sec, nsec });

type Row = [
  start: string | undefined,
  finish: string | undefined,
  align: string | undefined,
  origin: string | undefined,
  expectedStart: Timestamp,
  expectedEnd: Timestamp,
  expectedOrigin: Timestamp,
];
const HALF = 500_000_000;
const QUARTER = 250_000_000;
const none = undefined;

describe('parseTimeWindow', () => {
  it.each<Row>([
    [none, none, none, none, START, END, START],
    ['5min', none, none, none, at(1_000_300, HALF), END, at(1_000_300, HALF)],
    ['-5min', none, none, none, at(1_003_300, QUARTER), END, at(1_003_300, QUARTER)],
    [none, '10min', none, none, START, at(1_000_600, HALF), START],
    [none, '-10min', none, none, START, at(1_003_000, QUARTER), START],
    ['5min', '10min', none, none, at(1_000_300, HALF), at(1_000_900, HALF), at(1_000_300, HALF)],
    ['-10min', '5min', none, none, at(1_003_000, QUARTER), at(1_003_300, QUARTER), at(1_003_000, QUARTER)],
    ['@14:00', '@14:30', none, none, at(1_000_800), at(1_002_600), at(1_000_800)],
    [none, none, '10min', none, at(1_000_200), END, at(1_000_200)],
    ['5min', '30min', '15min', none, at(1_000_800), at(1_002_600), at(1_000_800)],
    [none, none, none, '-1sec', START, END, at(1_003_599, QUARTER)],
    [none, none, none, '+2min', START, END, at(1_000_120, HALF)],
    [none, none, none, '-0', START, END, END],
    [none, none, '1hour', '30sec', at(1_000_800), END, at(1_000_800)],
    [none, none, none, '@1:00', START, END, END],
    ['-2hour', none, none, none, START, END, START],
    [none, '2hour', none, none, START, END, START],
    // The end is not moved behind a start that it lies before, nor the start before an end.
    ['2hour', none, none, none, at(1_007_200, HALF), END, at(1_007_200, HALF)],
    ['5min', '-2hour', none, none, at(1_000_300, HALF), at(996_400, QUARTER), at(1_000_300, HALF)],
    // Aligned from the epoch; the origin too, backwards when forwards would pass the end.
    [none, none, '7min', none, at(1_000_020), END, at(1_000_020)],
    [none, none, '1.1sec', none, at(1_000_001, 200_000_000), END, at(1_000_001, 200_000_000)],
    [none, none, '15min', '10min', at(1_000_800), END, at(1_001_700)],
    [none, none, '10min', '-30sec', at(1_000_200), END, at(1_003_200)],
    [none, none, '10min', '2hour', at(1_000_200), END, at(1_003_200)],
    [none, '31min', '10min', '29min', at(1_000_200), at(1_002_060), at(1_002_000)],
    ['-25min', none, '10min', '1min', at(1_002_600), END, at(1_003_200)],
    // An end before the start holds back an origin that is not before the start.
    ['@14:10', '-2hour', none, '@Jan 12 13:50', at(1_001_400), at(996_400, QUARTER), at(1_001_400)],
    [none, '-2hour', none, '@', START, at(996_400, QUARTER), at(996_400, QUARTER)],
    [none, '-2hour', none, '1min', START, at(996_400, QUARTER), at(996_400, QUARTER)],
  ])('start %j, finish %j, align %j, origin %j', (start, finish, align, origin, ...expected) => {
    const window = parseTimeWindow({ start, finish, align, origin }, BOUNDS);
    expect([window.start, window.end, window.origin]).toEqual(expected);
    expect(window.isAligned).toBe(true);
  });

  it.each([
    ['-5min', none, '10min', none, at(1_003_300, QUARTER), at(1_003_300, QUARTER)],
    ['2hour', none, '10min', none, at(1_007_200, HALF), at(1_007_200, HALF)],
    [none, none, '3day', none, START, START],
    ['-5min', '2min', '10min', '1min', at(1_003_300, QUARTER), at(1_003_360, QUARTER)],
  ])('gives up an alignment that leaves the window: %j %j %j %j', (start, finish, align, origin, from, first) => {
    const window = parseTimeWindow({ start, finish, align, origin }, BOUNDS);
    expect(window).toMatchObject({ start: from, origin: first, isAligned: false });
  });

  it.each([
    ['@14:00', 1_000_800, 0],
    ['@14:00:10.25', 1_000_810, QUARTER],
    ['@Jan 12 14:00', 1_000_800, 0],
    ['@Mon Jan 12 14:00:05 1970', 1_000_805, 0],
    ['@Jan 12 13:50:00 1970', 1_000_200, 0],
    ['@12 Jan 1970 14:00', 1_000_800, 0],
    ['@1970-01-12 14:00:10', 1_000_810, 0],
    ['@01/12/70 14:00', 1_000_800, 0],
    ['@1970-01-12', START.sec, HALF],
    ['1000300', 1_000_300, 0],
    ['1970-01-12T14:00:10.25Z', 1_000_810, QUARTER],
  ])('starts at %j', (start, sec, nsec) => {
    expect(parseTimeWindow({ start }, BOUNDS).start).toEqual({ sec, nsec });
  });

  it('has no end for a live source unless one is asked for', () => {
    const live = { start: NOW, now: NOW, zone: UTC_ZONE };
    expect(parseTimeWindow({}, live)).toEqual({ start: NOW, end: undefined, origin: NOW, isAligned: true });
    expect(parseTimeWindow({ finish: '10min' }, live).end).toEqual(at(NOW.sec + 600));
    expect(parseTimeWindow({ align: '1hour', origin: '+10min' }, live).origin).toEqual(at(1_795_197_600));
  });

  it('reads times of day in the zone', () => {
    const zone = makeTimeZone('AEST-10');
    expect(parseTimeWindow({ start: '@Jan 13 00:00' }, { ...BOUNDS, zone }).start).toEqual(at(1_000_800));
  });

  it('takes a bare number as PCP does when asked to', () => {
    expect(parseTimeWindow({ start: '300' }, { ...BOUNDS, bareNumber: 'offset' }).start).toEqual(at(1_000_300, HALF));
  });

  it.each([
    ['start', 'bogus', 'unexpected value'],
    ['finish', '+5 mumble', 'unexpected value'],
    ['align', '0', 'alignment specified by -A switch could not be applied'],
    ['align', '', 'Null or empty specification'],
    ['origin', '@25:00', 'unexpected value'],
  ])('names the parameter of a wrong %s', (parameter, text, message) => {
    expect.assertions(3);
    try {
      parseTimeWindow({ [parameter]: text }, BOUNDS);
    } catch (error) {
      expect(error).toBeInstanceOf(SourceTextError);
      expect((error as SourceTextError).details.parameter).toBe(parameter);
      expect((error as SourceTextError).message).toBe(message);
    }
  });
});
