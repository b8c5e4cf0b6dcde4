import { parseInParameter, SourceTextError } from '../errors.js';
import { scanNumber } from '../scan-number.js';
import type { TimeZone } from './time-zone.js';
import {
  addInterval,
  compareTimestamps,
  earlier,
  formatTimestamp,
  later,
  subtractInterval,
  timestampFromNanoseconds,
  timestampToNanoseconds,
} from './timestamp.js';
import type { Timestamp } from './timestamp.js';
import { parseCtimeForm, parseDatePhrase } from './date-phrase.js';
import { parseIsoTime } from './format-time.js';

export interface TimeWindowSpec {
  readonly start?: string | undefined;
  readonly finish?: string | undefined;
  readonly align?: string | undefined;
  readonly origin?: string | undefined;
}

export interface TimeWindowBounds extends Omit<TimeReferences, 'end'> {
  /** The first moment of an archive; now, for a live source. */
  readonly start: Timestamp;
  /** The last moment of an archive; undefined for a live source, which has no end: backward offsets then count from now. */
  readonly end?: Timestamp | undefined;
}

export interface TimeWindow {
  readonly start: Timestamp;
  /** Undefined: without end. It may be before the start if that was requested. */
  readonly end: Timestamp | undefined;
  readonly origin: Timestamp;
  /** False if start or origin could not be aligned within the window; it is then unaligned. */
  readonly isAligned: boolean;
}

/**
 * Computes start, end and origin of a window from their texts.
 *
 * - start: the bounds' start by default, and never before it;
 * - align: the start moves on to the next multiple of this interval since the epoch;
 * - end: the bounds' end by default, and never after it; an offset counts from the aligned start;
 * - origin: the start by default, kept between start and end; an offset counts from the aligned start, and a number without a
 *   unit is an offset in seconds. With an alignment it moves on to the next multiple, or back to the previous one if that would
 *   be after the end.
 *
 * @throws SourceTextError (BAD_PARAMETER), whose `details.parameter` names which of the four is invalid
 * @see pmParseTimeWindow(3)
 */
export function parseTimeWindow(spec: TimeWindowSpec, bounds: TimeWindowBounds): TimeWindow {
  const { now, zone, bareNumber = 'epoch' } = bounds;
  const back = bounds.end ?? now;
  const references = { start: bounds.start, end: back, now, zone, bareNumber };
  const step = spec.align === undefined ? undefined : parseInParameter('align', spec.align, parseAlignment);
  const readTime = (parameter: string, text: string, start: Timestamp, end: Timestamp): Timestamp =>
    parseInParameter(parameter, text, () =>
      parseTime(text, { ...references, start, end, ...(parameter === 'origin' ? { bareNumber: 'offset' } : {}) }),
    );

  const wanted = spec.start === undefined ? bounds.start : readTime('start', spec.start, bounds.start, back);
  let start = later(wanted, bounds.start);
  let isAligned = true;
  if (step !== undefined) {
    const aligned = multipleFrom(start, step);
    isAligned = !isAfter(aligned, bounds.end);
    if (isAligned) start = aligned;
  }

  let end = bounds.end;
  if (spec.finish !== undefined) {
    const finish = readTime('finish', spec.finish, start, back);
    end = isAfter(finish, end) ? end : finish;
  }

  let origin = start;
  if (spec.origin !== undefined) {
    const wantedOrigin = readTime('origin', spec.origin, start, end ?? back);
    // An end before the start counts only for an origin that is not before the start.
    if (!isAfter(start, wantedOrigin)) origin = earlier(wantedOrigin, end ?? wantedOrigin);
    if (step !== undefined) {
      const next = multipleFrom(origin, step);
      const aligned = isAfter(next, end) ? multipleUpTo(origin, step) : next;
      const fits = compareTimestamps(aligned, start) >= 0 && !isAfter(aligned, end);
      if (fits) origin = aligned;
      isAligned &&= fits;
    }
  }
  return { start, end, origin, isAligned };
}

function parseAlignment(text: string): bigint {
  const interval = parseInterval(text);
  if (interval.sec > 0 || interval.nsec > 0) return timestampToNanoseconds(interval);
  throw timeTextError('alignment specified by -A switch could not be applied', text, 0, 'an interval longer than 0');
}

function multipleFrom(t: Timestamp, stepNsec: bigint): Timestamp {
  return timestampFromNanoseconds(((timestampToNanoseconds(t) + stepNsec - 1n) / stepNsec) * stepNsec);
}

function multipleUpTo(t: Timestamp, stepNsec: bigint): Timestamp {
  return timestampFromNanoseconds((timestampToNanoseconds(t) / stepNsec) * stepNsec);
}

