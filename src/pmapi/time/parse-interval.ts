import { scanNumber } from '../scan-number.js';
import { SourceTextError } from '../errors.js';
import type { Timestamp } from './timestamp.js';

/** A length of time, with the same members as a moment: whole seconds and nanoseconds (0..999999999). */
export type Interval = Timestamp;

const BILLION = 1_000_000_000n;

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
const EXPECTED = 'numbers with units: nsec, usec, msec, sec, min (or m), hour, day; no unit is seconds';

/**
 * Read a time interval: `30`, `1.5min`, `3d 2h`, `1 hr 30min`, … Numbers with their units are added up; a number without
 * a unit counts seconds. Exact to the nanosecond.
 *
 * Differs from PCP: blanks alone are an error, not 0; "nan" is an error; decimal fractions are not rounded twice.
 * @throws SourceTextError (BAD_PARAMETER) with PCP's message
 * @see pmParseInterval(3)
 */
export function parseInterval(text: string): Interval {
  if (text.trim() === '') throw timeTextError(EMPTY_SPECIFICATION, text, 0, EXPECTED);
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
  return timeTextError(UNEXPECTED_VALUE, text, offset, EXPECTED);
}

/** pmParseInterval(3)'s message for an empty text. */
export const EMPTY_SPECIFICATION = 'Null or empty specification';
export const UNEXPECTED_VALUE = 'unexpected value';

/** No time or interval requires a longer text; a hostile one must not cost much. */
export const TIME_TEXT_MAX_LENGTH = 1000;

/** The error of the parsers of times and intervals; the message is one of PCP's two. */
export function timeTextError(message: string, source: string, offset: number, expected: string): SourceTextError {
  const rest = /^\S+/.exec(source.slice(offset));
  return new SourceTextError('BAD_PARAMETER', message, {
    source,
    offset,
    end: offset + (rest ? rest[0].length : 0),
    expected,
  });
}
