import { parseInParameter } from '../source-text-error.js';
import { parseInterval, timeTextError } from './parse-interval.js';
import { parseTime } from './parse-time.js';
import type { TimeZone } from './time-zone.js';
import { compareTimestamps, earlier, later, timestampFromNanoseconds, timestampToNanoseconds } from './timestamp.js';
import type { Timestamp } from './timestamp.js';

export interface TimeWindowSpec {
  readonly start?: string | undefined;
  readonly finish?: string | undefined;
  readonly align?: string | undefined;
  readonly origin?: string | undefined;
}

export interface TimeWindowBounds {
  /** The first moment of an archive; now, for a live source. */
  readonly start: Timestamp;
  /** The last moment of an archive; undefined for a live source, which has no end: backward offsets then count from now. */
  readonly end?: Timestamp | undefined;
  readonly now: Timestamp;
  readonly zone: TimeZone;
  readonly bareNumber?: 'epoch' | 'offset';
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
