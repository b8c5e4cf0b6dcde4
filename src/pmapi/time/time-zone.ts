import { GatewayError } from '../errors.js';

export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}
export interface LocalMoment extends LocalTime {
  readonly weekday: number;
}

export const UTC_ZONE: TimeZone = { name: 'UTC', offsetAt: () => 0, abbreviationAt: () => 'UTC' };

const MAX_ZONE_LENGTH = 128;
const DAY_SEC = 86400;
/** Moments that Date and Intl can represent. */
const MAX_SEC = 8.64e12;
/** Since 1900 clocks have only been changed at full quarters of an hour, so an offset is valid for a quarter. */
const QUARTER_SEC = 900;
const QUARTERS_SINCE_SEC = -2_208_988_800;

/**
 * The zone of a TZ text: POSIX rules (`AEST-10`, `EST-11EST-10,88/2:00,298/2:00`, `<+03>-3`), the name of an area and city with or without
 * a colon before it (`:Australia/Melbourne`), `UTC`, or '' for UTC. The process's own zone never matters.
 * @throws GatewayError BAD_PARAMETER for anything else
 * @see pmNewZone(3), tzset(3)
 */
export function makeTimeZone(text: string): TimeZone {
  const name = text.replace(/^:/, '');
  if (name === '' || name === 'UTC') return UTC_ZONE;
  const zone = text.length > MAX_ZONE_LENGTH ? undefined : (namedZone(text, name) ?? parsePosixZone(text));
  if (zone) return zone;
  throw new GatewayError('BAD_PARAMETER', `unknown time zone ${JSON.stringify(text.slice(0, MAX_ZONE_LENGTH))}`, {
    expected: 'a zone name (Europe/Berlin, UTC) or a POSIX TZ string (AEST-10, EST5EDT,M3.2.0,M11.1.0)',
  });
}

/** The calendar and clock of a zone at a moment (seconds since the epoch; fractions are dropped). */
export function toLocalTime(zone: TimeZone, sec: number): LocalMoment {
  const shifted = new Date((Math.floor(sec) + zone.offsetAt(sec)) * 1000);
  return {
    year: shifted.getUTCFullYear(),
    month: shifted.getUTCMonth() + 1,
    day: shifted.getUTCDate(),
    hour: shifted.getUTCHours(),
    minute: shifted.getUTCMinutes(),
    second: shifted.getUTCSeconds(),
    weekday: shifted.getUTCDay(),
  };
}

/** With carry as in mktime(3). Of two moments (clocks set back) the first; for none by the clock before the change. NaN beyond Date. */
export function fromLocalTime(zone: TimeZone, local: LocalTime): number {
  const date = new Date(0);
  date.setUTCFullYear(local.year, local.month - 1, local.day);
  date.setUTCHours(local.hour, local.minute, local.second);
  const wall = date.getTime() / 1000;
  if (Number.isNaN(wall)) return NaN;
  const before = zone.offsetAt(wall - DAY_SEC);
  if (zone.offsetAt(wall - before) === before) return wall - before;
  const after = zone.offsetAt(wall + DAY_SEC);
  return zone.offsetAt(wall - after) === after ? wall - after : wall - before;
}

function namedZone(text: string, name: string): TimeZone | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return undefined;
  let parts: Intl.DateTimeFormat;
  try {
    parts = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
  const abbreviation = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'short' });
  let quarter = NaN;
  let offset = 0;
  return {
    name: text,
    offsetAt(sec) {
      const moment = Math.floor(sec);
      if (Math.abs(moment) > MAX_SEC) return 0;
      if (moment < QUARTERS_SINCE_SEC) return offsetFrom(parts, moment);
      const wanted = Math.floor(moment / QUARTER_SEC);
      if (wanted !== quarter) {
        offset = offsetFrom(parts, wanted * QUARTER_SEC);
        quarter = wanted;
      }
      return offset;
    },
    abbreviationAt(sec) {
      if (Math.abs(sec) > MAX_SEC) return name;
      const found = abbreviation.formatToParts(sec * 1000).find((part) => part.type === 'timeZoneName');
      return found?.value ?? name;
    },
  };
}

function offsetFrom(format: Intl.DateTimeFormat, sec: number): number {
  const field: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const part of format.formatToParts(sec * 1000)) field[part.type] = part.value;
  const year = field.era === 'BC' ? 1 - Number(field.year) : Number(field.year);
  const wall = new Date(0);
  wall.setUTCFullYear(year, Number(field.month) - 1, Number(field.day));
  wall.setUTCHours(Number(field.hour), Number(field.minute), Number(field.second));
  return wall.getTime() / 1000 - sec;
}

