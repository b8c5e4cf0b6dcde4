import { addSeconds, compareTimestamps, secondsBetween, type Timestamp } from '../../pmapi/index.js';
import type { MeasuredSeries, MeasuredWindow, State } from './measured-window.js';
import { cliffsDelta, kendallsTau, quantile, sortedFinite, spread } from './statistics.js';

/** The parts with values that each window must have for their numbers to be compared: fewer are no evidence. */
export const LEAST_PARTS = 5;
/** The smallest relevant difference, as a share of the median before: smaller ones are noise, even for a steady metric. */
const RELEVANT_SHARE = 0.25;
/** The minimum spread, as a share of the median before: distances of nearly constant metrics would be unbounded. */
const LEAST_SPREAD_SHARE = 0.1;
/** The minimum effect of a finding: a large one (Cliff's delta; Romano et al. 2006 call 0.474 large, but a thousand metrics are compared at once). */
const LEAST_EFFECT = 0.65;
/** The minimum distance of a finding's medians, in spreads of the time before. */
const LEAST_DISTANCE = 1.75;
/** Greater distances are cut to this. */
const GREATEST_DISTANCE = 1000;
/** The same for a series that was mostly 0: it has no scale to compare with. */
const DISTANCE_FROM_ZERO = 30;
/** Numbers rise (or fall) steadily if at least this share of the steps from part to part has that direction. */
const STEADY_SHARE = 0.95;
/** They continue as expected if they differ from it by at most this share of the expected rise. */
const AS_EXPECTED_SHARE = 0.5;
/** Numbers go one way through a window if Kendall's tau of their order is at least this, and do not before if it is below the other. */
const [LEAST_TREND, MOST_TREND_BEFORE] = [0.75, 0.4];
/** Of numbers that began to go one way, the share of the parts at the end that counts. */
const END_SHARE = 0.25;
/** A state may have changed in this share of the parts before, at their end. */
const LATE_SHARE = 0.25;
/** How much the pace of a clock, seconds per second, may differ from 1: samples are not evenly spaced. */
const CLOCK_TOLERANCE = 0.1;
/** The score of a changed state: that of numbers that moved by 15 spreads. */
const STATE_SCORE = 4;

export interface Distribution {
  readonly median: number;
  /** The first and the last decile. */
  readonly low: number;
  readonly high: number;
  readonly parts: number;
}

export interface NumberChange {
  readonly kind: 'number';
  readonly direction: 'up' | 'down';
  /** Whether the numbers began to go one way: `after` is then the end of the window. */
  readonly isSteady: boolean;
  /** How much it stands out: effect × log2(1 + distance). */
  readonly score: number;
  /** Cliff's delta, from -1 to 1. */
  readonly effect: number;
  /** The distance of the medians, in spreads of the time before. */
  readonly distance: number;
  readonly before: Distribution;
  readonly after: Distribution;
  /** The start of the first part of the window after that is outside the usual range of the time before. */
  readonly since: Timestamp | undefined;
}

/** A state that was constant before and has changed. */
export interface StateChange {
  readonly kind: 'state';
  readonly score: number;
  readonly before: State;
  readonly after: State;
  readonly since: Timestamp | undefined;
}

export type SeriesChange = NumberChange | StateChange;

/** A series that differs, with its values in both windows. */
export interface ChangedSeries {
  readonly before: MeasuredSeries;
  readonly after: MeasuredSeries;
  readonly change: SeriesChange;
}

/** When two windows were, and into how many parts they are divided. */
type Span = Pick<MeasuredWindow, 'start' | 'finish' | 'parts'>;
type TwoSpans = Readonly<Record<'before' | 'after', Span>>;

/** What differs between two windows in one series: `undefined` for nothing relevant, `'unknown'` for too few values to tell. */
export function compareSeries(
  before: MeasuredSeries,
  after: MeasuredSeries,
  windows: TwoSpans,
): SeriesChange | 'unknown' | undefined {
  const state = compareStates(before, after, windows);
  if (state || before.texts || after.texts) return state;
  const change = compareNumbers(before.numbers!, after.numbers!, windows);
  if (typeof change !== 'object' || change.direction === 'down') return change;
  return [before, after].every((series) => isClock(series, windows.after)) ? undefined : change;
}

function compareNumbers(
  before: Float64Array,
  after: Float64Array,
  windows: TwoSpans,
): NumberChange | 'unknown' | undefined {
  const a = sortedFinite(before);
  const b = sortedFinite(after);
  if (a.length < LEAST_PARTS || b.length < LEAST_PARTS) return 'unknown';
  const level = compareLevels(a, b);
  const end = level ? undefined : endOfTrend(before, after);
  const moved = level ?? (end && compareLevels(a, end));
  if (!moved) return undefined;
  const { difference, distance, effect, scale } = moved;
  const expected = paceOf(before) * partsBetween(before, after, windows);
  if (paceOf(after) * expected > 0 && Math.abs(difference - expected) <= AS_EXPECTED_SHARE * Math.abs(expected))
    return undefined;
  const [was, is] = [distributionOf(a), distributionOf(end ?? b)];
  const isUp = difference > 0;
  const limit = isUp ? was.high + scale : was.low - scale;
  const first = after.findIndex((value) => (isUp ? value > limit : value < limit));
  return {
    kind: 'number',
    direction: isUp ? 'up' : 'down',
    isSteady: end !== undefined,
    score: Math.abs(effect) * Math.log2(1 + distance),
    effect,
    distance,
    before: was,
    after: is,
    since: startOfPart(windows.after, first),
  };
}

