import { fromLocalTime, toLocalTime, UTC_ZONE, type TimeZone } from './time-zone.js';
import type { Timestamp } from './timestamp.js';

/** Three-letter names of the days, Sunday first, and of the months: those of ctime(3), in every locale. */
export const WEEKDAY_NAMES = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ');
export const MONTH_NAMES = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** ISO 8601 in a zone (`Z` at offset 0). `digits` of the fraction, cut; by default as needed, in groups of three. */
export function formatIsoTime(t: Timestamp, zone: TimeZone, digits?: number): string {
  const local = toLocalTime(zone, t.sec);
  const nsec = String(t.nsec).padStart(9, '0');
  const fraction = digits === undefined ? nsec.replace(/(?:000)+$/, '') : nsec.slice(0, digits);
  const date = `${isoYear(local.year)}-${twoDigits(local.month)}-${twoDigits(local.day)}`;
  const clock = [local.hour, local.minute, local.second].map(twoDigits).join(':');
  return `${date}T${clock}${fraction === '' ? '' : `.${fraction}`}${isoOffset(zone.offsetAt(t.sec))}`;
}

function isoYear(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, '0');
  return `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`;
}

function isoOffset(offsetSec: number): string {
  if (offsetSec === 0) return 'Z';
  const size = Math.abs(offsetSec);
  const seconds = size % 60 === 0 ? '' : `:${twoDigits(size % 60)}`;
  return `${offsetSec < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 3600))}:${twoDigits(Math.floor(size / 60) % 60)}${seconds}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*(?:([Zz])|([+-])(\d\d)(?::?(\d\d))?)?)?$/;

/** A full ISO 8601 date, with or without time and offset (else in `zone`). Undefined for others, and for days that do not exist. */
export function parseIsoTime(text: string, zone: TimeZone): Timestamp | undefined {
  const found = ISO.exec(text);
  if (!found) return undefined;
  const part = (group: number): number => Number(found[group] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const [fraction, utc, sign] = [found[7], found[8], found[9]];
  if (!isDate(year, month, day) || hour > 23 || minute > 59 || second > 60) return undefined;
  if (part(10) > 23 || part(11) > 59) return undefined;
  const local = { year, month, day, hour, minute, second };
  const nsec = parseFraction(fraction);
  if (utc === undefined && sign === undefined) return { sec: fromLocalTime(zone, local), nsec };
  const offset = (part(10) * 60 + part(11)) * (sign === '-' ? -60 : 60);
  return { sec: fromLocalTime(UTC_ZONE, local) - offset, nsec };
}

/** Nanoseconds of the digits behind a decimal point; those beyond the ninth are dropped. */
export function parseFraction(digits: string | undefined): number {
  return Number((digits ?? '').slice(0, 9).padEnd(9, '0'));
}

/** Whether the calendar has such a day. */
export function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const lastDay = new Date(0);
  lastDay.setUTCFullYear(year, month, 0);
  return day <= lastDay.getUTCDate();
}
