import type { ChangedSeries } from './compare-series.js';
import { correlation } from './statistics.js';

/** Series that changed alike; one of them stands for all. */
export interface ChangeGroup {
  readonly kind: 'number' | 'state';
  readonly score: number;
  /** The series that stands for the others: a total rather than an instance, and of several the one with the shortest name. */
  readonly lead: ChangedSeries;
  /** The others, greatest score first. */
  readonly alike: readonly ChangedSeries[];
}

/** Series with at least this correlation over both windows are taken for one cause … */
const LEAST_CORRELATION = 0.98;
/** … if they also correlate within the window after: two causes that begin at the same time do not. */
const LEAST_CORRELATION_WITHIN = 0.8;
/** The same for metrics of one subsystem (the first part of their names) that moved in the same direction. */
const LEAST_CORRELATION_OF_KIN = 0.85;
const LEAST_CORRELATION_OF_KIN_WITHIN = 0.5;
/** The minimum number of parts for a correlation. */
const LEAST_PAIRS = 8;
/** The maximum number of groups that each change is compared with. */
const GROUPS_COMPARED = 64;
/** A member can represent its group if its score is at least this share of the greatest one. */
const LEAST_SHARE_OF_LEAD = 0.8;

/** Groups changes with a common cause. They are added in order of their score, greatest first. */
export class Grouping {
  readonly #groups: ChangedSeries[][] = [];
  readonly #byMetric = new Map<string, ChangedSeries[]>();

  add(series: ChangedSeries): void {
    const key = `${series.after.metric.name} ${describeDirection(series)}`;
    const group =
      this.#byMetric.get(key) ?? this.#groups.slice(0, GROUPS_COMPARED).find(([lead]) => goTogether(lead!, series));
    if (group) group.push(series);
    else this.#groups.push([series]);
    if (!this.#byMetric.has(key)) this.#byMetric.set(key, group ?? this.#groups.at(-1)!);
  }

  groups(): readonly ChangeGroup[] {
    return this.#groups.map((members) => {
      const lead = leadOf(members);
      const { score } = members[0]!.change;
      return { kind: lead.change.kind, score, lead, alike: members.filter((member) => member !== lead) };
    });
  }
}

/** Instances of one metric are one finding if they moved in the same direction, or to the same state. */
function describeDirection({ change }: ChangedSeries): string {
  return change.kind === 'number' ? change.direction : `${typeof change.after} ${change.after}`;
}

function leadOf(members: readonly ChangedSeries[]): ChangedSeries {
  const [best] = members;
  const strong = members.filter(({ change }) => change.score >= LEAST_SHARE_OF_LEAD * best!.change.score);
  return strong.reduce((lead, member) => (standsBefore(member, lead) ? member : lead));
}

/** Totals before instances, short names before long ones; among instances of one metric, the greatest score stays. */
function standsBefore({ after: a }: ChangedSeries, { after: b }: ChangedSeries): boolean {
  const [isTotalA, isTotalB] = [a.instance === undefined, b.instance === undefined];
  if (isTotalA !== isTotalB) return isTotalA;
  return a.metric.name.length < b.metric.name.length;
}

function goTogether(a: ChangedSeries, b: ChangedSeries): boolean {
  if (a.change.kind !== 'number' || b.change.kind !== 'number') return false;
  const areKin = a.change.direction === b.change.direction && subsystemOf(a) === subsystemOf(b);
  const within = correlation(a.after.numbers!, b.after.numbers!, LEAST_PAIRS);
  const leastWithin = areKin ? LEAST_CORRELATION_OF_KIN_WITHIN : LEAST_CORRELATION_WITHIN;
  if (within === undefined || Math.abs(within) < leastWithin) return false;
  if (a.before.numbers!.length !== b.before.numbers!.length) return false;
  const whole = correlation(join(a), join(b), LEAST_PAIRS);
  return whole !== undefined && Math.abs(whole) >= (areKin ? LEAST_CORRELATION_OF_KIN : LEAST_CORRELATION);
}

/** The first part of a metric's name: `disk`. */
function subsystemOf({ after }: ChangedSeries): string {
  return after.metric.name.split('.', 1)[0]!;
}

function join({ before, after }: ChangedSeries): Float64Array {
  const whole = new Float64Array(before.numbers!.length + after.numbers!.length);
  whole.set(before.numbers!);
  whole.set(after.numbers!, before.numbers!.length);
  return whole;
}
