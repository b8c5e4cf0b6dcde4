import { computed } from '@preact/signals';
import { makeTimeZone, UTC_ZONE, type TimeZone } from '../../../../pmapi/index.js';
import { view } from '../state/page.js';
import { DEFAULT_SPAN_SEC, shiftedWindow, windowOf, type Span } from '../state/time-window.js';
import type { FeedRequest } from './feed.js';
import { now } from './gateway-clock.js';
import { factsOf } from './source-facts.js';

/** The browser's own time zone. */
export const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The window that is shown: that of the first source, which the others follow. */
export const shownWindow = computed((): Span => {
  const { on, time } = view.value;
  return windowOf(time, { now: now.value, recorded: factsOf(on[0]!).value.recorded });
});
/** Whether the right edge of the window is now. */
export const isLive = computed(() => {
  const { on, time } = view.value;
  return time.kind !== 'fixed' && !on[0]!.startsWith('archive:');
});

/** The chosen time zone, or that of the source: an archive's own, the browser's for a live host. */
export const shownZone = computed((): TimeZone => {
  const { on, zone } = view.value;
  return zoneOf(zone ?? factsOf(on[0]!).value.zone ?? BROWSER_ZONE);
});

/** A time zone by its name; UTC for one that is not known. */
export function zoneOf(text: string): TimeZone {
  try {
    return makeTimeZone(text);
  } catch {
    return UTC_ZONE;
  }
}

/** The time that a feed of a source provides for the window, which may be that of another source: an archive beside a live host is read once. */
export function feedTime(recorded: Span | undefined): FeedRequest['time'] {
  const { time } = view.value;
  if (!isLive.value) return { kind: 'fixed', ...shownWindow.value };
  if (recorded) return { kind: 'fixed', ...recorded };
  return { kind: 'live', spanSec: time.kind === 'live' ? time.spanSec : DEFAULT_SPAN_SEC };
}

/** How many seconds earlier the samples beneath the lanes are; undefined: there are none, or the screen has no lanes of its own. */
export const shownShift = computed(() => {
  const { screen, shift } = view.value;
  return screen === 'chart' || screen === '' ? shift : undefined;
});

/** The time that a feed of earlier samples provides for the window. */
export function shiftedFeedTime(shiftSec: number): FeedRequest['time'] {
  return { kind: 'fixed', ...shiftedWindow(shownWindow.value, shiftSec, isLive.value) };
}
