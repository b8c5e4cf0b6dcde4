import { compareTimestamps } from '../../pmapi/index.js';
import type { Timestamp } from '../../pmapi/index.js';
import type { Turn } from './merge-rule.js';

/** A time in which the same parts answer for the same metrics. */
export interface Stretch {
  readonly from: Timestamp;
  /** The first moment behind it. */
  readonly until: Timestamp;
  /** For each metric the part that answers, -1 for none. */
  readonly owners: readonly number[];
  /** Whether a metric goes over from one part to another here: nothing may be computed across. */
  readonly isSeam: boolean;
}

/** The turns of several metrics as one sequence. */
export function stretchesOf(turns: readonly (readonly Turn[])[]): Stretch[] {
  const edges = turns.flatMap((own) => own.flatMap(({ from, until }) => [from, until]));
  edges.sort(compareTimestamps);
  const next = turns.map(() => 0);
  const last = turns.map(() => -1);
  const stretches: Stretch[] = [];
  for (let e = 0; e + 1 < edges.length; e++) {
    const [from, until] = [edges[e]!, edges[e + 1]!];
    if (compareTimestamps(from, until) === 0) continue;
    const owners = turns.map((own, m) => {
      while (next[m]! < own.length && compareTimestamps(own[next[m]!]!.until, from) <= 0) next[m]!++;
      const turn = own[next[m]!];
      return turn && compareTimestamps(turn.from, from) <= 0 ? turn.part : -1;
    });
    if (owners.every((owner) => owner < 0)) continue;
    const before = stretches.at(-1);
    const isSame =
      before && compareTimestamps(before.until, from) === 0 && owners.every((owner, m) => owner === before.owners[m]);
    if (isSame) {
      stretches[stretches.length - 1] = { ...before, until };
      continue;
    }
    const isSeam = owners.some((owner, m) => owner >= 0 && last[m]! >= 0 && last[m] !== owner);
    for (const [m, owner] of owners.entries()) if (owner >= 0) last[m] = owner;
    stretches.push({ from, until, owners, isSeam });
  }
  return stretches;
}
