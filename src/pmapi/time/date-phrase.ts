import { MONTH_NAMES, WEEKDAY_NAMES, isDate, parseFraction } from './format-time.js';
import { fromLocalTime, toLocalTime, type LocalMoment, type TimeZone } from './time-zone.js';
import { makeTimestamp, type Timestamp } from './timestamp.js';

interface Phrase {
  date?: { readonly year: number; readonly month: number; readonly day: number };
  time?: { readonly hour: number; readonly minute: number; readonly second: number; readonly nsec: number };
  /** Seconds east of UTC. */
  zoneOffset?: number;
  weekday?: { readonly day: number; readonly ordinal: number };
  /** The phrase names the present or a day beside it. */
  isFromNow?: boolean;
  /** The phrase names a day, so that the time of day is midnight unless given. */
  isDay?: boolean;
  /** The days from today of a word such as `tomorrow`. */
  dayShift: number;
  readonly offset: { months: number; days: number; seconds: number };
}

/** A part of a phrase, which changes what is specified; false if it contradicts the rest. */
interface Rule {
  readonly pattern: RegExp;
  readonly apply: (phrase: Phrase, match: readonly (string | undefined)[], now: LocalMoment) => boolean;
}

const HOUR = 3600;
/** Hours east of UTC of the zone abbreviations that getdate knows. */
const ZONES: ReadonlyMap<string, number> = new Map(
  (
    [
      [-10, 'hst'],
      [-8, 'pst'],
      [-7, 'mst pdt'],
      [-6, 'cst mdt'],
      [-5, 'est cdt'],
      [-4, 'edt ast'],
      [-3, 'adt'],
      [0, 'utc ut gmt z wet'],
      [1, 'bst west cet met mez'],
      [2, 'mest eet'],
      [3, 'msk'],
      [9, 'jst'],
      [10, 'east'],
      [11, 'eadt'],
      [12, 'nzst'],
      [13, 'nzdt'],
    ] as const
  ).flatMap(([hours, names]) => names.split(' ').map((name) => [name, hours] as const)),
);
const UNITS: ReadonlyMap<string, readonly [part: 'months' | 'days' | 'seconds', size: number]> = new Map([
  ['year', ['months', 12]],
  ['month', ['months', 1]],
  ['fortnight', ['days', 14]],
  ['week', ['days', 7]],
  ['day', ['days', 1]],
  ['hour', ['seconds', HOUR]],
  ['minute', ['seconds', 60]],
  ['min', ['seconds', 60]],
  ['second', ['seconds', 1]],
  ['sec', ['seconds', 1]],
]);
/** Without `second`, which is a unit. */
const ORDINALS: ReadonlyMap<string, number> = new Map([
  ['last', -1],
  ['this', 0],
  ...['next', 'a', 'an', 'first'].map((word) => [word, 1] as const),
  ...'third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'
    .split(' ')
    .map((word, i) => [word, i + 3] as const),
]);
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const WEEKDAY =
  '(sun(?:day)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nes(?:day)?)?|thu(?:rs?(?:day)?)?|fri(?:day)?|sat(?:urday)?)';
const MAX_OFFSET = 1_000_000;

