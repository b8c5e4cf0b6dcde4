import type { Span } from '../state/time-window.js';
import { median, spreadOf } from './median.js';
import type { Cell, Gap } from './series-table.js';

/** What is known of a source's time. */
export interface KnownTime extends Span {
  /** The resource; undefined: none was sampled. */
  readonly title: string | undefined;
  /** How full it was. */
  readonly parts: readonly (Span & { readonly value: number; readonly isOdd: boolean })[];
  /** The greatest value, or the whole of it. */
  readonly most: number;
  /** Where samples are from; between segments there is nothing. */
  readonly segments: readonly (Span & { readonly isRemembered: boolean })[];
}

/** The ribbon is so many times as long as the window, and not shorter than this. */
const TIMES = 48;
const SHORTEST_SEC = 7200;
/** From so many deviations above the median on, a part is odd; one is at least this share of the greatest. */
const ODD = 4;
const LEAST_SHARE = 0.05;
/** Values further apart than this multiple of the usual distance have nothing between them. */
const MISSED = 2.5;

/** The time that a ribbon shows around a window; all of an archive. @param now the end of what can be known of a host */
export function ribbonSpan(window: Span, now: number, recorded: Span | undefined, before?: Span): Span {
  if (recorded) return recorded;
  const length = Math.max((window.end - window.start) * TIMES, SHORTEST_SEC);
  const isIn = before && window.start >= before.start && window.end <= Math.max(before.end, now);
  // It stays while it has the window, and a few times its length.
  if (isIn && before.end - before.start <= 8 * length && before.end - before.start >= length / 8) {
    return now > before.end && window.end > before.end ? { start: before.start + now - before.end, end: now } : before;
  }
  const end = Math.min(now, Math.max((window.start + window.end + length) / 2, window.end));
  return { start: end - length, end };
}

/** Values as parts of a time, each from the one before it, as far as it is near, to its own moment; those far above the median are odd. */
export function partsOf(
  times: readonly number[],
  cells: readonly Cell[],
  whole?: number,
): Pick<KnownTime, 'parts' | 'most'> {
  const known = times.flatMap((end, row) => {
    const value = cells[row];
    return typeof value === 'number' ? [{ end, value }] : [];
  });
  if (known.length === 0) return { parts: [], most: 0 };
  const values = known.map(({ value }) => value);
  const most = whole ?? Math.max(0, ...values);
  const limit = median(values) + ODD * Math.max(spreadOf(values), LEAST_SHARE * most);
  const usual = known.length < 2 ? 1 : median(known.slice(1).map(({ end }, i) => end - known[i]!.end));
  const parts = known.map(({ end, value }, i) => {
    const before = known[i - 1]?.end ?? -Infinity;
    return { start: end - before <= MISSED * usual ? before : end - usual, end, value, isOdd: value > limit };
  });
  return { parts, most };
}

/** Odd parts that follow one another, as stretches of time. */
export function oddStretches(parts: KnownTime['parts']): readonly Span[] {
  const stretches: { start: number; end: number }[] = [];
  for (const { start, end, isOdd } of parts) {
    const last = stretches.at(-1);
    if (!isOdd) continue;
    if (last && last.end >= start) last.end = end;
    else stretches.push({ start, end });
  }
  return stretches;
}

/** The window around the next stretch after the middle of the shown one, or around the first: most of it is odd. */
export function nextOdd(stretches: readonly Span[], shown: Span): Span | undefined {
  const middle = (shown.start + shown.end) / 2;
  const isShown = ({ start, end }: Span): boolean =>
    start <= middle && end >= middle && shown.end - shown.start < 2 * (end - start);
  const next = stretches.find((each) => each.end > middle && !isShown(each)) ?? stretches[0];
  const margin = next && (next.end - next.start) / 10;
  return next && { start: next.start - margin!, end: next.end + margin! };
}

/** Where nothing is known, in a time: between segments, before the first and after the last. */
export function gapsOf({ segments, end: asked }: KnownTime, { start, end }: Span): readonly Gap[] {
  const gaps: Gap[] = [];
  let known = start;
  for (const segment of segments.toSorted((a, b) => a.start - b.start)) {
    if (segment.start > known) gaps.push({ from: known, to: Math.min(segment.start, end) });
    known = Math.max(known, segment.end);
  }
  // What came since it was asked is not known to be missing.
  if (known < asked) gaps.push({ from: known, to: Math.min(asked, end) });
  return gaps.filter(({ from, to }) => to > from);
}

/** The stretches of a time between its gaps, in order. */
export function between(gaps: readonly Gap[], { start, end }: Span): KnownTime['segments'] {
  const starts = [start, ...gaps.map(({ to }) => to)];
  return starts.map((from, i) => ({ start: from, end: gaps[i]?.from ?? end, isRemembered: false }));
}
