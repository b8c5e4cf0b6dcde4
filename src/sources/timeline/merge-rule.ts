import { compareTimestamps, justAfter, secondsBetween, type Timestamp } from '../../pmapi/index.js';

/** A time in which something was recorded without interruption: both moments included. */
export interface HeldSpan {
  readonly from: Timestamp;
  readonly to: Timestamp;
}

export interface Holding {
  readonly spans: readonly HeldSpan[];
  /** Typical seconds between two samples; Infinity if there are fewer than two. */
  readonly spacingSec: number;
  /** As of an {@link ArchivePart}. */
  readonly setBacks?: number | undefined;
}

/** A time in which values of a metric are read from one part. */
export interface Turn {
  readonly part: number;
  readonly from: Timestamp;
  /** The first moment after it. */
  readonly until: Timestamp;
  /** Nothing is missing since the previous turn: rates can be computed across. */
  readonly isContinued: boolean;
}

interface Edge {
  readonly at: Timestamp;
  readonly part: number;
  readonly isStart: boolean;
}

/**
 * The merge rule. Each moment belongs to one part: of those that hold it, to the one with the smallest spacing (in two significant
 * digits), and among equals to the first of the list. A moment between two spans of a part belongs to that part, unless another part
 * holds it. Each moment is read from one part only, so that no sample appears twice.
 */
export function shareOut(holdings: readonly (Holding | undefined)[]): Turn[] {
  const rank = rankParts(holdings);
  const edges = edgesOf(holdings);
  const open = new Set<number>();
  const turns: Turn[] = [];
  for (let i = 0; i < edges.length;) {
    const { at } = edges[i]!;
    for (; i < edges.length && compareTimestamps(edges[i]!.at, at) === 0; i++) {
      const { part, isStart } = edges[i]!;
      if (isStart) open.add(part);
      else open.delete(part);
    }
    const next = edges[i];
    const owner = best(open, rank);
    if (next && owner !== undefined) append(turns, { part: owner, from: at, until: next.at, isContinued: false });
  }
  return turns.map((turn, i) => ({ ...turn, isContinued: i > 0 && isContinued(turns[i - 1]!, turn, holdings) }));
}

/** Whether one part continues beyond the seam, or the gap between two turns is no longer than the usual spacing. */
function isContinued(before: Turn, { part, from }: Turn, holdings: readonly (Holding | undefined)[]): boolean {
  const [old, late] = [holdings[before.part]!, holdings[part]!];
  // An hour may have passed since a moment that is a second earlier.
  if (old.setBacks !== undefined && late.setBacks !== undefined && old.setBacks !== late.setBacks) return false;
  const ended = old.spans.findLast((span) => compareTimestamps(span.from, before.until) < 0)!;
  const begun = late.spans.find(({ to }) => compareTimestamps(to, from) >= 0)!;
  if (compareTimestamps(ended.to, from) >= 0 || compareTimestamps(begun.from, ended.to) <= 0) return true;
  const spacings = [old.spacingSec, late.spacingSec].filter((spacing) => spacing !== Infinity);
  const isBetweenParts = ended === old.spans.at(-1) && begun === late.spans[0];
  return isBetweenParts && secondsBetween(from, ended.to) <= GAP_SPACINGS * Math.max(0, ...spacings);
}

/** The median of the seconds between consecutive samples; Infinity if there are fewer than two. */
export function typicalSpacing(moments: readonly Timestamp[]): number {
  const steps = moments.slice(1).map((moment, i) => secondsBetween(moment, moments[i]!));
  steps.sort((a, b) => a - b);
  return steps[steps.length >> 1] ?? Infinity;
}

/** Samples further apart than this multiple of the typical spacing have a gap between them. */
const GAP_SPACINGS = 4;

