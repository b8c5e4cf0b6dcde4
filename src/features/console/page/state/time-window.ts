import { LONGEST_SEC, type Span, type TimeChoice } from './url-state.js';

export type { Span } from './url-state.js';

/** What a live chart shows by default. */
export const DEFAULT_SPAN_SEC = 300;
/** The shortest window. */
export const SHORTEST_SEC = 1;

/** The window of a choice at the gateway's time. For what was recorded, the last minutes are those before its end, and the default is all of it. */
export function windowOf(choice: TimeChoice, { now, recorded }: { now: number; recorded: Span | undefined }): Span {
  if (choice.kind === 'fixed') return { start: choice.start, end: choice.end };
  if (recorded && choice.kind === 'default') {
    // Room for an archive of a single sample.
    return recorded.end > recorded.start ? recorded : { start: recorded.start - 1, end: recorded.end + 1 };
  }
  const end = recorded?.end ?? now;
  return { start: end - (choice.kind === 'live' ? choice.spanSec : DEFAULT_SPAN_SEC), end };
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
