import { addTo, getOrMake } from '../../kit/index.js';
import { countParts, type MeasuredSeries, type MeasuredWindow } from './measured-window.js';

/** Instances or metrics that have values in one of two windows only. */
export interface MembershipChange {
  readonly kind: 'appeared' | 'vanished';
  readonly what: 'instances' | 'metrics';
  readonly score: number;
  readonly indom: string | undefined;
  /** The external names of the instances, or the names of the metrics; in order. */
  readonly names: readonly string[];
  readonly metrics: readonly string[];
}

/** The scores of members that appear or vanish, where that is rare and where it is usual. */
const RARE_SCORE = 3;
const USUAL_SCORE = 0.5;
/** Members usually come and go in an instance domain if at least this share of the members before has gaps. */
const USUAL_SHARE = 0.1;
/** A member is present if it has values in at least this share of a window's parts. */
const LEAST_SHARE_OF_PARTS = 0.5;
const SERIES_PER_STEP = 256;

/** The metrics of a window, and the instances of each instance domain, that have values in at least half of its parts. */
interface Members {
  readonly metrics: ReadonlySet<string>;
  readonly indoms: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  /** Instance domains in which members come and go. */
  readonly restless: ReadonlySet<string>;
}

/** What appeared and what vanished between two windows, in steps. Only members without any value count as missing. */
export function* findMembership(
  before: MeasuredWindow,
  after: MeasuredWindow,
): Generator<void, readonly MembershipChange[]> {
  const earlier = yield* membersOf(before);
  const later = yield* membersOf(after);
  return [
    ...changesBetween('appeared', later, seenIn(before), earlier.restless),
    ...changesBetween('vanished', earlier, seenIn(after), earlier.restless),
  ];
}

/** Everything that has a value at all. */
interface Seen {
  readonly metrics: ReadonlySet<string>;
  readonly instances: ReadonlySet<string>;
}

function seenIn({ series }: MeasuredWindow): Seen {
  const present = series.filter((one) => countParts(one) > 0);
  return { metrics: new Set(present.map(({ metric }) => metric.name)), instances: new Set(present.map(instanceKey)) };
}

function instanceKey({ metric, instance }: MeasuredSeries): string {
  return `${metric.indom ?? ''} ${instance ?? ''}`;
}

function* membersOf({ series, parts }: MeasuredWindow): Generator<void, Members> {
  const metrics = new Set<string>();
  const indoms = new Map<string, Map<string, string[]>>();
  const gaps = new Map<string, { all: number; gapped: number }>();
  for (const [i, one] of series.entries()) {
    if (i % SERIES_PER_STEP === 0) yield;
    const count = countParts(one);
    const { indom, name } = one.metric;
    if (count === 0) continue;
    if (indom !== undefined) {
      const of = getOrMake(gaps, indom, () => ({ all: 0, gapped: 0 }));
      of.all++;
      if (count < parts * LEAST_SHARE_OF_PARTS) of.gapped++;
    }
    if (count < parts * LEAST_SHARE_OF_PARTS) continue;
    metrics.add(name);
    if (indom === undefined || one.instance === undefined) continue;
    const instances = getOrMake(indoms, indom, () => new Map<string, string[]>());
    addTo(instances, one.instance, name);
  }
  const restless = [...gaps].filter(([, { all, gapped }]) => gapped > all * USUAL_SHARE).map(([indom]) => indom);
  return { metrics, indoms, restless: new Set(restless) };
}

/** The members of one window that are not in the other. */
function changesBetween(
  kind: MembershipChange['kind'],
  members: Members,
  other: Seen,
  restless: ReadonlySet<string>,
): readonly MembershipChange[] {
  const changes: MembershipChange[] = [];
  const metrics = [...members.metrics].filter((name) => !other.metrics.has(name)).sort();
  if (metrics.length > 0)
    changes.push({ kind, what: 'metrics', score: RARE_SCORE, indom: undefined, names: metrics, metrics });
  for (const [indom, instances] of members.indoms) {
    // If the other window has no metric of the domain, the metrics are missing, not the instances.
    const missing = [...instances].filter(
      ([instance, names]) =>
        !other.instances.has(`${indom} ${instance}`) && names.some((name) => other.metrics.has(name)),
    );
    if (missing.length === 0) continue;
    const score = restless.has(indom) ? USUAL_SCORE : RARE_SCORE;
    const seenBy = new Set(missing.flatMap(([, names]) => names));
    changes.push({
      kind,
      what: 'instances',
      score,
      indom,
      names: missing.map(([instance]) => instance).sort(),
      metrics: [...seenBy].sort(),
    });
  }
  return changes;
}