/** @param moments in order @param marks when the recording was interrupted, in order */
export function spansOf(
  moments: readonly Timestamp[],
  marks: readonly Timestamp[],
  spacingSec = typicalSpacing(moments),
): HeldSpan[] {
  const spans: { from: Timestamp; to: Timestamp }[] = [];
  let mark = 0;
  for (const at of moments) {
    const last = spans.at(-1);
    let isInterrupted = false;
    for (; mark < marks.length && compareTimestamps(marks[mark]!, at) <= 0; mark++) {
      isInterrupted ||= last !== undefined && compareTimestamps(marks[mark]!, last.to) >= 0;
    }
    if (last && !isInterrupted && secondsBetween(at, last.to) <= GAP_SPACINGS * spacingSec) last.to = at;
    else spans.push({ from: at, to: at });
  }
  return spans;
}

function rankParts(holdings: readonly (Holding | undefined)[]): number[] {
  const spacing = (part: number): number => Number((holdings[part]?.spacingSec ?? Infinity).toPrecision(2));
  const order = [...holdings.keys()].sort((a, b) => (spacing(a) === spacing(b) ? a - b : spacing(a) - spacing(b)));
  const rank: number[] = [];
  for (const [place, part] of order.entries()) rank[part] = place;
  return rank;
}

function edgesOf(holdings: readonly (Holding | undefined)[]): Edge[] {
  const edges = holdings.flatMap((holding, part) =>
    (holding?.spans ?? []).flatMap(({ from, to }): Edge[] => [
      { at: from, part, isStart: true },
      { at: justAfter(to), part, isStart: false },
    ]),
  );
  return edges.sort((a, b) => compareTimestamps(a.at, b.at));
}

function best(parts: ReadonlySet<number>, rank: readonly number[]): number | undefined {
  let found: number | undefined;
  for (const part of parts) if (found === undefined || rank[part]! < rank[found]!) found = part;
  return found;
}

function append(turns: Turn[], turn: Turn): void {
  const last = turns.at(-1);
  if (last?.part === turn.part) turns[turns.length - 1] = { ...last, until: turn.until };
  else turns.push(turn);
}

export interface Stretch {
  readonly from: Timestamp;
  /** The first moment after it. */
  readonly until: Timestamp;
  /** The part that each metric is read from; -1 for none. */
  readonly owners: readonly number[];
  /** The number of each metric's run, -1 for none: turns with nothing missing between them form one run. */
  readonly runs: readonly number[];
  /** Whether another run of a metric begins here: nothing may be computed across its start. */
  readonly isSeam: boolean;
}

export function stretchesOf(turns: readonly (readonly Turn[])[]): Stretch[] {
  const edges = turns.flatMap((own) => own.flatMap(({ from, until }) => [from, until]));
  edges.sort(compareTimestamps);
  const runsOfTurns = turns.map(runsOf);
  const next = turns.map(() => 0);
  const last = turns.map(() => -1);
  const stretches: Stretch[] = [];
  for (let e = 0; e + 1 < edges.length; e++) {
    const [from, until] = [edges[e]!, edges[e + 1]!];
    if (compareTimestamps(from, until) === 0) continue;
    const runs = turns.map(() => -1);
    const owners = turns.map((own, m) => {
      while (next[m]! < own.length && compareTimestamps(own[next[m]!]!.until, from) <= 0) next[m]!++;
      const turn = own[next[m]!];
      if (!turn || compareTimestamps(turn.from, from) > 0) return -1;
      runs[m] = runsOfTurns[m]![next[m]!]!;
      return turn.part;
    });
    if (owners.every((owner) => owner < 0)) continue;
    const before = stretches.at(-1);
    const isSame =
      before && compareTimestamps(before.until, from) === 0 && owners.every((owner, m) => owner === before.owners[m]);
    if (isSame) {
      stretches[stretches.length - 1] = { ...before, until };
      continue;
    }
    const isSeam = runs.some((run, m) => run >= 0 && last[m]! >= 0 && last[m] !== run);
    for (const [m, run] of runs.entries()) if (run >= 0) last[m] = run;
    stretches.push({ from, until, owners, runs, isSeam });
  }
  return stretches;
}

function runsOf(turns: readonly Turn[]): number[] {
  let run = -1;
  return turns.map(({ isContinued }) => (isContinued ? run : ++run));
}
