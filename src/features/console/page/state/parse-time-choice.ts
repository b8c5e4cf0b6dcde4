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
import { SHORTEST_SEC } from './time-window.js';
import { LONGEST_SEC, type Span, type TimeChoice } from './url-state.js';

/**
 * Parses a time that a user typed: `-15min`, `3h` (the last hours); `yesterday`, `2026-11-21` (a day); `yesterday 14:00`, `@14:00` (the
 * moment, with as much around it as is shown now); or `START/END` of moments in ISO 8601 or PCP's forms.
 * @throws SourceTextError and the like, with a message for people
 */
export function parseTimeChoice(text: string, shown: Span, now: number, zone: TimeZone): TimeChoice {
  const typed = text.trim();
  if (typed === '' || typed === 'live' || typed === 'all') return { kind: 'default' };
  const span = /^(?:-|last\s|(?=\d+ ?(?:[smhd]|min)$))\s*([^/]+)$/.exec(typed);
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
