import { GatewayError } from '../errors.js';
import { parsePosixZone, type TimeZone } from './posix-zone.js';

export type { TimeZone } from './posix-zone.js';

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
