import { compareTimestamps, type Timestamp } from '../../pmapi/index.js';
import type { Turn } from './merge-rule.js';

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
