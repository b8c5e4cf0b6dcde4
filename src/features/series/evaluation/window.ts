import {
  compareTimestamps,
  END_OF_TIME,
  intervalToSeconds,
  makeTimeZone,
  parseInParameter,
  parseInterval,
  parseTime,
  subtractInterval,
  badParameter,
} from '../../../pmapi/index.js';
import type { Timestamp } from '../../../pmapi/index.js';
import type { WindowText } from '../language/index.js';

/** Which samples a request wants, and in which order. */
export type Window =
  /** The newest samples, newest first; `Infinity` for all. */
  | { readonly kind: 'newest'; readonly count: number }
  /** Samples from one moment to another, both included, oldest first. */
  | {
      readonly kind: 'between';
      readonly from: Timestamp;
      readonly to: Timestamp;
      /** Seconds between the samples that are chosen; absent: all are. */
      readonly interval?: Interval;
      /** At most so many, the oldest. */
      readonly count: number;
    };

export interface Interval {
  readonly sec: number;
  /** The first goal; absent: at the first sample. */
  readonly start?: Timestamp;
}

const EPOCH: Timestamp = { sec: 0, nsec: 0 };
export const BEGINNING_OF_TIME: Timestamp = { sec: -Number.MAX_SAFE_INTEGER, nsec: 0 };
/** A sample's time is cut to microseconds, so that it may have been taken so much later. */
const CUT_NSEC = 999;

/** Parses a window; undefined if it chooses no samples. Throws BAD_PARAMETER. Numbers are epoch seconds, `-5min` is before now. */
export function parseWindow(text: WindowText, now: Timestamp): Window | undefined {
  const interval = text.interval === undefined ? 0 : secondsOf('interval', text.interval);
  const { from, to } = boundsOf(text, now);
  const count = text.samples === undefined ? undefined : countOf(text.samples);
  if (text.align !== undefined) secondsOf('align', text.align);
  const isBounded = from !== undefined || to !== undefined || interval > 0;
  if (!isBounded) {
    if (count === undefined) return text.interval === undefined ? undefined : everything();
    if (count === 0) return everything();
    return { kind: 'newest', count: count < 0 ? Infinity : count };
  }
  return {
    ...everything(),
    ...(from ? { from } : {}),
    ...(to ? { to: { ...to, nsec: to.nsec - (to.nsec % 1000) + CUT_NSEC } } : {}),
    ...(interval > 0 ? { interval: { sec: interval, ...(from ? { start: from } : {}) } } : {}),
    count: count === undefined || count <= 0 ? Infinity : count,
  };
}

export function isEmptyWindow(window: Window): boolean {
  return window.kind === 'between' && compareTimestamps(window.from, window.to) > 0;
}

function everything(): Window & { readonly kind: 'between' } {
  return { kind: 'between', from: BEGINNING_OF_TIME, to: END_OF_TIME, count: Infinity };
}

/** The later of the words for one end wins. */
function boundsOf(text: WindowText, now: Timestamp): { from?: Timestamp; to?: Timestamp } {
  const zone = parseInParameter('zone', text.zone ?? 'UTC', makeTimeZone);
  const references = { start: EPOCH, end: now, now, zone };
  const bounds: { from?: Timestamp; to?: Timestamp } = {};
  for (const [word, value] of Object.entries(text) as [keyof WindowText, string][]) {
    if (word === 'range') {
      bounds.from = subtractInterval(now, parseInParameter('range', value, parseInterval));
      bounds.to = now;
    } else if (word === 'start' || word === 'finish') {
      const time = value === 'now' ? now : parseInParameter(word, value, (given) => parseTime(given, references));
      bounds[word === 'start' ? 'from' : 'to'] = time;
    }
  }
  return bounds;
}

function secondsOf(parameter: string, text: string): number {
  return intervalToSeconds(parseInParameter(parameter, text, parseInterval));
}

function countOf(text: string): number {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  if (text === '') return 0;
  throw badParameter('samples', `invalid number of samples: '${text.slice(0, 80)}'`, 'an integer');
}
