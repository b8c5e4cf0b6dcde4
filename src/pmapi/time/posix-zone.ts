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

const DAY_SEC = 86400;
const HOUR_SEC = 3600;
/** glibc's rule for a zone with summer time but without a rule: that of the United States since 2007. */
const DEFAULT_RULES = 'M3.2.0,M11.1.0';

const ZONE_NAME = String.raw`([A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)`;
const OFFSET = String.raw`([+-]?\d{1,3}(?::\d{1,2}(?::\d{1,2})?)?)`;
const ZONE = new RegExp(`^:?${ZONE_NAME}${OFFSET}(?:${ZONE_NAME}${OFFSET}?(?:,([^,]+),([^,]+))?)?$`);

/** A zone from a POSIX TZ string (west is positive, as in C), with rules `Jn`, `n` and `Mm.w.d`. Undefined for others. @see tzset(3) */
export function parsePosixZone(text: string): TimeZone | undefined {
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