const RULES: readonly Rule[] = [
  rule(String.raw`(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d+))?)?(?:\s*([ap])\.?m\b\.?)?`, (p, [h, m, s, f, half]) =>
    setTime(p, Number(h), Number(m), Number(s ?? 0), parseFraction(f), half),
  ),
  rule(String.raw`(\d{1,2})\s*([ap])\.?m\b\.?`, (p, [h, half]) => setTime(p, Number(h), 0, 0, 0, half)),
  rule(String.raw`(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?!\d)`, (p, [y, m, d]) =>
    setDate(p, Number(y), Number(m), Number(d)),
  ),
  rule(String.raw`(\d{1,2})/(\d{1,2})(?:/(\d{4}|\d{2}))?(?!\d)`, (p, [m, d, y], now) =>
    setDate(p, yearOf(y, now), Number(m), Number(d)),
  ),
  rule(String.raw`(\d{4})(\d\d)(\d\d)(?!\d)`, (p, [y, m, d]) => setDate(p, Number(y), Number(m), Number(d))),
  rule(String.raw`(\d{1,2})(?:-|\s*)${MONTH}\b\.?(?:(?:-|,?\s+)(\d{4}|\d{2})(?![\d:]))?`, (p, [d, m, y], now) =>
    setDate(p, yearOf(y, now), monthNumber(m!), Number(d)),
  ),
  rule(String.raw`${MONTH}\b\.?\s*(\d{1,2})(?![\d:])(?:,?\s+(\d{4})(?!\d))?`, (p, [m, d, y], now) =>
    setDate(p, yearOf(y, now), monthNumber(m!), Number(d)),
  ),
  rule(String.raw`(?:(${[...ORDINALS.keys()].join('|')}|\d+)\s+)?${WEEKDAY}\b[.,]?`, (p, [ordinal, day]) => {
    if (p.weekday) return false;
    const wanted = day!.slice(0, 3).toLowerCase();
    const number = WEEKDAY_NAMES.findIndex((name) => name.toLowerCase() === wanted);
    p.weekday = { day: number, ordinal: weekdayOrdinal(ordinal) };
    return (p.isDay = true);
  }),
  rule(
    String.raw`(?:([+-]?)\s*(\d+)\s*|(${[...ORDINALS.keys()].join('|')})\s+)?(${[...UNITS.keys()].join('|')})s?\b`,
    (p, [sign, count, ordinal, unit]) => {
      const size = count === undefined ? (ORDINALS.get(ordinal?.toLowerCase() ?? 'a') ?? 1) : Number(count);
      if (size > MAX_OFFSET) return false;
      const [part, factor] = UNITS.get(unit!.toLowerCase())!;
      p.offset[part] += size * factor * (sign === '-' ? -1 : 1);
      return true;
    },
  ),
  // Negates all offsets before it: 1 hour 30 min ago.
  rule(String.raw`ago\b`, (p) => {
    const { months, days, seconds } = p.offset;
    if (months === 0 && days === 0 && seconds === 0) return false;
    Object.assign(p.offset, { months: -months, days: -days, seconds: -seconds });
    return true;
  }),
  rule(String.raw`(now|today|tomorrow|yesterday)\b`, (p, [word]) => {
    const day = word!.toLowerCase();
    p.dayShift += day === 'tomorrow' ? 1 : day === 'yesterday' ? -1 : 0;
    if (day !== 'now') p.isDay = true;
    return (p.isFromNow = true);
  }),
  rule(String.raw`(${[...ZONES.keys()].join('|')})\b(\s+dst\b)?`, (p, [zone, summer]) =>
    setZone(p, (ZONES.get(zone!.toLowerCase())! + (summer === undefined ? 0 : 1)) * HOUR),
  ),
  rule(
    String.raw`([+-])(\d\d):?(\d\d)(?!\d)`,
    (p, [sign, h, m]) =>
      p.time !== undefined && setZone(p, (Number(h) * HOUR + Number(m) * 60) * (sign === '-' ? -1 : 1)),
  ),
  rule(String.raw`(\d{1,2})(?![\d:/.-])(?=\s|$)`, (p, [h]) => setTime(p, Number(h), 0, 0, 0, undefined)),
  rule(String.raw`(\d{1,2})(\d\d)(?![\d:/.-])(?=\s|$)`, (p, [h, m]) =>
    setTime(p, Number(h), Number(m), 0, 0, undefined),
  ),
];

/**
 * A moment in words and numbers, as GNU date(1) accepts them: `now`, `today`, `tomorrow 14:00`, `2pm`, `14`, `friday`, `last
 * monday`, `12 Jan 1970 14:00 UTC`, `01/12/70`, `1 hour ago`, `2 days`. Days and times of day are those of the wall clock.
 * Offsets alone count forward from the start and, with `ago`, back from the end. Undefined for anything else.
 *
 * Differs from PCP: `next week` is one week on, not two; offsets beside a day or `now` count from that.
 */
export function parseDatePhrase(
  text: string,
  references: { readonly start: Timestamp; readonly end: Timestamp; readonly now: Timestamp; readonly zone: TimeZone },
): Timestamp | undefined {
  const { zone, now } = references;
  const today = toLocalTime(zone, now.sec);
  const phrase: Phrase = { dayShift: 0, offset: { months: 0, days: 0, seconds: 0 } };
  let offset = 0;
  while (offset < text.length) {
    const next = applyRules(text, offset, phrase, today);
    if (next === undefined) return undefined;
    offset = next;
  }
  return resolve(phrase, references, today);
}

