import { TROUBLES } from './rules.js';
import type { Rule, State, Trouble } from './rules.js';

/** A rule's value and conditions over time, for one instance. Parts without values are NaN. */
export interface JudgedSeries {
  /** Undefined for a singular value. */
  readonly instance: string | undefined;
  readonly values: Float64Array;
  /** The share of each part in which the condition held. */
  readonly when: Readonly<Partial<Record<Trouble, Float64Array>>>;
}

/** A rule that does not find everything usual. */
export interface Finding {
  readonly rule: Rule;
  readonly state: Trouble;
  readonly instance: string | undefined;
  /** The mean of the last seconds. */
  readonly value: number;
  /** When it began, in seconds since the epoch; undefined: before the window, or unknown. */
  readonly since: number | undefined;
  /** It has been so in all that is known, which is of so many seconds; undefined: it began later, or one moment is known. */
  readonly throughoutSec: number | undefined;
  /** The median before it began; undefined if there are too few samples. */
  readonly before: number | undefined;
}

/** Parts of a window: their number, the first one's start, and their length, in seconds. */
export interface Parts {
  readonly count: number;
  readonly startSec: number;
  readonly widthSec: number;
}

/** A condition holds if it held in this share of the time. */
const MOST_OF_THE_TIME = 0.5;
/** The time whose mean is the state of now. */
const NOW_SEC = 20;
/** A last sample that is older than this says nothing of now. */
const STALE_SEC = 180;
/** It begins after so many parts, one after the other, without it. */
const PARTS_WITHOUT = 2;
/** Before it, there were at least so many parts. */
const LEAST_BEFORE = 3;

/** The worst that a series says of now; undefined: nothing is wrong; `no samples` for lack of any near the end. */
export function judge(rule: Rule, series: JudgedSeries, parts: Parts): Finding | 'no samples' | undefined {
  const { values } = series;
  const last = lastValue(values);
  if (last < 0 || (parts.count - 1 - last) * parts.widthSec > STALE_SEC) return 'no samples';
  const near = Math.max(1, Math.round(NOW_SEC / parts.widthSec));
  const from = Math.max(0, last - near + 1);
  const state = [...TROUBLES].reverse().find((each) => {
    const held = series.when[each];
    return held !== undefined && mean(held, from, last) >= MOST_OF_THE_TIME;
  });
  if (state === undefined) return undefined;
  // Trouble of any degree began it.
  const first = beginning(series, last);
  const known = firstValue(values);
  const isThroughout = first <= known;
  return {
    rule,
    state,
    instance: series.instance,
    value: mean(values, from, last),
    since: isThroughout ? undefined : parts.startSec + first * parts.widthSec,
    throughoutSec: isThroughout ? (last - known + 1) * parts.widthSec : undefined,
    before: isThroughout ? undefined : medianUpTo(values, first),
  };
}

/** The state of a resource with some findings. */
export function worst(findings: readonly Finding[]): State {
  return [...TROUBLES].reverse().find((state) => findings.some((finding) => finding.state === state)) ?? 'usual';
}

/** The first part of the trouble that reaches to the last one. */
function beginning({ when, values }: JudgedSeries, last: number): number {
  const conditions = Object.values(when);
  let first = last;
  let without = 0;
  for (let part = last; part >= 0 && without < PARTS_WITHOUT; part--) {
    if (Number.isNaN(values[part]!)) continue;
    const holds = conditions.some((held) => held[part]! >= MOST_OF_THE_TIME);
    if (holds) [first, without] = [part, 0];
    else without++;
  }
  return first;
}

function lastValue(values: Float64Array): number {
  return values.findLastIndex((value) => !Number.isNaN(value));
}

function firstValue(values: Float64Array): number {
  return values.findIndex((value) => !Number.isNaN(value));
}

function mean(values: Float64Array, from: number, to: number): number {
  const known = values.subarray(from, to + 1).filter((value) => !Number.isNaN(value));
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

function medianUpTo(values: Float64Array, end: number): number | undefined {
  const known = values
    .subarray(0, end)
    .filter((value) => !Number.isNaN(value))
    .sort();
  return known.length < LEAST_BEFORE ? undefined : known[known.length >> 1];
}
