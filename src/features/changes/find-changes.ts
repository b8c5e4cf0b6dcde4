import { compareSeries, LEAST_PARTS, type ChangedSeries } from './compare-series.js';
import { Grouping } from './group-changes.js';
import { byImportance } from './importance.js';
import { findMembership } from './membership.js';
import { describeFactor, type Finding } from './sentence.js';
import { countParts, seriesKey, type MeasuredSeries, type MeasuredWindow } from './measured-window.js';

export interface Changes {
  /** The most important first. */
  readonly findings: readonly Finding[];
  readonly compared: number;
  /** The series that have values in both windows, too few to compare. */
  readonly tooFew: number;
  /** What many findings have in common. */
  readonly note?: string;
}

/** Metrics that moved by one factor are noted if they are at least this many, and at least this share of those that moved. */
const [LEAST_OF_ONE_FACTOR, SHARE_OF_ONE_FACTOR] = [5, 0.5];
/** Factors are taken for one if the greatest is at most this many times the least. */
const ONE_FACTOR = 1.1;

const SERIES_PER_STEP = 32;

/**
 * What differs between two windows, in steps that each take little time: numbers whose level moved by more than their usual spread,
 * states that changed, instances and metrics that appeared or vanished. Series that changed together form one finding. The method is described in
 * WHAT-CHANGED.md.
 */
export function* findChanges(before: MeasuredWindow, after: MeasuredWindow): Generator<void, Changes> {
  const earlier = new Map<string, MeasuredSeries>();
  for (const series of before.series) earlier.set(seriesKey(series), series);
  yield;
  const changed: ChangedSeries[] = [];
  let compared = 0;
  let tooFew = 0;
  for (const [i, series] of after.series.entries()) {
    if (i % SERIES_PER_STEP === 0) yield;
    const was = earlier.get(seriesKey(series));
    if (!was || (was.texts === undefined) !== (series.texts === undefined)) continue;
    const change = compareSeries(was, series, { before, after });
    if (change === 'unknown') {
      if (countParts(was) > 0 && countParts(series) > 0) tooFew++;
      continue;
    }
    compared++;
    if (change) changed.push({ before: was, after: series, change });
  }
  changed.sort(byScore);
  yield;
  const grouping = new Grouping();
  for (const [i, series] of changed.entries()) {
    if (i % SERIES_PER_STEP === 0) yield;
    grouping.add(series);
  }
  const membership = enoughParts(before) && enoughParts(after) ? yield* findMembership(before, after) : [];
  const findings: Finding[] = [...grouping.groups(), ...membership];
  const note = findings.length > 1 ? describeOneFactor(changed) : undefined;
  return { findings: findings.sort(byImportance(after)), compared, tooFew, ...(note === undefined ? {} : { note }) };
}

/** Says that many metrics differ by one factor; undefined if they did not. */
function describeOneFactor(changed: readonly ChangedSeries[]): string | undefined {
  const byMetric = new Map<string, number>();
  for (const { after, change } of changed) {
    if (change.kind !== 'number' || byMetric.has(after.metric.name)) continue;
    byMetric.set(after.metric.name, change.after.median / change.before.median);
  }
  const factors = [...byMetric.values()]
    .filter((factor) => factor > 0 && Number.isFinite(factor))
    .sort((a, b) => a - b);
  let [from, count] = [0, 0];
  for (let first = 0, end = 0; first < factors.length; first++) {
    while (end < factors.length && factors[end]! <= factors[first]! * ONE_FACTOR) end++;
    if (end - first > count) [from, count] = [first, end - first];
  }
  if (count < Math.max(LEAST_OF_ONE_FACTOR, byMetric.size * SHARE_OF_ONE_FACTOR)) return undefined;
  const factor = describeFactor(factors[from + (count >> 1)]!);
  return `${count} of ${byMetric.size} metrics that differ do so by the same factor (${factor}): look for one cause`;
}

function byScore(a: ChangedSeries, b: ChangedSeries): number {
  return b.change.score - a.change.score || (seriesKey(a.after) < seriesKey(b.after) ? -1 : 1);
}

/** Whether a window has values in enough parts for missing values to be significant. */
function enoughParts({ series }: MeasuredWindow): boolean {
  return series.some((one) => countParts(one) >= LEAST_PARTS);
}