/** A time zone: the past and future offsets of local time from UTC. */
export interface TimeZone {
  readonly name: string;
  /** Seconds to add to UTC at a moment (seconds since the epoch); east is positive. */
  offsetAt(sec: number): number;
  /** `AEDT`, `GMT+11`, `UTC` */
  abbreviationAt(sec: number): string;
}

/** When clocks change: seconds of local time since the start of a year. */
type ChangeRule = (year: number) => number;

const HOUR_SEC = 3600;
/** glibc's rule for a zone with summer time but without a rule: that of the United States since 2007. */
const DEFAULT_RULES = 'M3.2.0,M11.1.0';

const ZONE_NAME = String.raw`([A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)`;
const OFFSET = String.raw`([+-]?\d{1,3}(?::\d{1,2}(?::\d{1,2})?)?)`;
const ZONE = new RegExp(`^:?${ZONE_NAME}${OFFSET}(?:${ZONE_NAME}${OFFSET}?(?:,([^,]+),([^,]+))?)?$`);

/** A zone from a POSIX TZ string (west is positive, as in C), with rules `Jn`, `n` and `Mm.w.d`. Undefined for others. @see tzset(3) */
function parsePosixZone(text: string): TimeZone | undefined {
  const found = ZONE.exec(text);
  if (!found) return undefined;
  const [, standardName, standardOffset, summerName, summerOffset, startText, endText] = found;
  const standard = parseOffset(standardOffset!);
  if (standard === undefined) return undefined;
  const bare = (name: string): string => name.replace(/[<>]/g, '');
  if (summerName === undefined) {
    return { name: text, offsetAt: () => -standard, abbreviationAt: () => bare(standardName!) };
  }
  const summer = summerOffset === undefined ? standard - HOUR_SEC : parseOffset(summerOffset);
  const [defaultStart, defaultEnd] = DEFAULT_RULES.split(',');
  const start = parseRule(startText ?? defaultStart!);
  const end = parseRule(endText ?? defaultEnd!);
  if (summer === undefined || !start || !end) return undefined;

  const isSummer = (sec: number): boolean => {
    const year = new Date((sec - standard) * 1000).getUTCFullYear();
    const base = yearStart(year);
    const from = base + start(year) + standard;
    const until = base + end(year) + summer;
    return from < until ? from <= sec && sec < until : !(until <= sec && sec < from);
  };
  return {
    name: text,
    offsetAt: (sec) => -(isSummer(sec) ? summer : standard),
    abbreviationAt: (sec) => bare(isSummer(sec) ? summerName : standardName!),
  };
}

function parseOffset(text: string): number | undefined {
  const found = /^([+-]?)(\d{1,3})(?::(\d{1,2}))?(?::(\d{1,2}))?$/.exec(text);
  if (!found) return undefined;
  const [, sign, hours, minutes = '0', seconds = '0'] = found;
  if (Number(hours) > 167 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const size = Number(hours) * HOUR_SEC + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -size : size;
}

function parseRule(text: string): ChangeRule | undefined {
  const [dateText, timeText = '2'] = text.split('/');
  const time = parseOffset(timeText);
  const day = parseRuleDay(dateText!);
  return time === undefined || !day ? undefined : (year) => day(year) * DAY_SEC + time;
}

function parseRuleDay(text: string): ChangeRule | undefined {
  const numbered = /^(J?)(\d{1,3})$/.exec(text);
  if (numbered) {
    const n = Number(numbered[2]);
    if (numbered[1] === '') return n <= 365 ? () => n : undefined;
    if (n < 1 || n > 365) return undefined;
    // Jn never counts February 29.
    return (year) => n - 1 + (n > 59 && isLeapYear(year) ? 1 : 0);
  }
  const [month, week, weekday] = (/^M(\d{1,2})\.([1-5])\.([0-6])$/.exec(text) ?? []).slice(1).map(Number);
  if (month === undefined || month < 1 || month > 12) return undefined;
  return (year) => {
    const first = yearDay(year, month, 1);
    const firstWeekday = new Date((yearStart(year) + first * DAY_SEC) * 1000).getUTCDay();
    const toFirst = (weekday! - firstWeekday + 7) % 7;
    const day = first + toFirst + (week! - 1) * 7;
    return day < yearDay(year, month + 1, 1) ? day : day - 7;
  };
}

function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

/** Seconds since the epoch of January 1, 00:00 UTC. */
function yearStart(year: number): number {
  return new Date(0).setUTCFullYear(year, 0, 1) / 1000;
}

/** The day of the year (from 0) of a date; month 13 is next January. */
function yearDay(year: number, month: number, day: number): number {
  return (new Date(0).setUTCFullYear(year, month - 1, day) / 1000 - yearStart(year)) / DAY_SEC;
}