function applyRules(text: string, offset: number, phrase: Phrase, today: LocalMoment): number | undefined {
  for (const { pattern, apply } of RULES) {
    pattern.lastIndex = offset;
    const match = pattern.exec(text);
    if (!match) continue;
    if (!apply(phrase, match.slice(1), today)) return undefined;
    const end = offset + match[0].length;
    return end + /^\s*/.exec(text.slice(end))![0].length;
  }
  return undefined;
}

function resolve(
  phrase: Phrase,
  { start, end, now, zone }: { start: Timestamp; end: Timestamp; now: Timestamp; zone: TimeZone },
  today: LocalMoment,
): Timestamp {
  const { date, time, weekday, zoneOffset, dayShift } = phrase;
  const { months, days, seconds } = phrase.offset;
  const isDay = phrase.isDay === true || date !== undefined || time !== undefined || zoneOffset !== undefined;
  const isBack = seconds + days * 24 * HOUR + months * 30 * 24 * HOUR < 0;
  const base = isDay || phrase.isFromNow === true ? now : isBack ? end : start;
  const local = base === now ? today : toLocalTime(zone, base.sec);
  const clock = isDay ? (time ?? { hour: 0, minute: 0, second: 0, nsec: 0 }) : { ...local, nsec: base.nsec };
  const { year, month, day } = date ?? local;
  const toWeekday = weekday && !date ? daysToWeekday(local.weekday, weekday) : 0;
  const wanted = {
    year,
    month: month + months,
    day: day + days + dayShift + toWeekday,
    hour: clock.hour,
    minute: clock.minute,
    second: clock.second,
  };
  const inZone = zoneOffset === undefined ? zone : fixedZone(zoneOffset);
  // Offsets of hours or less are lengths of time, regardless of clock changes; days and longer follow the calendar.
  const sec = !isDay && months === 0 && days === 0 ? base.sec : fromLocalTime(inZone, wanted);
  return makeTimestamp(sec + seconds, clock.nsec);
}

function daysToWeekday(today: number, { day, ordinal }: { day: number; ordinal: number }): number {
  return ((day - today + 7) % 7) + 7 * (ordinal > 0 ? ordinal - 1 : ordinal);
}

/** `next friday` is the one after the coming one, as is `2 friday`; `last friday` is seven days before the coming one. */
function weekdayOrdinal(text: string | undefined): number {
  if (text === undefined) return 0;
  if (/^\d/.test(text)) return Math.min(Number(text), MAX_OFFSET);
  return text.toLowerCase() === 'next' ? 2 : (ORDINALS.get(text.toLowerCase()) ?? 0);
}

function fixedZone(offset: number): TimeZone {
  return { name: '', offsetAt: () => offset, abbreviationAt: () => '' };
}

function setTime(
  p: Phrase,
  hour: number,
  minute: number,
  second: number,
  nsec: number,
  half: string | undefined,
): boolean {
  if (p.time || minute > 59 || second > 61) return false;
  if (half === undefined ? hour > 23 : hour < 1 || hour > 12) return false;
  const inHalf = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  p.time = { hour: inHalf, minute, second, nsec };
  return true;
}

function setDate(p: Phrase, year: number, month: number, day: number): boolean {
  if (p.date || !isDate(year, month, day)) return false;
  p.date = { year, month, day };
  return true;
}

function setZone(p: Phrase, offset: number): boolean {
  if (p.zoneOffset !== undefined) return false;
  p.zoneOffset = offset;
  return true;
}

function yearOf(text: string | undefined, now: LocalMoment): number {
  return text === undefined ? now.year : fullYear(Number(text));
}

function rule(pattern: string, apply: Rule['apply']): Rule {
  return { pattern: new RegExp(pattern, 'iy'), apply };
}

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
function fullYear(year: number): number {
  if (year >= 100) return year;
  return year < 70 ? 2000 + year : 1900 + year;
}

function monthNumber(name: string): number {
  const wanted = name.slice(0, 3).toLowerCase();
  return MONTH_NAMES.findIndex((month) => month.toLowerCase() === wanted) + 1;
}
