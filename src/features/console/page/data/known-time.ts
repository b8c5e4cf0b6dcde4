import type { Resource } from './resources.js';
import { median } from './host-vitals.js';
import { client, whereOf } from './gateway.js';
import { SeriesTable } from './series-table.js';
import type { Cell, Gap } from './series-table.js';
import type { Span } from '../state/time-window.js';

/** A part of the known time, and how full a resource was in it. */
interface KnownPart extends Span {
  /** The mean; undefined: nothing was sampled. */
  readonly value: number | undefined;
  /** Far above the others. */
  readonly isOdd: boolean;
}

/** What is known of a source's time. */
export interface KnownTime extends Span {
  readonly parts: readonly KnownPart[];
  /** The greatest value, or the whole of it. */
  readonly most: number;
  /** Where samples are from; between segments there is nothing. */
  readonly segments: readonly (Span & { readonly isRemembered: boolean })[];
}

/** So many parts: more would be narrower than what can be pointed at. */
const PARTS = 288;
/** The ribbon is so many times as long as the window, and not shorter than this. */
const TIMES = 48;
const SHORTEST_SEC = 7200;
/** From so many deviations above the median on, a part is odd; one is at least this share of the greatest. */
const ODD = 4;
const MAD_SCALE = 1.4826;
const LEAST_SHARE = 0.1;

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

/** What is known of a resource of a source in a time; rejects as the client does. */
export async function knownTime(
  source: string,
  { metrics, needs = [], read }: Resource,
  span: Span,
  signal: AbortSignal,
): Promise<KnownTime> {
  const names = [...metrics, ...needs];
  const where = whereOf(source);
  const window = { start: span.start, finish: span.end };
  const isArchive = source.startsWith('archive:');
  const [columns, timeline] = await Promise.all([
    client.columns({ names, rate: true, ...where, ...window, points: PARTS, signal }),
    isArchive ? undefined : client.timeline({ names, hostspec: source, ...window, signal }),
  ]);
  const table = new SeriesTable();
  table.fill(columns as Parameters<SeriesTable['fill']>[0]);
  const reading = read(table);
  const segments = timeline?.segments.map(({ from, to, origin }) => {
    return { start: from, end: to, isRemembered: origin === 'memory' };
  });
  return {
    ...span,
    ...partsOf(table.times, reading?.value ?? [], (span.end - span.start) / PARTS, reading?.whole),
    segments: segments ?? [{ ...span, isRemembered: false }],
  };
}

/** Values as parts of a time, each ending at its moment; those far above the median are odd. */
export function partsOf(
  times: readonly number[],
  cells: readonly Cell[],
  partSec: number,
  whole?: number,
): Pick<KnownTime, 'parts' | 'most'> {
  const values = times.map((_, row) => cells[row]).map((cell) => (typeof cell === 'number' ? cell : undefined));
  const known = values.filter((value) => value !== undefined);
  const most = whole ?? Math.max(0, ...known);
  const middle = known.length === 0 ? 0 : median(known);
  const deviation = known.length === 0 ? 0 : MAD_SCALE * median(known.map((value) => Math.abs(value - middle)));
  const limit = middle + ODD * Math.max(deviation, LEAST_SHARE * most * 0.5);
  const parts = values.map((value, row) => ({
    ...{ start: times[row]! - partSec, end: times[row]!, value },
    isOdd: value !== undefined && value > limit,
  }));
  return { parts, most };
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
