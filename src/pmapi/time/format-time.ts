import { toLocalTime } from './time-zone.js';
import type { TimeZone } from './time-zone.js';
import type { Timestamp } from './timestamp.js';

/** Three-letter names of the days, Sunday first, and of the months: those of ctime(3), in every locale. */
export const WEEKDAY_NAMES = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
export const MONTH_NAMES = [
  'Jan',
  'Feb',
  'Mar',
  'Apr',
  'May',
  'Jun',
  'Jul',
  'Aug',
  'Sep',
  'Oct',
  'Nov',
  'Dec',
] as const;

/**
 * ISO 8601 in a zone: `2026-11-20T16:24:00.123456789+11:00`, with `Z` where the offset is 0. `digits` of the fraction are
 * written (cut, not rounded); without it, as many as are needed in groups of three.
 */
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
