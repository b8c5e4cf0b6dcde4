import type { Context, FetchPlan, RangeSettings } from '../context/index.js';
import { compareTimestamps, formatTimestamp, makeTimestamp, secondsBetween } from '../pmapi/index.js';
import type { Timestamp } from '../pmapi/index.js';
import { measureWindow, PARTS, windowOf } from './measure-window.js';
import type { Measurement, WindowTexts } from './measure-window.js';
import type { MeasuredWindow } from './measured-window.js';

/** The window after, unless the client chooses another one: the last five minutes. */
const DEFAULT_AFTER: WindowTexts = { start: '-5min', finish: undefined };
/** The window before is this many times as long unless the client chooses one, and ends where the other begins. */
const TIMES_AS_LONG = 4;
/** The window before has at least so many parts and at most so many, whatever the lengths of both. */
const [LEAST_PARTS, MOST_PARTS] = [8, 240];

/** The windows that a client chooses; each has a default. */
export interface ChosenWindows {
  readonly before?: WindowTexts | undefined;
  readonly after?: WindowTexts | undefined;
  /** The time zone of times that name none; that of the source by default. */
  readonly zone?: string | undefined;
  /** Measures what the window after is compared with, in place of a window before of the same source. */
  readonly others?: (() => Promise<MeasuredWindow>) | undefined;
}

/** Two windows of one source that were measured. */
export interface TwoWindows {
  readonly before: MeasuredWindow;
  readonly after: MeasuredWindow;
  /** The window that has no length, if any: then nothing was read, and both are without series. */
  readonly empty: 'before' | 'after' | undefined;
  /** What was found damaged while reading; undefined: nothing. */
  readonly damage: Measurement['damage'];
}

interface Bounds {
  readonly start: Timestamp;
  readonly finish: Timestamp;
}

/**
 * Measure two windows of a source, in parts of the same length, or one window of it and what others measured. Throws as
 * {@link measureWindow} and `chosen.others` do.
 */
export async function measureTwoWindows(
  context: Context,
  plan: FetchPlan,
  chosen: ChosenWindows,
  settings: RangeSettings,
): Promise<TwoWindows> {
  const later = await windowOf(context, plan, { ...(chosen.after ?? DEFAULT_AFTER), zone: chosen.zone }, settings);
  if (isEmpty(later)) return nothingIn('after', later);
  const measureLater = (): Promise<Measurement> => measureWindow(context, plan, textsOf(later), PARTS, settings);
  if (chosen.others) {
    const { window, damage } = await measureLater();
    return { before: await chosen.others(), after: window, empty: undefined, damage };
  }
  const texts = chosen.before ?? windowBefore(later);
  const earlier = await windowOf(context, plan, { ...texts, zone: chosen.zone }, settings);
  if (isEmpty(earlier)) return nothingIn('before', later);
  const after = await measureLater();
  const before = await measureWindow(context, plan, textsOf(earlier), partsOf(earlier, later), settings);
  return { before: before.window, after: after.window, empty: undefined, damage: before.damage ?? after.damage };
}

/**
 * Measure the window of a source that another one is compared with: `before` if it is chosen, otherwise the same as `after`.
 * Returns undefined for a window without length.
 * Throws as {@link measureWindow} does.
 */
export async function measureOneWindow(
  context: Context,
  plan: FetchPlan,
  { before, after, zone }: ChosenWindows,
  settings: RangeSettings,
): Promise<Measurement | undefined> {
  const bounds = await windowOf(context, plan, { ...(before ?? after ?? DEFAULT_AFTER), zone }, settings);
  return isEmpty(bounds) ? undefined : measureWindow(context, plan, textsOf(bounds), PARTS, settings);
}

function isEmpty({ start, finish }: Bounds): boolean {
  return compareTimestamps(start, finish) >= 0;
}

function nothingIn(empty: 'before' | 'after', { start }: Bounds): TwoWindows {
  const nothing = { start, finish: start, parts: 1, metrics: [], series: [] };
  return { before: nothing, after: nothing, empty, damage: undefined };
}

/** The window before, up to the last nanosecond: a sample at the joint belongs to the later window. */
function windowBefore({ start, finish }: Bounds): WindowTexts {
  const seconds = secondsBetween(finish, start) * TIMES_AS_LONG;
  const from = makeTimestamp(Math.max(start.sec - Math.ceil(seconds), 0), start.nsec);
  const to = start.nsec > 0 ? makeTimestamp(start.sec, start.nsec - 1) : makeTimestamp(start.sec - 1, 999_999_999);
  return textsOf({ start: from, finish: to });
}

function textsOf({ start, finish }: Bounds): WindowTexts {
  return { start: formatTimestamp(start), finish: formatTimestamp(finish) };
}

/** Parts of the same length as those of the window after. */
function partsOf(before: Bounds, after: Bounds): number {
  const ratio = secondsBetween(before.finish, before.start) / secondsBetween(after.finish, after.start);
  return Math.min(Math.max(Math.round(PARTS * ratio), LEAST_PARTS), MOST_PARTS);
}
