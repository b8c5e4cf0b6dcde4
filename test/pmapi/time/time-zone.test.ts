import fc from '../../support/properties.js';
import {
  formatIsoTime,
  fromLocalTime,
  GatewayError,
  makeTimeZone,
  toLocalTime,
  UTC_ZONE,
} from '../../../src/pmapi/index.js';

const HOUR = 3600;
const utc = (text: string): number => Date.parse(`${text}Z`) / 1000;

describe('makeTimeZone', () => {
  it.each([
    ['UTC', '2026-07-01T00:00', 0, 'UTC'],
    ['', '2026-07-01T00:00', 0, 'UTC'],
    [':UTC', '2026-07-01T00:00', 0, 'UTC'],
    ['AEST-10', '2026-01-01T00:00', 10 * HOUR, 'AEST'],
    ['EDT+4', '2026-01-01T00:00', -4 * HOUR, 'EDT'],
    ['<+0330>-3:30', '2026-01-01T00:00', 3.5 * HOUR, '+0330'],
    ['XYZ-5:45:30', '2026-01-01T00:00', 5 * HOUR + 45 * 60 + 30, 'XYZ'],
    // The days 88 and 298 of the year, counted from 0, leap days included.
    ['EST-11EST-10,88/2:00,298/2:00', '2026-01-01T00:00', 11 * HOUR, 'EST'],
    ['EST-11EST-10,88/2:00,298/2:00', '2026-03-29T14:59:59', 11 * HOUR, 'EST'],
    ['EST-11EST-10,88/2:00,298/2:00', '2026-03-29T15:00', 10 * HOUR, 'EST'],
    ['EST-11EST-10,88/2:00,298/2:00', '2026-10-25T15:59:59', 10 * HOUR, 'EST'],
    ['EST-11EST-10,88/2:00,298/2:00', '2026-10-25T16:00', 11 * HOUR, 'EST'],
    ['CET-1CEST,M3.5.0,M10.5.0/3', '2026-03-29T00:59:59', HOUR, 'CET'],
    ['CET-1CEST,M3.5.0,M10.5.0/3', '2026-03-29T01:00', 2 * HOUR, 'CEST'],
    ['CET-1CEST,M3.5.0,M10.5.0/3', '2026-10-25T00:59:59', 2 * HOUR, 'CEST'],
    ['CET-1CEST,M3.5.0,M10.5.0/3', '2026-10-25T01:00', HOUR, 'CET'],
    // South of the equator: summer over the turn of the year.
    ['AEST-10AEDT,M10.1.0,M4.1.0/3', '2026-01-01T00:00', 11 * HOUR, 'AEDT'],
    ['AEST-10AEDT,M10.1.0,M4.1.0/3', '2026-07-01T00:00', 10 * HOUR, 'AEST'],
    ['ABC3DEF,J60/0,J300/0', '2024-03-01T02:59:59', -3 * HOUR, 'ABC'],
    ['ABC3DEF,J60/0,J300/0', '2024-03-01T03:00', -2 * HOUR, 'DEF'],
    ['NST3:30NDT', '2026-07-01T00:00', -2.5 * HOUR, 'NDT'],
    ['EST5EDT', '2026-07-01T00:00', -4 * HOUR, 'EDT'],
    ['EST5EDT,M3.2.0,M11.1.0', '2026-03-08T06:59:59', -5 * HOUR, 'EST'],
    ['EST5EDT,M3.2.0,M11.1.0', '2026-03-08T07:00', -4 * HOUR, 'EDT'],
    [':Australia/Melbourne', '2026-01-01T00:00', 11 * HOUR, 'GMT+11'],
    ['Australia/Melbourne', '2026-07-01T00:00', 10 * HOUR, 'GMT+10'],
    ['Asia/Kathmandu', '2026-07-01T00:00', 5.75 * HOUR, 'GMT+5:45'],
    ['Europe/Berlin', '2026-03-29T00:59:59', HOUR, 'GMT+1'],
    ['Europe/Berlin', '2026-03-29T01:00', 2 * HOUR, 'GMT+2'],
  ])('knows the offset of %j at %s', (text, moment, offset, abbreviation) => {
    const zone = makeTimeZone(text);
    expect(zone.offsetAt(utc(moment))).toBe(offset);
    expect(zone.abbreviationAt(utc(moment))).toBe(abbreviation);
  });

  it.each([
    'Mars/Olympus', 'AEST', 'X-1', 'AEST-10AEDT,M13.1.0,M4.1.0', 'AEST-10AEDT,M1.1.0', 'AEST-10:99', 'A B',
    'EST5EDT,J0,J5', 'EST5EDT,366,5', 'EST5EDT,M3.2.0/200,M11.1.0', '../etc/passwd', 'X'.repeat(200),
  ])('rejects %j', (text) => {
    expect(() => makeTimeZone(text)).toThrow(GatewayError);
  }); // prettier-ignore

  it('agrees with the rules of the same zone by name', () => {
    const pairs = [
      ['CET-1CEST,M3.5.0,M10.5.0/3', 'Europe/Berlin'],
      ['AEST-10AEDT,M10.1.0,M4.1.0/3', 'Australia/Melbourne'],
      ['EST5EDT,M3.2.0,M11.1.0', 'America/New_York'],
      ['NZST-12NZDT,M9.5.0,M4.1.0/3', 'Pacific/Auckland'],
    ].map(([posix, name]) => [makeTimeZone(posix!), makeTimeZone(name!)] as const);
    const from = utc('2010-01-01T00:00');
    const to = utc('2036-01-01T00:00');
    fc.assert(
      fc.property(fc.constantFrom(...pairs), fc.integer({ min: from, max: to }), ([posix, named], sec) => {
        expect(posix.offsetAt(sec)).toBe(named.offsetAt(sec));
      }),
    );
  });
});

