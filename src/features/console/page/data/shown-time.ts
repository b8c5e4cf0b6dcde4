import { computed } from '@preact/signals';
import { attempt } from '../../../../kit/index.js';
import { makeTimeZone, UTC_ZONE, type TimeZone } from '../../../../pmapi/index.js';
import { durationText } from '../chart/axis-times.js';
import { view } from '../state/page.js';
import { DEFAULT_SPAN_SEC, shiftedWindow, windowOf, type Span } from '../state/time-window.js';
import { SCREEN_NAMES, type Screen, type View } from '../state/url-state.js';
import type { FeedRequest } from './feed.js';
import { now } from './gateway-clock.js';
import { factsOf } from './source-facts.js';

const { Temporal } = globalThis as { readonly Temporal?: { readonly Now: { timeZoneId(): string } } };
/** The browser's own time zone. The first format that a page makes takes fifty milliseconds: newer browsers say it without. */
export const BROWSER_ZONE = Temporal?.Now.timeZoneId() ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The window that is shown: that of the first source, which the others follow. */
export const shownWindow = computed((): Span => {
  const { on, time } = view.value;
  return windowOf(time, { now: now.value, recorded: factsOf(on[0]!).value.recorded });
});
/** Whether the right edge of the window is now. */
export const isLive = computed(() => isLiveOn(view.value.on[0]!));

/** What a screen is called: what was recorded is not now. */
export function screenName(screen: Screen): string {
  return screen === '' && !isLive.value ? 'Overview' : SCREEN_NAMES[screen];
}

/** Whether the values of a source are followed: beside a live host, an archive has a last sample, and no present. */
export function isLiveOn(source: string): boolean {
  return view.value.time.kind !== 'fixed' && !source.startsWith('archive:');
}

/** A number cannot hold the nine decimals of an instant: this much later is surely not before it. */
export const MOMENT_SEC = 2e-6;
const DAY_SEC = 86_400;

/**
 * By how many seconds a source's time is later than that of the first, in step with it. Archives that have no time in common with the first
 * are shown at the same time of another day, or else from their beginnings; beside a live host, up to their ends.
 */
export function lateOf(source: string): number {
  const own = factsOf(source).value.recorded;
  const first = factsOf(view.value.on[0]!).value.recorded ?? (isLive.value ? shownWindow.value : undefined);
  if (!own || !first) return 0;
  const apart = isLive.value ? own.end - first.end : own.start - first.start;
  const isCommon = (late: number): boolean => own.start - late <= first.end && own.end - late >= first.start;
  return [0, Math.round(apart / DAY_SEC) * DAY_SEC].find(isCommon) ?? apart;
}

/** Whether it is known which time of a source is shown: it is in step with the first. */
export function isTimed(source: string): boolean {
  const first = factsOf(view.value.on[0]!).value;
  return factsOf(source).value.isKnown && (first.isKnown || first.trouble !== undefined);
}

/** {@link lateOf} in words: `1 d later`; '' for the same time. */
export function lateText(source: string): string {
  const late = lateOf(source);
  return late === 0 ? '' : `${durationText(Math.abs(late))} ${late > 0 ? 'later' : 'earlier'}`;
}

/** The window of a source, in step with that of the first. */
export function windowOn(source: string): Span {
  return movedBy(shownWindow.value, lateOf(source));
}

/** The view of a source alone, at its own time. @param at an instant of the first source's time */
export function viewOn(source: string, at = view.value.cursor): View {
  const { time } = view.value;
  const late = lateOf(source);
  const own = time.kind === 'fixed' ? { ...time, ...movedBy(time, late) } : time;
  return { ...view.value, on: [source], time: own, cursor: at === undefined ? undefined : at + late };
}

/** A time, so much later. */
export function movedBy({ start, end }: Span, seconds: number): Span {
  return { start: start + seconds, end: end + seconds };
}

/** The chosen time zone, or that of the source: an archive's own, the browser's for a live host. */
export const shownZone = computed((): TimeZone => {
  const { on, zone } = view.value;
  return zoneOf(zone ?? factsOf(on[0]!).value.zone ?? BROWSER_ZONE);
});

/** A time zone by its name; UTC for one that is not known. */
export function zoneOf(text: string): TimeZone {
  return attempt(() => makeTimeZone(text)) ?? UTC_ZONE;
}

/** The time that a feed of a source provides for the window, which may be that of another source: an archive beside a live host is read once. */
export function feedTime(source: string): FeedRequest['time'] {
  const { time } = view.value;
  const { recorded } = factsOf(source).value;
  if (!isLive.value) return { kind: 'fixed', ...windowOn(source) };
  if (recorded) return { kind: 'fixed', ...recorded };
  return { kind: 'live', spanSec: time.kind === 'live' ? time.spanSec : DEFAULT_SPAN_SEC };
}

/** How many seconds earlier the samples beneath the lanes are; undefined: there are none, or the screen has no lanes of its own. */
export const shownShift = computed(() => {
  const { screen, shift } = view.value;
  return screen === 'chart' || screen === '' ? shift : undefined;
});

/** The time that a feed of earlier samples provides for the window. */
export function shiftedFeedTime(source: string, shiftSec: number): FeedRequest['time'] {
  return { kind: 'fixed', ...shiftedWindow(windowOn(source), shiftSec, isLive.value) };
}
