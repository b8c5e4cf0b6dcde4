import { fromLocalTime, toLocalTime, type TimeZone } from '../../../../pmapi/index.js';
import type { Span } from '../state/time-window.js';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
/** Distances of ticks, in seconds. */
const STEPS = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((n) => n * DAY),
];

/** A mark on the time axis. */
export interface TimeTick {
  readonly at: number;
  /** `10:21`, `10:21:40`, `21 Nov`. */
  readonly label: string;
  /** The date, at the first tick and where it changes. */
  readonly date: string | undefined;
}

/** The room of a label in pixels: `10:21`, `10:21:40`, `2026-11-22`. */
const [MINUTES_PX, SECONDS_PX, DATE_PX] = [60, 80, 84];

/** Ticks from `start` to `end`, at round times of the zone's clocks, as many as have room for their labels on `width` pixels. */
export function timeTicks(start: number, end: number, width: number, zone: TimeZone): TimeTick[] {
  const pixels = width / (end - start);
  const roomOf = (step: number): number => (step >= DAY ? DATE_PX : step >= MINUTE ? MINUTES_PX : SECONDS_PX);
  const step = STEPS.find((each) => each * pixels >= roomOf(each)) ?? STEPS.at(-1)!;
  const moments = step >= DAY ? midnights(start, end, step / DAY, zone) : withinDays(start, end, step, zone);
  const dates = moments.map((at) => dateText(at, zone));
  return moments.map((at, i) => {
    const isOther = dates[i] !== dates[i - 1];
    // The first one gives way to the next, which says at which time it begins.
    const isCrowded = dates.some((date, j) => j > i && date !== dates[i] && (moments[j]! - at) * pixels < DATE_PX);
    return {
      at,
      label: step >= DAY ? dates[i]! : clockText(at, zone, step),
      date: isOther && !isCrowded && step < DAY ? dates[i] : undefined,
    };
  });
}

function withinDays(start: number, end: number, step: number, zone: TimeZone): number[] {
  const moments: number[] = [];
  // Daylight saving time moves the round times, so each tick uses the offset at its own time.
  for (let at = start; moments.length < 1000;) {
    const offset = zone.offsetAt(at);
    const next = Math.ceil((at + offset) / step - 1e-9) * step - offset;
    if (next > end) return moments;
    const there = zone.offsetAt(next);
    if (there === offset || (next + there) % step === 0) moments.push(next);
    at = next + step / 1000;
  }
  return moments;
}

function midnights(start: number, end: number, days: number, zone: TimeZone): number[] {
  const { year, month, day } = toLocalTime(zone, start);
  const moments: number[] = [];
  for (let i = 0; moments.length < 1000; i += days) {
    const at = fromLocalTime(zone, { year, month, day: day + i, hour: 0, minute: 0, second: 0 });
    if (!(at <= end)) return moments;
    if (at >= start) moments.push(at);
  }
  return moments;
}

/** `2026-11-22`, by the zone's calendar. */
function dateText(sec: number, zone: TimeZone): string {
  const { year, month, day } = toLocalTime(zone, sec);
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
}

/** `10:21`, with seconds if the distance between times requires them. */
export function clockText(sec: number, zone: TimeZone, step: number): string {
  const { hour, minute, second } = toLocalTime(zone, sec);
  const text = `${two(hour)}:${two(minute)}`;
  if (step >= MINUTE) return text;
  if (step >= 1) return `${text}:${two(second)}`;
  const digits = step >= 0.1 ? 1 : 3;
  const fraction = Math.floor((sec - Math.floor(sec)) * 10 ** digits + 1e-6);
  return `${text}:${two(second)}.${String(fraction).padStart(digits, '0')}`;
}

/** An instant in full: `2026-11-22 10:21:40 CET`, with milliseconds if times are closer than a second. */
export function instantText(sec: number, zone: TimeZone, step = 1): string {
  return `${dateText(sec, zone)} ${clockText(sec, zone, step)} ${zone.abbreviationAt(sec)}`;
}

/** A window: `2026-11-22 10:21:40 – 10:26:40 CET`, with both dates where they differ. */
export function windowText({ start, end }: Span, zone: TimeZone): string {
  const [from, to] = [start, end].map((at) => instantText(at, zone).split(' '));
  const isOneDay = from![0] === to![0] && from![2] === to![2];
  return `${(isOneDay ? from!.slice(0, 2) : from!).join(' ')} – ${(isOneDay ? to!.slice(1) : to!).join(' ')}`;
}

const SHIFTS: ReadonlyMap<number, string> = new Map([
  [HOUR, '1 hour'],
  [DAY, '1 day'],
  [7 * DAY, '1 week'],
]);

/** How much earlier samples are: `1 day before`, `90 min before`. */
export function beforeText(seconds: number): string {
  return `${SHIFTS.get(seconds) ?? durationText(seconds)} before`;
}

/** A length of time: `5 min`, `1 h 20 min`, `23 h 58 min`, `12 d 3 h`. */
export function durationText(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < MINUTE) return `${Number(seconds.toFixed(1))} s`;
  const parts = [
    [Math.floor(seconds / DAY), 'd'],
    [Math.floor((seconds % DAY) / HOUR), 'h'],
    [Math.floor((seconds % HOUR) / MINUTE), 'min'],
    [Math.round(seconds % MINUTE), 's'],
  ] as const;
  const first = parts.findIndex(([n]) => n > 0);
  return parts
    .slice(first, first + 2)
    .filter(([n]) => n > 0)
    .map(([n, unit]) => `${n} ${unit}`)
    .join(' ');
}

function two(n: number): string {
  return String(n).padStart(2, '0');
}
