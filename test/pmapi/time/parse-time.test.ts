import fc from '../../support/properties.js';
import {
  formatIsoTime,
  formatTimestamp,
  lastTimeOfDay,
  makeTimeZone,
  parseTime,
  SourceTextError,
  UTC_ZONE,
} from '../../../src/pmapi/index.js';

const START = { sec: 1_000_000, nsec: 500_000_000 }; // Mon 1970-01-12 13:46:40.5 UTC
const END = { sec: 1_003_600, nsec: 250_000_000 };
const NOW = { sec: 1_795_192_488, nsec: 250_000_000 }; // Fri 2026-11-20 16:34:48.25 UTC
const REFERENCES = { start: START, end: END, now: NOW, zone: UTC_ZONE };
const iso = (text: string, zone = UTC_ZONE): string =>
  formatIsoTime(parseTime(text, { ...REFERENCES, zone }), UTC_ZONE);

describe('parseTime', () => {
  it.each([
    ['5min', '1000300.500000000'],
    [' +5min', '1000300.500000000'],
    ['-5min', '1003300.250000000'],
    ['- 5min', '1003300.250000000'],
    ['-0', '1003600.250000000'],
    ['@', '1000000.500000000'],
  ])('reads the offset %j', (text, expected) => {
    expect(formatTimestamp(parseTime(text, REFERENCES))).toBe(expected);
  });

  it.each([
    ['1000300', '1000300.000000000'],
    ['1789000000.123456789', '1789000000.123456789'],
    ['0', '0.000000000'],
    ['1e3', '1000.000000000'],
    ['@1000300', '1000300.000000000'],
    ['@1789000000.5', '1789000000.500000000'],
  ])('reads the epoch seconds %j', (text, expected) => {
    expect(formatTimestamp(parseTime(text, REFERENCES))).toBe(expected);
  });

  it.each([
    ['2026-11-20T14:00:00Z', '2026-11-20T14:00:00Z'],
    ['2026-11-20t14:00z', '2026-11-20T14:00:00Z'],
    ['2026-11-20T14:00:00.123456789012Z', '2026-11-20T14:00:00.123456789Z'],
    ['2026-11-20T14:00:00,5+01:00', '2026-11-20T13:00:00.500Z'],
    ['2026-11-20 14:00 -0530', '2026-11-20T19:30:00Z'],
    ['2026-11-20T14:00+02', '2026-11-20T12:00:00Z'],
    ['@1970-01-12T14:00:10', '1970-01-12T14:00:10Z'],
    ['@1970-01-12 14:00:10.25', '1970-01-12T14:00:10.250Z'],
    ['2026-11-20', '2026-11-20T00:00:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
  ])('reads the ISO 8601 time %j', (text, expected) => {
    expect(iso(text)).toBe(expected);
  });

  it('puts times that name no zone into the given one', () => {
    const zone = makeTimeZone('Australia/Melbourne');
    expect(iso('2026-11-20T14:00', zone)).toBe('2026-11-20T03:00:00Z');
    expect(iso('@Nov 20 14:00 2026', zone)).toBe('2026-11-20T03:00:00Z');
    expect(iso('@14:00 UTC', zone)).toBe('2026-11-21T14:00:00Z');
    expect(iso('@today', zone)).toBe('2026-11-20T13:00:00Z');
  });

  it.each([
    ['@14:00', '1970-01-12T14:00:00Z'],
    ['@ 14:00', '1970-01-12T14:00:00Z'],
    ['@14:00:10.25', '1970-01-12T14:00:10.250Z'],
    ['@14:5:3.1234567890123', '1970-01-12T14:05:03.123456789Z'],
    ['@14:', '1970-01-12T14:00:00Z'],
    ['@:14', '1970-01-13T00:14:00Z'],
    ['@1:00', '1970-01-13T01:00:00Z'],
    ['@13:00', '1970-01-12T13:00:00Z'],
    ['@14:00:60', '1970-01-12T14:01:00Z'],
    ['@Jan', '1970-01-01T00:00:00Z'],
    ['@Jan 13', '1970-01-13T00:00:00Z'],
    ['@Jan14', '1970-01-14T00:00:00Z'],
    ['@JAN 12 14:00', '1970-01-12T14:00:00Z'],
    ['@Jan 12 14', '1970-01-12T14:00:00Z'],
    ['@Jan 12 13:00', '1970-01-12T13:00:00Z'],
    ['@Jan 12 14:00 70', '1970-01-12T14:00:00Z'],
    ['@Tue Jan 12 14:00:05 1970', '1970-01-12T14:00:05Z'],
    ['@Jan 12 13:46:40.5 1970', '1970-01-12T13:46:40.500Z'],
    ['@Feb 30', '1970-03-02T00:00:00Z'],
    ['@Jan 1971', '1971-01-01T00:00:00Z'],
    ['@Jan 12 1971', '1971-01-12T00:00:00Z'],
    ['@1971', '1971-01-01T00:00:00Z'],
    ['@14:00:10 1970', '1970-01-01T14:00:10Z'],
    ['@Fri Dec 31 23:59:59 1999', '1999-12-31T23:59:59Z'],
  ])('reads the ctime form %j', (text, expected) => {
    expect(iso(text)).toBe(expected);
  });

  it.each([
    ['@now', '2026-11-20T16:34:48.250Z'],
    ['now', '2026-11-20T16:34:48.250Z'],
    ['@today', '2026-11-20T00:00:00Z'],
    ['@tomorrow', '2026-11-21T00:00:00Z'],
    ['@yesterday', '2026-11-19T00:00:00Z'],
    ['@tomorrow 14:00', '2026-11-21T14:00:00Z'],
    ['@yesterday 2pm', '2026-11-19T14:00:00Z'],
    ['@14', '2026-11-20T14:00:00Z'],
    ['@1430', '2026-11-20T14:30:00Z'],
    ['@143', '2026-11-20T01:43:00Z'],
    ['@2pm', '2026-11-20T14:00:00Z'],
    ['@12am', '2026-11-20T00:00:00Z'],
    ['@12pm', '2026-11-20T12:00:00Z'],
    ['@2:30 p.m.', '2026-11-20T14:30:00Z'],
    ['14:00', '2026-11-20T14:00:00Z'],
    ['@14:00 UTC', '2026-11-20T14:00:00Z'],
    ['@14:00 EST', '2026-11-20T19:00:00Z'],
    ['@14:00 EST DST', '2026-11-20T18:00:00Z'],
    ['@14:00 -0500', '2026-11-20T19:00:00Z'],
    ['@fri', '2026-11-20T00:00:00Z'],
    ['@Tue', '2026-11-24T00:00:00Z'],
    ['@Wednesday 3pm', '2026-11-25T15:00:00Z'],
    ['@Mon 14:00', '2026-11-23T14:00:00Z'],
    ['@next friday', '2026-11-27T00:00:00Z'],
    ['@last friday', '2026-11-13T00:00:00Z'],
    ['@third friday', '2026-12-04T00:00:00Z'],
    ['@12 Jan', '2026-01-12T00:00:00Z'],
    ['@12 January 1971', '1971-01-12T00:00:00Z'],
    ['@January 12, 1971', '1971-01-12T00:00:00Z'],
    ['@12-Jan-1971', '1971-01-12T00:00:00Z'],
    ['@12 Jan 71', '1971-01-12T00:00:00Z'],
    ['@1/12', '2026-01-12T00:00:00Z'],
    ['@01/12/70 14:00', '1970-01-12T14:00:00Z'],
    ['@1971-1-12', '1971-01-12T00:00:00Z'],
    ['@14:00:10 1971-01-12', '1971-01-12T14:00:10Z'],
    ['@20140102', '2014-01-02T00:00:00Z'],
    ['@Mon, 12 Jan 1970 14:00:00 GMT', '1970-01-12T14:00:00Z'],
    ['@now + 1 hour', '2026-11-20T17:34:48.250Z'],
    ['@tomorrow 1 hour ago', '2026-11-20T23:00:00Z'],
  ])('reads the phrase %j against the wall clock', (text, expected) => {
    expect(iso(text)).toBe(expected);
  });

  it.each([
    ['@2 hours', '1970-01-12T15:46:40.500Z'],
    ['@1 week', '1970-01-19T13:46:40.500Z'],
    ['@1 month', '1970-02-12T13:46:40.500Z'],
    ['@1 hour ago', '1970-01-12T13:46:40.250Z'],
    ['@1 hour 30 min ago', '1970-01-12T13:16:40.250Z'],
    ['@1 hour ago 30 min', '1970-01-12T14:16:40.250Z'],
    ['@2 weeks ago', '1969-12-29T14:46:40.250Z'],
    ['@1 day ago', '1970-01-11T14:46:40.250Z'],
  ])('counts the offset %j from the start, or back from the end', (text, expected) => {
    expect(iso(text)).toBe(expected);
  });

  it.each([
    ['', 0],
    ['  ', 0],
    ['bogus', 0],
    ['@bogus', 1],
    ['@ bogus', 2],
    ['5 mumble', 2],
    ['+5 mumble', 3],
    ['+-5', 1],
    ['@25:00', 1],
    ['@14:60', 1],
    ['@14:00:62', 1],
    ['@Jan 32', 1],
    ['@13pm', 1],
    ['@14:00 15:00', 1],
    ['@mon tue', 1],
    ['2026-02-30', 4],
    ['2026-11-20T25:00', 4],
    ['@99999999999999999999', 1],
    ['1e30', 0],
    ['@9999999 years', 1],
    [`@${'1 hour '.repeat(1000)}`, 1000],
  ])('rejects %j and tells the place', (text, offset) => {
    expect.assertions(2);
    try {
      parseTime(text, REFERENCES);
    } catch (error) {
      expect(error).toBeInstanceOf(SourceTextError);
      expect((error as SourceTextError).offset).toBe(offset);
    }
  });

  it('reads back what formatIsoTime writes, in any zone', () => {
    const zones = ['UTC', 'AEST-10', 'Europe/Berlin', 'America/St_Johns', 'EST5EDT'].map(makeTimeZone);
    const time = fc.record({
      sec: fc.integer({ min: 0, max: 4_102_444_800 }),
      nsec: fc.integer({ min: 0, max: 999_999_999 }),
    });
    fc.assert(
      fc.property(time, fc.constantFrom(...zones), (t, zone) => {
        expect(parseTime(formatIsoTime(t, zone), REFERENCES)).toEqual(t);
      }),
    );
  });

  it('answers a moment or throws its own error for any text', () => {
    const word = fc.constantFrom(
      '@', '14', ':', '00', 'jan', 'mon', 'next', 'ago', 'hour', 'now', '-', '+', ' ', '1970', 'utc', '/', 'pm', '.5',
    ); // prettier-ignore
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word, { maxLength: 8 }).map((words) => words.join('')),
        ),
        (text) => {
          try {
            const { sec, nsec } = parseTime(text, REFERENCES);
            expect(Number.isSafeInteger(sec) && Number.isInteger(nsec) && nsec >= 0 && nsec < 1e9).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(SourceTextError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('lastTimeOfDay', () => {
  const zone = makeTimeZone('Europe/Vienna');
  it.each([
    ['11:30', '2026-11-20T11:00:00Z', '2026-11-20T10:30:00Z'],
    ['@12:30:15.5', '2026-11-20T11:00:00Z', '2026-11-19T11:30:15.500Z'],
    // Clocks were set forward, or back, in the night between.
    ['12:00', '2026-03-29T02:30:00Z', '2026-03-28T11:00:00Z'],
    ['12:00', '2026-10-25T02:30:00Z', '2026-10-24T10:00:00Z'],
  ])('is the last %s before %s', (text, end, expected) => {
    const references = { end: parseTime(end, REFERENCES), zone };
    expect(iso(lastTimeOfDay(text, references)!)).toBe(expected);
  });
});