function isAfter(a: Timestamp, b: Timestamp | undefined): boolean {
  return b !== undefined && compareTimestamps(a, b) > 0;
}

export interface TimeReferences {
  /** Forward offsets count from here, and missing parts of a date are taken from here. */
  readonly start: Timestamp;
  readonly end: Timestamp;
  readonly now: Timestamp;
  readonly zone: TimeZone;
  /** What a bare number means: seconds since the epoch (the default) or, as in PCP, a forward offset. */
  readonly bareNumber?: 'epoch' | 'offset';
}

/** Years 1970 up to 275760: what a Date can hold, and no earlier than PCP's own times. */
const MAX_SEC = 8.64e12;
const BILLION = 1_000_000_000n;
const EXPECTED =
  'epoch seconds, ISO 8601, an offset (5min, -1hour), or @ and a date and time (@14:00, @Jan 12 14:00:30 2026, @now)';

/**
 * Read a point in time:
 *
 * - `1789000000.5`: seconds since the epoch;
 * - `2026-11-20T14:00:00.25+01:00`, `2026-11-20 14:00Z`, `2026-11-20`: ISO 8601, in the zone when no offset is given;
 * - `5min`, `+5min`: forward from the start; `-5min`: back from the end;
 * - `@` and a date and time as ctime(3) writes it, any of its parts; `@` and a phrase such as `tomorrow 2pm`, `1 hour ago`.
 *   The `@` may be left out where the rest is no offset.
 *
 * Differs from PCP: epoch seconds and ISO 8601 are additions; `@25:00` is an error, not the 25th of the month.
 * @throws SourceTextError (BAD_PARAMETER) with PCP's message
 * @see PCPIntro(1), "Time window specification"; pmParseTimeWindow(3)
 */
export function parseTime(text: string, references: TimeReferences): Timestamp {
  if (text.length > TIME_TEXT_MAX_LENGTH) throw timeTextError(UNEXPECTED_VALUE, text, TIME_TEXT_MAX_LENGTH, EXPECTED);
  const offset = /^\s*/.exec(text)![0].length;
  const body = text.trim();
  if (body === '') throw timeTextError(EMPTY_SPECIFICATION, text, 0, EXPECTED);
  if (body.startsWith('@')) return checkRange(absoluteTime(text, offset + 1, references), text);
  if (body.startsWith('+') || body.startsWith('-')) {
    const interval = within(text, offset + 1, parseInterval);
    return checkRange(
      body.startsWith('+') ? addInterval(references.start, interval) : subtractInterval(references.end, interval),
      text,
    );
  }
  if (references.bareNumber !== 'offset') {
    const epoch = epochTime(body);
    if (epoch) return checkRange(epoch, text);
  }
  try {
    return checkRange(addInterval(references.start, within(text, offset, parseInterval)), text);
  } catch (error) {
    if (!(error instanceof SourceTextError)) throw error;
    // Without the @, a time of day is today's, not that of the start.
    const time =
      parseIsoTime(body, references.zone) ?? parseDatePhrase(body, references) ?? parseCtimeForm(body, references);
    if (!time) throw timeTextError(error.message, text, error.offset, EXPECTED);
    return checkRange(time, text);
  }
}

function absoluteTime(text: string, offset: number, references: TimeReferences): Timestamp {
  const body = text.slice(offset).trim();
  if (body === '') return references.start;
  // Shorter numbers are hours, or years: @14, @2026.
  if (/^\d{5,}|^\d*\./.test(body) && !/^\d{8}$/.test(body)) {
    const epoch = epochTime(body);
    if (epoch) return epoch;
  }
  const time =
    parseIsoTime(body, references.zone) ?? parseCtimeForm(body, references) ?? parseDatePhrase(body, references);
  if (time) return time;
  const at = offset + /^\s*/.exec(text.slice(offset))![0].length;
  throw timeTextError(UNEXPECTED_VALUE, text, at, EXPECTED);
}

function epochTime(body: string): Timestamp | undefined {
  const number = scanNumber(body, 0);
  if (number?.length !== body.length || !(number.value >= 0 && number.value <= MAX_SEC)) return undefined;
  const nsec = number.times(BILLION);
  return { sec: Number(nsec / BILLION), nsec: Number(nsec % BILLION) };
}

/** Runs a parser on the rest of a text; its errors have positions in the whole text. */
function within<T>(text: string, offset: number, parse: (rest: string) => T): T {
  try {
    return parse(text.slice(offset));
  } catch (error) {
    if (!(error instanceof SourceTextError)) throw error;
    throw timeTextError(error.message, text, offset + error.offset, EXPECTED);
  }
}

function checkRange(time: Timestamp, text: string): Timestamp {
  if (Math.abs(time.sec) <= MAX_SEC) return time;
  throw timeTextError(UNEXPECTED_VALUE, text, 0, EXPECTED);
}

