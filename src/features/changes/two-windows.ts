import { parseRange, type RangeBounds } from '../../context/range/index.js';
import type { Context, FetchPlan, RangeSettings } from '../../context/index.js';
import type { Window } from '../../culprits/index.js';
import { compareTimestamps, formatTimestamp, justBefore, makeTimestamp, secondsBetween } from '../../pmapi/index.js';
import { measureWindow, PARTS, type Measurement, type WindowTexts } from './measure-window.js';
import type { MeasuredWindow } from './measured-window.js';

/** The window after, unless the client chooses another one: the last five minutes. */
const DEFAULT_AFTER: WindowTexts = { start: '-5min', finish: undefined };
/** The window before is this many times as long unless the client chooses one, and ends where the other begins. */
const TIMES_AS_LONG = 4;
/** The minimum and maximum number of parts of the window before. */
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

export interface TwoWindows {
  readonly before: MeasuredWindow;
  readonly after: MeasuredWindow;
  /** The window without length, if any: nothing was read then, and both have no series. */
  readonly empty: 'before' | 'after' | undefined;
  /** From when to when there are samples. */
  readonly bounds: RangeBounds;
  /** What was found damaged while reading either window; undefined: nothing. */
  readonly damage: readonly Measurement['damage'][];
}

/** Measure two windows of a source, in parts of the same length, or one and those of others. Throws as {@link measureWindow} does. */
export async function measureTwoWindows(
  context: Context,
  plan: FetchPlan,
  chosen: ChosenWindows,
  settings: RangeSettings,
): Promise<TwoWindows> {
  const bounds = await context.fetching.bounds(plan, settings.recorded);
  const { before: earlier, after: later } = locateWindows(chosen, bounds);
  if (isEmpty(later)) return nothingIn('after', later, bounds);
  if (chosen.others) {
    const { window, damage } = await measureWindow(context, plan, textsOf(later), PARTS, settings);
    return { before: await chosen.others(), after: window, empty: undefined, bounds, damage: [damage] };
  }
  if (isEmpty(earlier)) return nothingIn('before', later, bounds);
  const after = await measureWindow(context, plan, textsOf(later), PARTS, settings);
  const before = await measureWindow(context, plan, textsOf(earlier), partsOf(earlier, later), settings);
  const damage = [before.damage, after.damage];
  return { before: before.window, after: after.window, empty: undefined, bounds, damage };
}

/** Measure the window to compare with: `before` if chosen, otherwise `after`; undefined without length. Throws as {@link measureWindow} does. */
export async function measureOneWindow(
  context: Context,
  plan: FetchPlan,
  chosen: ChosenWindows,
  settings: RangeSettings,
): Promise<Measurement | undefined> {
  const window = locateOneWindow(chosen, await context.fetching.bounds(plan, settings.recorded));
  return isEmpty(window) ? undefined : measureWindow(context, plan, textsOf(window), PARTS, settings);
}

/** The bounds of the windows of {@link measureTwoWindows}: a sample at the joint belongs to the later one. Throws BAD_PARAMETER. */
export function locateWindows(
  { before, after, zone }: ChosenWindows,
  bounds: RangeBounds,
): { readonly before: Window; readonly after: Window } {
  const later = parseRange({ ...(after ?? DEFAULT_AFTER), zone }, bounds);
  if (isEmpty(later)) return { before: later, after: later };
  const earlier = parseRange({ ...(before ?? windowBefore(later)), zone }, bounds);
  const isJoint = compareTimestamps(earlier.finish, later.start) === 0;
  return { before: isJoint ? { start: earlier.start, finish: justBefore(later.start) } : earlier, after: later };
}

/** The bounds of the window of {@link measureOneWindow}. Throws BAD_PARAMETER. */
export function locateOneWindow({ before, after, zone }: ChosenWindows, bounds: RangeBounds): Window {
  return parseRange({ ...(before ?? after ?? DEFAULT_AFTER), zone }, bounds);
}

function isEmpty({ start, finish }: Window): boolean {
  return compareTimestamps(start, finish) >= 0;
}

function nothingIn(empty: 'before' | 'after', { start }: Window, bounds: RangeBounds): TwoWindows {
  const nothing = { start, finish: start, parts: 1, metrics: [], series: [] };
  return { before: nothing, after: nothing, empty, bounds, damage: [] };
}

function windowBefore({ start, finish }: Window): WindowTexts {
  const seconds = secondsBetween(finish, start) * TIMES_AS_LONG;
  const from = makeTimestamp(Math.max(start.sec - Math.ceil(seconds), 0), start.nsec);
  return textsOf({ start: from, finish: start });
}

function textsOf({ start, finish }: Window): WindowTexts {
  return { start: formatTimestamp(start), finish: formatTimestamp(finish) };
}

function partsOf(before: Window, after: Window): number {
  const ratio = secondsBetween(before.finish, before.start) / secondsBetween(after.finish, after.start);
  return Math.min(Math.max(Math.round(PARTS * ratio), LEAST_PARTS), MOST_PARTS);
}