describe('toLocalTime and fromLocalTime', () => {
  it('are each other’s inverse but for the hour that clocks show twice', () => {
    const zones = ['UTC', 'AEST-10', 'Europe/Berlin', 'CET-1CEST,M3.5.0,M10.5.0/3', 'Asia/Kathmandu'].map(makeTimeZone);
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: utc('1971-01-01T00:00'), max: utc('2100-01-01T00:00') }),
        (zone, sec) => {
          const back = fromLocalTime(zone, toLocalTime(zone, sec));
          expect([sec, sec - HOUR]).toContain(back);
          expect(toLocalTime(zone, back)).toEqual(toLocalTime(zone, sec));
        },
      ),
    );
  });

  it('takes the first of two moments and steps over a gap', () => {
    const zone = makeTimeZone('Europe/Berlin');
    const local = { year: 2026, month: 10, day: 25, hour: 2, minute: 30, second: 0 };
    expect(fromLocalTime(zone, local)).toBe(utc('2026-10-25T00:30'));
    expect(fromLocalTime(zone, { ...local, month: 3, day: 29 })).toBe(utc('2026-03-29T01:30'));
  });

  it('carries parts out of range', () => {
    const local = { year: 2026, month: 14, day: 31, hour: 25, minute: 61, second: 61 };
    expect(fromLocalTime(UTC_ZONE, local)).toBe(utc('2027-03-04T02:02:01'));
  });

  it('drops fractions of seconds downwards, before the epoch too', () => {
    expect(toLocalTime(UTC_ZONE, -0.5)).toMatchObject({ year: 1969, second: 59, weekday: 3 });
  });

  it('answers NaN beyond the calendar', () => {
    expect(fromLocalTime(UTC_ZONE, { ...toLocalTime(UTC_ZONE, 0), year: 300_000 })).toBeNaN();
  });
});

describe('formatIsoTime', () => {
  it.each([
    [0, 0, 'UTC', undefined, '1970-01-01T00:00:00Z'],
    [0, 500_000_000, 'UTC', undefined, '1970-01-01T00:00:00.500Z'],
    [0, 1000, 'UTC', undefined, '1970-01-01T00:00:00.000001Z'],
    [0, 999_999_999, 'UTC', 3, '1970-01-01T00:00:00.999Z'],
    [0, 0, 'UTC', 9, '1970-01-01T00:00:00.000000000Z'],
    [0, 0, 'NST3:30', 0, '1969-12-31T20:30:00-03:30'],
    [0, 0, 'AEST-10', 0, '1970-01-01T10:00:00+10:00'],
    [0, 0, 'LMT-0:0:20', 0, '1970-01-01T00:00:20+00:00:20'],
    [253_402_300_800, 0, 'UTC', 0, '+010000-01-01T00:00:00Z'],
    [-62_167_219_201, 0, 'UTC', 0, '-000001-12-31T23:59:59Z'],
  ])('writes %d.%d in %s with %s digits', (sec, nsec, zone, digits, expected) => {
    expect(formatIsoTime({ sec, nsec }, makeTimeZone(zone), digits)).toBe(expected);
  });
});