/** A length of time, with the same members as a moment: whole seconds and nanoseconds (0..999999999). */
export type Interval = Timestamp;

/** Nanoseconds of each unit word, in lower case; each word also has a plural with `s` (so `ms` are minutes). */
const UNIT_NSEC: ReadonlyMap<string, bigint> = new Map(
  (
    [
      [1n, 'nsec nanosecond'],
      [1_000n, 'usec microsecond'],
      [1_000_000n, 'msec millisecond'],
      [BILLION, 's sec second'],
      [60n * BILLION, 'm min minute'],
      [3600n * BILLION, 'h hr hour'],
      [86400n * BILLION, 'd day'],
    ] as const
  ).flatMap(([nsec, words]) => words.split(' ').map((word) => [word, nsec] as const)),
);
const INTERVAL_EXPECTED = 'numbers with units: nsec, usec, msec, sec, min (or m), hour, day; no unit is seconds';

/**
 * Read a time interval: `30`, `1.5min`, `3d 2h`, `1 hr 30min`, … Numbers with their units are added up; a number without
 * a unit counts seconds. Exact to the nanosecond.
 *
 * Differs from PCP: blanks alone are an error, not 0; "nan" is an error; decimal fractions are not rounded twice.
 * @throws SourceTextError (BAD_PARAMETER) with PCP's message
 * @see pmParseInterval(3)
 */
export function parseInterval(text: string): Interval {
  if (text.trim() === '') throw timeTextError(EMPTY_SPECIFICATION, text, 0, INTERVAL_EXPECTED);
  if (text.length > TIME_TEXT_MAX_LENGTH) throw unexpected(text, TIME_TEXT_MAX_LENGTH);
  let totalNsec = 0n;
  let offset = skipBlanks(text, 0);
  while (offset < text.length) {
    const number = scanNumber(text, offset);
    if (!number || number.value < 0 || number.value > Number.MAX_SAFE_INTEGER) throw unexpected(text, offset);
    const wordAt = skipBlanks(text, offset + number.length);
    const word = /^[A-Za-z]*/.exec(text.slice(wordAt))![0];
    const unit = word === '' ? BILLION : unitNsec(word);
    if (unit === undefined) throw unexpected(text, wordAt);
    totalNsec += number.times(unit);
    if (totalNsec / BILLION > BigInt(Number.MAX_SAFE_INTEGER)) throw unexpected(text, offset);
    offset = skipBlanks(text, wordAt + word.length);
  }
  return { sec: Number(totalNsec / BILLION), nsec: Number(totalNsec % BILLION) };
}

export function intervalToSeconds(interval: Interval): number {
  return interval.sec + interval.nsec / 1e9;
}

function unitNsec(word: string): bigint | undefined {
  const lower = word.toLowerCase();
  return UNIT_NSEC.get(lower) ?? (lower.endsWith('s') ? UNIT_NSEC.get(lower.slice(0, -1)) : undefined);
}

function skipBlanks(text: string, offset: number): number {
  let i = offset;
  while (i < text.length && /\s/.test(text[i]!)) i++;
  return i;
}

function unexpected(text: string, offset: number): SourceTextError {
  return timeTextError(UNEXPECTED_VALUE, text, offset, INTERVAL_EXPECTED);
}

/** pmParseInterval(3)'s message for an empty text. */
const EMPTY_SPECIFICATION = 'Null or empty specification';
const UNEXPECTED_VALUE = 'unexpected value';

/** No time or interval requires a longer text; a hostile one must not cost much. */
const TIME_TEXT_MAX_LENGTH = 1000;

/** The error of the parsers of times and intervals; the message is one of PCP's two. */
function timeTextError(message: string, source: string, offset: number, expected: string): SourceTextError {
  const rest = /^\S+/.exec(source.slice(offset));
  return new SourceTextError('BAD_PARAMETER', message, {
    source,
    offset,
    end: offset + (rest ? rest[0].length : 0),
    expected,
  });
}

const TIME_OF_DAY = /^\s*@?\s*((?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?)\s*$/;

/** A time of day alone, `03:12` or `@03:12`, as the last one before an end; other texts stay. */
export function lastTimeOfDay(
  text: string | undefined,
  { end, zone }: Pick<TimeReferences, 'end' | 'zone'>,
): string | undefined {
  const time = text === undefined ? undefined : TIME_OF_DAY.exec(text)?.[1];
  if (time === undefined) return text;
  const on = (day: string): Timestamp => parseTime(`${day} ${time}`, { start: end, end, now: end, zone });
  return formatTimestamp(compareTimestamps(on('today'), end) > 0 ? on('yesterday') : on('today'));
}
