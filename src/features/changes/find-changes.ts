import { compareSeries, LEAST_PARTS } from './compare-series.js';
import type { ChangedSeries } from './compare-series.js';
import { Grouping } from './group-changes.js';
import type { ChangeGroup } from './group-changes.js';
import { findMembership } from './membership.js';
import type { MembershipChange } from './membership.js';
import { countParts, seriesKey } from './measured-window.js';
import type { MeasuredSeries, MeasuredWindow } from './measured-window.js';

/** One finding: series that changed alike, or instances or metrics that appeared or vanished together. */
export type Finding = ChangeGroup | MembershipChange;

/** What the comparison of two windows found. */
export interface Changes {
  /** The most remarkable first. */
  readonly findings: readonly Finding[];
  /** The series that were compared. */
  readonly compared: number;
  /** The series that have values in both windows, too few to compare. */
  readonly tooFew: number;
}

/** Series that are compared between two steps. */
const SERIES_PER_STEP = 32;
/** Metrics about collecting metrics: changes in them are rarely interesting. */
const OF_COLLECTION = /^(?:pmgate|pmcd|pmproxy|pmlogger|pmie|mmv\.control)\./;

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
  return { findings: findings.sort(byRank), compared, tooFew };
}

function byScore(a: ChangedSeries, b: ChangedSeries): number {
  return b.change.score - a.change.score || (seriesKey(a.after) < seriesKey(b.after) ? -1 : 1);
}

/** Findings about the collection of metrics come last, whatever their score. */
function byRank(a: Finding, b: Finding): number {
  return Number(isOfCollection(a)) - Number(isOfCollection(b)) || b.score - a.score;
}

function isOfCollection(finding: Finding): boolean {
  const name = 'lead' in finding ? finding.lead.after.metric.name : (finding.metrics[0] ?? '');
  return OF_COLLECTION.test(name);
}

/** Whether a window has values in enough parts for missing values to be significant. */
function enoughParts({ series }: MeasuredWindow): boolean {
  return series.some((one) => countParts(one) >= LEAST_PARTS);
}
