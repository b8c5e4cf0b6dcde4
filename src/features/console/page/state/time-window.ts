import {
  fromLocalTime,
  intervalToSeconds,
  parseInterval,
  parseTime,
  timestampFromSeconds,
  timestampToSeconds,
  toLocalTime,
} from '../../../../pmapi/index.js';
import type { TimeZone } from '../../../../pmapi/index.js';
import type { Span, TimeChoice } from './url-state.js';

export type { Span } from './url-state.js';

/** What a window of time refers to. */
export interface TimeReference {
  /** The gateway's clock. */
  readonly now: number;
  /** When the archive was recorded; undefined for a live host. */
  readonly recorded: Span | undefined;
}

/** What a live chart shows by default. */
export const DEFAULT_SPAN_SEC = 300;
const SHORTEST_SEC = 1;
const LONGEST_SEC = 10 * 365 * 86_400;

/** The window of a choice. For an archive, the last minutes are those before its end, and the default is all of it. */
export function windowOf(choice: TimeChoice, { now, recorded }: TimeReference): Span {
  if (choice.kind === 'fixed') return { start: choice.start, end: choice.end };
  if (recorded && choice.kind === 'default') {
    // Room for an archive of a single sample.
    return recorded.end > recorded.start ? recorded : { start: recorded.start - 1, end: recorded.end + 1 };
  }
  const end = recorded?.end ?? now;
  return { start: end - (choice.kind === 'live' ? choice.spanSec : DEFAULT_SPAN_SEC), end };
}

/** Whether the window's right edge is now. */
export function isFollowing(choice: TimeChoice, { recorded }: Pick<TimeReference, 'recorded'>): boolean {
  return choice.kind !== 'fixed' && recorded === undefined;
}

/**
 * The window of earlier samples to request. While the shown one follows the clock, it is longer and changes once in a while only; it never
 * reaches the present.
 */
export function shiftedWindow({ start, end }: Span, shiftSec: number, follows: boolean): Span {
  if (!follows) return { start: start - shiftSec, end: end - shiftSec };
  const step = Math.min(end - start, shiftSec) / 4;
  const first = Math.floor((start - shiftSec) / step) * step;
  return { start: first, end: first + Math.ceil((end - start) / step + 2) * step };
}

/** The window moved by a part of its length; positive is later. */
export function panned({ start, end }: Span, part: number): Span {
  const by = (end - start) * part;
  return { start: start + by, end: end + by };
}

/** The window made `factor` times as long, with the moment `around` staying where it is. */
export function zoomed({ start, end }: Span, factor: number, around = (start + end) / 2): Span {
  const length = Math.min(Math.max((end - start) * factor, SHORTEST_SEC), LONGEST_SEC);
  const place = (around - start) / (end - start);
  const from = around - length * place;
  return { start: from, end: from + length };
}

/**
 * Parses a time that a user typed: `-15min`, `-3h` (the last hours); `yesterday`, `2026-11-21` (a day); `yesterday 14:00`, `@14:00` (the
 * moment, with as much around it as is shown now); or `START/END` of moments in ISO 8601 or PCP's forms.
 * @throws SourceTextError and the like, with a message for people
 */
export function parseTimeChoice(text: string, shown: Span, now: number, zone: TimeZone): TimeChoice {
  const typed = text.trim();
  if (typed === '' || typed === 'live' || typed === 'all') return { kind: 'default' };
  const span = /^(?:-|last\s)\s*([^/]+)$/.exec(typed);
  if (span) {
    const spanSec = intervalToSeconds(parseInterval(span[1]!));
    if (spanSec < SHORTEST_SEC || spanSec > LONGEST_SEC)
      throw new Error('Expected a time between one second and ten years.');
    return { kind: 'live', spanSec };
  }
  const references = {
    start: timestampFromSeconds(shown.start),
    end: timestampFromSeconds(shown.end),
    now: timestampFromSeconds(now),
    zone,
  };
  const moment = (part: string): number =>
    timestampToSeconds(parseTime(/^\d\d?:\d\d/.test(part) ? `@${part}` : part, references));
  const [from, to, ...rest] = typed.split(/\s*\/\s*/);
  if (rest.length > 0) throw new Error('Expected -3h, yesterday 14:00, or START/END as in 14:00/14:30.');
  if (to === undefined) {
    const at = moment(from!);
    return /^(?:\d{4}-\d\d-\d\d|yesterday|today)$/i.test(typed) ? dayOf(at, zone) : around(at, shown, now);
  }
  const fixed = { kind: 'fixed', start: moment(from!), end: moment(to) } as const;
  if (fixed.start >= fixed.end) throw new Error('The window must end after it begins.');
  return fixed;
}

/** The day of a moment, by the zone's calendar. */
function dayOf(at: number, zone: TimeZone): TimeChoice {
  const { year, month, day } = toLocalTime(zone, at);
  const midnight = (later: number): number =>
    fromLocalTime(zone, { year, month, day: day + later, hour: 0, minute: 0, second: 0 });
  return { kind: 'fixed', start: midnight(0), end: midnight(1) };
}

/** A window as long as the shown one with a moment in its middle, and nothing of the future. */
function around(at: number, { start, end }: Span, now: number): TimeChoice {
  if (at > now) throw new Error('This time is still to come.');
  const last = Math.min(at + (end - start) / 2, now);
  return { kind: 'fixed', start: last - (end - start), end: last };
}