/** How far the level of numbers moved; undefined if that is not relevant. Both lists are in ascending order. */
function compareLevels(
  a: Float64Array,
  b: Float64Array,
): Record<'difference' | 'distance' | 'effect' | 'scale', number> | undefined {
  const usual = quantile(a, 0.5);
  const difference = quantile(b, 0.5) - usual;
  const relevant = RELEVANT_SHARE * Math.abs(usual);
  if (difference === 0 || Math.abs(difference) < relevant) return undefined;
  const scale = Math.max(spread(a), LEAST_SPREAD_SHARE * Math.abs(usual));
  const greatest = usual === 0 ? DISTANCE_FROM_ZERO : GREATEST_DISTANCE;
  const distance = Math.min(Math.abs(difference) / scale, greatest);
  if (distance < LEAST_DISTANCE) return undefined;
  const effect = cliffsDelta(a, b, relevant);
  return Math.abs(effect) < LEAST_EFFECT || effect > 0 !== difference > 0
    ? undefined
    : { difference, distance, effect, scale };
}

/** The last numbers, in ascending order, of those that go one way as those before did not; undefined for others, and for too few. */
function endOfTrend(before: Float64Array, after: Float64Array): Float64Array | undefined {
  const end = sortedFinite(after.subarray(Math.floor(after.length * (1 - END_SHARE))));
  if (end.length < LEAST_PARTS) return undefined;
  const trend = kendallsTau(after);
  const isNew = Math.abs(trend) >= LEAST_TREND && kendallsTau(before) * Math.sign(trend) < MOST_TREND_BEFORE;
  return isNew ? end : undefined;
}

/** How much numbers rise or fall per part; 0 unless nearly all of them go in one direction. */
function paceOf(numbers: Float64Array): number {
  const parts = measuredParts(numbers);
  const steps = parts.slice(1).map((part, i) => numbers[part]! - numbers[parts[i]!]!);
  const inDirection = Math.max(...[1, -1].map((sign) => steps.filter((step) => step * sign > 0).length));
  if (steps.length === 0 || inDirection < STEADY_SHARE * steps.length) return 0;
  const [first, last] = [parts[0]!, parts.at(-1)!];
  return (numbers[last]! - numbers[first]!) / (last - first);
}

function measuredParts(numbers: Float64Array): readonly number[] {
  return [...numbers.keys()].filter((part) => Number.isFinite(numbers[part]));
}

/** How many parts lie between the middles of what was measured in both windows. */
function partsBetween(before: Float64Array, after: Float64Array, windows: TwoSpans): number {
  const length = secondsBetween(windows.before.finish, windows.before.start);
  if (length <= 0) return 0;
  const apart = (secondsBetween(windows.after.start, windows.before.start) * windows.before.parts) / length;
  return apart + middleOf(after) - middleOf(before);
}

function middleOf(numbers: Float64Array): number {
  const parts = measuredParts(numbers);
  return parts.reduce((sum, part) => sum + part, 0) / Math.max(parts.length, 1);
}

/**
 * Whether numbers are times that grow as time passes: an uptime, or the age of something. One that began again in between still is.
 * @param span the window after: parts of both are of the same length
 */
function isClock({ metric: { unitSec }, numbers = new Float64Array() }: MeasuredSeries, span: Span): boolean {
  if (unitSec === undefined) return false;
  const partSec = secondsBetween(span.finish, span.start) / span.parts;
  const parts = measuredParts(numbers);
  const paces = parts.slice(1).map((part, i) => {
    const last = parts[i]!;
    return ((numbers[part]! - numbers[last]!) * unitSec) / ((part - last) * partSec);
  });
  return Math.abs(quantile(sortedFinite(paces), 0.5) - 1) <= CLOCK_TOLERANCE;
}

function distributionOf(sorted: Float64Array): Distribution {
  return {
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.1),
    high: quantile(sorted, 0.9),
    parts: sorted.length,
  };
}

/**
 * A text or a discrete number that was constant before, perhaps up to some parts before its end, and differs in at least half of the
 * parts after, the last one included.
 */
function compareStates(before: MeasuredSeries, after: MeasuredSeries, windows: TwoSpans): StateChange | undefined {
  if (!after.texts && !after.metric.isDiscrete) return undefined;
  const was = statesOf(before);
  const now = statesOf(after);
  const known = now.filter((state) => state !== undefined);
  const usual = was.find((state) => state !== undefined);
  const last = known.at(-1);
  if (usual === undefined || last === undefined || last === usual) return undefined;
  const early = was.findIndex((state) => state !== undefined && state !== usual);
  if (early >= 0) {
    const isJustBefore = compareTimestamps(windows.before.finish, windows.after.start) <= 0;
    const isLate = early >= was.length * (1 - LATE_SHARE) && !was.includes(usual, early);
    if (!isJustBefore || !isLate) return undefined;
  }
  const others = known.filter((state) => state !== usual);
  if (others.length * 2 < known.length) return undefined;
  const first = now.findIndex((state) => state !== undefined && state !== usual);
  const since = early < 0 ? startOfPart(windows.after, first) : startOfPart(windows.before, early);
  return { kind: 'state', score: STATE_SCORE, before: usual, after: last, since };
}

function statesOf({ numbers, texts }: MeasuredSeries): readonly (State | undefined)[] {
  return texts ?? Array.from(numbers ?? [], (number) => (Number.isNaN(number) ? undefined : number));
}

function startOfPart({ start, finish, parts }: Span, part: number): Timestamp | undefined {
  if (part < 0) return undefined;
  return part === 0 ? start : addSeconds(start, (secondsBetween(finish, start) / parts) * part);
}
