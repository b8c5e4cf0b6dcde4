import { MONTH_NAMES, parseFraction, WEEKDAY_NAMES } from './format-time.js';
import { fromLocalTime, toLocalTime } from './time-zone.js';
import type { TimeZone } from './time-zone.js';
import type { Timestamp } from './timestamp.js';

const CTIME = new RegExp(
  String.raw`^(?:(?:${WEEKDAY_NAMES.join('|')})\s+(?=[a-z]))?` +
    String.raw`(?:(${MONTH_NAMES.join('|')})(?![a-z])(?:\s*(\d{1,2})(?![\d:.]))?)?` +
    String.raw`(?:\s*(?<!\d)(\d{0,2}):(\d{0,2})(?::(\d{0,2})(?:\.(\d*))?)?)?` +
    String.raw`(?:\s*(?<!\d)(\d{2}|(?:19|20)\d{2}))?$`,
  'i',
);

/**
 * A date and time as ctime(3) writes it, `[Day] Mon DD HH:MM:SS[.frac] YYYY`, or a part of it: `14:00`, `Jan 12`, `Jan 12 14:00`,
 * `14:00:10.25 1970`, `1970`. Missing leading parts are those of the start; a time of day alone, in an hour before that of the
 * start, is on the next day. Undefined for anything else.
 */
export function parseCtimeForm(
  text: string,
  { start, zone }: { readonly start: Timestamp; readonly zone: TimeZone },
): Timestamp | undefined {
  const found = CTIME.exec(text);
  if (!found) return undefined;
  const [, monthName, dayText, hourText, minuteText = '', secondText = '', fraction, yearText] = found;
  const hasTime = hourText !== undefined;
  if (monthName === undefined && !hasTime && yearText?.length !== 4) return undefined;
  if (hasTime && hourText === '' && minuteText === '') return undefined;

  const reference = toLocalTime(zone, start.sec);
  const hasDate = monthName !== undefined || yearText !== undefined;
  // Two digits behind a date without a time of day are an hour, not a year.
  const isHour = yearText?.length === 2 && !hasTime;
  const hour = Number(isHour ? yearText : (hourText ?? 0));
  const [minute, second] = [Number(minuteText), Number(secondText)];
  const day = Number(dayText ?? 1);
  if (hour > 23 || minute > 59 || second > 61 || day < 1 || day > 31) return undefined;

  const local = {
    year: yearText === undefined || isHour ? reference.year : fullYear(Number(yearText)),
    month: hasDate ? (monthName === undefined ? 1 : monthNumber(monthName)) : reference.month,
    day: hasDate ? day : reference.day + (hour < reference.hour ? 1 : 0),
    hour,
    minute,
    second,
  };
  return { sec: fromLocalTime(zone, local), nsec: parseFraction(fraction) };
}

/** The year of two digits: 1970 to 2069. */
export function fullYear(year: number): number {
  if (year >= 100) return year;
  return year < 70 ? 2000 + year : 1900 + year;
}

/** The number of a month from 1, by the first three letters of its name. */
export function monthNumber(name: string): number {
  const wanted = name.slice(0, 3).toLowerCase();
  return MONTH_NAMES.findIndex((month) => month.toLowerCase() === wanted) + 1;
}
